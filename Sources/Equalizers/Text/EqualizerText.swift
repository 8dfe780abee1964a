// SPDX-License-Identifier: MIT

/// A file's bytes as UTF-8 without a byte-order mark.
enum EqualizerText {
  /// Decodes UTF-8, UTF-16 with a byte-order mark, or else Latin-1; nil for bytes that are no text.
  static func decode(_ bytes: Span<UInt8>) -> [UInt8]? {
    if bytes.count >= 2, bytes[0] ^ bytes[1] == 1, bytes[0] >= 0xFE {
      return utf16(bytes, isBigEndian: bytes[0] == 0xFE)
    }
    let hasMark = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    let text = ((hasMark ? 3 : 0)..<bytes.count).map { bytes[$0] }
    guard !text.contains(0) else { return nil }
    return isUTF8(bytes) ? text : latin1(text)
  }

  /// Unpaired surrogates become U+FFFD, as does an odd byte at the end.
  private static func utf16(_ bytes: Span<UInt8>, isBigEndian: Bool) -> [UInt8]? {
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    var index = 2
    while index + 1 < bytes.count {
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      units.append(isBigEndian ? first << 8 | second : second << 8 | first)
      index += 2
    }
    if index < bytes.count { units.append(0xFFFD) }
    guard !units.contains(0) else { return nil }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  private static func isUTF8(_ bytes: Span<UInt8>) -> Bool {
    (try? UTF8Span(validating: bytes)) != nil
  }

  private static func latin1(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + bytes.count / 8)
    for byte in bytes {
      if byte < 0x80 {
        text.append(byte)
      } else {
        text.append(0xC0 | byte >> 6)
        text.append(0x80 | byte & 0x3F)
      }
    }
    return text
  }
}

/// The lines of a text: each ends at CR LF, CR or LF.
struct EqualizerLines {
  private let bytes: [UInt8]
  private var index = 0
  /// The number of the last line that was returned, from 1.
  private(set) var number = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Returns the next line without its end; nil behind the last one.
  mutating func next() -> ArraySlice<UInt8>? {
    guard index < bytes.count else { return nil }
    number += 1
    var end = index
    while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
    let line = bytes[index..<end]
    let isPair = end + 1 < bytes.count && bytes[end] == 0x0D && bytes[end + 1] == 0x0A
    index = end + (isPair ? 2 : 1)
    return line
  }
}

extension ArraySlice<UInt8> {
  /// Without blanks and tabs at either end.
  var trimmed: ArraySlice<UInt8> {
    var (start, end) = (startIndex, endIndex)
    while start < end, self[start].isBlank { start += 1 }
    while end > start, self[end - 1].isBlank { end -= 1 }
    return self[start..<end]
  }

  /// The bytes as text.
  var text: String { String(decoding: self, as: UTF8.self) }

  /// Whether these are the bytes of a word, in any case of ASCII letters. The word is in lower case.
  func isWord(_ word: String) -> Bool { count == word.utf8.count && hasPrefix(word) }

  /// Whether the bytes begin with a word, in any case of ASCII letters. The word is in lower case.
  func hasPrefix(_ word: String) -> Bool {
    count >= word.utf8.count && zip(self, word.utf8).allSatisfy { $0.asciiLowercase == $1 }
  }
}

extension UInt8 {
  var isBlank: Bool { self == 0x20 || self == 0x09 }
  var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
  var isASCIILetter: Bool { (0x61...0x7A).contains(asciiLowercase) }
  var asciiLowercase: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
