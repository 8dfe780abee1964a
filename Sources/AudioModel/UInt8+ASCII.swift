// SPDX-License-Identifier: MIT

extension UInt8 {
  /// Whether this is a blank, a tab, a line feed or a carriage return (XML 1.0, section 2.3).
  package var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

  /// The lower-case letter of an upper-case one; any other byte unchanged.
  package var asciiLowercase: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

  /// Whether this is a digit.
  package var isDigit: Bool { (0x30...0x39).contains(self) }

  /// Whether this is an ASCII letter.
  package var isLetter: Bool { (0x61...0x7A).contains(asciiLowercase) }

  /// The value of a hexadecimal digit; nil for any other byte.
  package var hexadecimalValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x41 + 10
    case 0x61...0x66: self - 0x61 + 10
    default: nil
    }
  }
}

extension ArraySlice<UInt8> {
  /// The bytes without blanks, tabs and line ends at either end.
  package var trimmed: ArraySlice<UInt8> {
    var rest = self
    while let first = rest.first, first.isXMLSpace { rest.removeFirst() }
    while let last = rest.last, last.isXMLSpace { rest.removeLast() }
    return rest
  }

  /// The bytes as text, read as UTF-8.
  package var text: String { String(decoding: self, as: UTF8.self) }

  /// Returns whether the bytes begin with a prefix, ignoring the case of ASCII letters.
  ///
  /// - Parameter prefix: the prefix in lower case.
  package func hasPrefix(ignoringCase prefix: String) -> Bool {
    count >= prefix.utf8.count && zip(self, prefix.utf8).allSatisfy { $0.asciiLowercase == $1 }
  }
}
