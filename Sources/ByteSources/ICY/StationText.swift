// SPDX-License-Identifier: MIT

import AudioModel

/// Text from a station, whose encoding is unknown.
enum StationText {
  /// Returns the text on one line. Valid UTF-8 is decoded as such: text in another encoding with a letter
  /// outside ASCII is hardly ever valid. All else is read as Latin-1 in its usual form, Windows-1252.
  static func decode(_ bytes: some Collection<UInt8>) -> String {
    let text =
      String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map(latinScalar)))
    return text.onOneLine
  }

  /// Windows-1252 (WHATWG Encoding, index windows-1252): ISO 8859-1 with characters in place of the
  /// second row of control codes.
  private static func latinScalar(_ byte: UInt8) -> Unicode.Scalar {
    guard (0x80...0x9F).contains(byte) else { return Unicode.Scalar(byte) }
    return Array(
      """
      €\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\
      \u{90}‘’“”•–—˜™š›œ\u{9D}žŸ
      """.unicodeScalars)[Int(byte - 0x80)]
  }
}
