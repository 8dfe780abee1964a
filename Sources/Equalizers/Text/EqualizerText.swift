// SPDX-License-Identifier: MIT

internal import AudioModel

/// A file's bytes as UTF-8 without a byte-order mark.
enum EqualizerText {
  /// Decodes UTF-8, UTF-16 with a byte-order mark, or else Latin-1; nil for bytes that are not text.
  static func decode(_ bytes: Span<UInt8>) -> [UInt8]? {
    if bytes.count >= 2, bytes[0] ^ bytes[1] == 1, bytes[0] >= 0xFE {
      return utf16(bytes, isBigEndian: bytes[0] == 0xFE)
    }
    let hasMark = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    let text = ((hasMark ? 3 : 0)..<bytes.count).map { bytes[$0] }
    guard !text.contains(0) else { return nil }
    return isUTF8(bytes) ? text : latin1(text)
  }

  /// Decodes UTF-16. Unpaired surrogates and an odd byte at the end become U+FFFD.
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

extension ArraySlice<UInt8> {
  /// Returns whether the bytes are a word, ignoring the case of ASCII letters.
  ///
  /// - Parameter word: The word in lower case.
  func isWord(_ word: String) -> Bool {
    count == word.utf8.count && hasPrefix(ignoringCase: word)
  }
}
