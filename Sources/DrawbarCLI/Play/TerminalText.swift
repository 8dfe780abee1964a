// SPDX-License-Identifier: MIT

import Glibc

/// Text for a terminal, measured in columns.
enum TerminalText {
  /// Whether the terminal shows more than ASCII, according to the locale (locale(7)).
  static let isUnicode: Bool = {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let value = unsafe getenv(name), unsafe strlen(value) > 0 else { continue }
      let locale = unsafe String(cString: value).lowercased()
      return locale.hasSuffix("utf-8") || locale.hasSuffix("utf8")
    }
    return false
  }()

  /// Returns the number of columns of a text.
  static func width(of text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
  }

  /// Returns as much of a text as fits the columns, on request padded with blanks.
  static func fitted(_ text: String, columns: Int, fills: Bool = false) -> String {
    var result = ""
    var used = 0
    for character in text {
      let width = width(of: String(character))
      guard used + width <= columns else { break }
      result.append(character)
      used += width
    }
    return fills ? result + String(repeating: " ", count: max(0, columns - used)) : result
  }

  private static func width(of scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: 0
    default: wideRanges.contains { $0.contains(scalar.value) } ? 2 : 1
    }
  }

  /// The scalars of two columns: the wide and full-width blocks of Unicode's annex 11.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
    0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
  ]
}
