// SPDX-License-Identifier: MIT

internal import AudioModel

extension CommandReader {
  /// Reads the file that an `Include:` names, instead of the line.
  mutating func include(
    _ name: String, _ file: File, into reading: inout EqualizerReading
  ) throws(EqualizerProblem.Reason) {
    guard let includer = reading.includer else { throw .includeNotAllowed }
    let limits = reading.limits
    guard file.identities.count <= limits.includeDepth else {
      throw .includeTooDeep(limit: limits.includeDepth)
    }
    reading.includedFileCount += 1
    guard reading.includedFileCount <= limits.includedFiles else {
      throw .tooManyIncludes(limit: limits.includedFiles)
    }
    let included: EqualizerIncludedFile
    do throws(EqualizerIncludeFailure) {
      included = try includer(name, file.identities.last ?? "")
    } catch {
      throw .includeFailed(
        name: name.onOneLine(atMost: 120), reason: error.message.onOneLine(atMost: 200))
    }
    let shown = included.name.onOneLine(atMost: 1000)
    guard !file.identities.contains(included.name) else { throw .includeCycle(name: shown) }
    guard let text = reading.decode(included.bytes.span, file: shown) else { return }
    let form = EqualizerCurve.form(ofText: text)
    guard form != .camillaDSP else { throw .includeForm(form) }
    let outer = selection
    defer { selection = outer }
    read(
      text, as: form, File(name: shown, identities: file.identities + [included.name]),
      into: &reading)
  }
}
