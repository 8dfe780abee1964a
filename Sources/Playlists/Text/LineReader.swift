// SPDX-License-Identifier: MIT

/// The lines of a text: each ends at CR LF, CR or LF, whoever wrote it.
struct LineReader {
  private let bytes: [UInt8]
  private var place = 0
  /// The number of the last line that was given, from 1.
  private(set) var number = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The next line without its end and without blanks around it; nil behind the last one.
  mutating func next() -> ArraySlice<UInt8>? {
    guard place < bytes.count else { return nil }
    number += 1
    var end = place
    while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
    let line = bytes[place..<end]
    let isPair = end + 1 < bytes.count && bytes[end] == 0x0D && bytes[end + 1] == 0x0A
    place = end + (isPair ? 2 : 1)
    return line.trimmed
  }
}

extension ArraySlice<UInt8> {
  /// Without blanks, tabs and line ends at either end.
  var trimmed: ArraySlice<UInt8> {
    var rest = self
    while let first = rest.first, first.isXMLSpace { rest.removeFirst() }
    while let last = rest.last, last.isXMLSpace { rest.removeLast() }
    return rest
  }

  /// As text; it has been checked to be UTF-8.
  var text: String { String(decoding: self, as: UTF8.self) }

  /// As text; nil if there is none.
  var textIfAny: String? { isEmpty ? nil : text }

  /// Whether it begins so, whatever the case of ASCII letters. The prefix is in lower case.
  func hasPrefix(ignoringCase prefix: String) -> Bool {
    count >= prefix.utf8.count && zip(self, prefix.utf8).allSatisfy { $0.asciiLowercase == $1 }
  }
}

extension UInt8 {
  /// Blank, tab, line feed or carriage return (XML 1.0, section 2.3).
  var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

  var asciiLowercase: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

  var isDigit: Bool { (0x30...0x39).contains(self) }

  var isLetter: Bool { (0x61...0x7A).contains(asciiLowercase) }

  var hexadecimalValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x41 + 10
    case 0x61...0x66: self - 0x61 + 10
    default: nil
    }
  }
}
