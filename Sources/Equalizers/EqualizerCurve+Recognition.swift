// SPDX-License-Identifier: MIT

internal import AudioModel

extension EqualizerCurve {
  /// Returns the reader's form of a text: ``Form/roomEQWizard``, ``Form/camillaDSP``, or else
  /// ``Form/equalizerAPO``, of which the forms of AutoEq are parts.
  static func form(ofText text: [UInt8]) -> Form {
    var lines = LineReader(text)
    var isFirst = true
    while let line = lines.next() {
      let content = line.trimmed
      if content.isEmpty { continue }
      if isFirst, content.hasPrefix(ignoringCase: "filter settings file") { return .roomEQWizard }
      isFirst = false
      // In YAML a key without a value at the start of a line begins a section.
      guard line.first?.isLetter == true, let colon = line.firstIndex(of: UInt8(ascii: ":"))
      else { continue }
      let rest = line[(colon + 1)...].trimmed
      guard rest.isEmpty || rest.first == UInt8(ascii: "#") else { continue }
      if CamillaReader.sections.contains(line[..<colon].text) { return .camillaDSP }
    }
    return .equalizerAPO
  }
}
