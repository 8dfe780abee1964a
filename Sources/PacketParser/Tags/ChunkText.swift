// SPDX-License-Identifier: MIT

/// Text in the chunks of WAVE, AIFF and NeXT/Sun sound, whose standards define only ASCII.
enum ChunkText {
  /// Returns the text up to the first NUL: as UTF-8 if it is valid, else byte by byte as Latin 1.
  static func string(_ bytes: Span<UInt8>) -> String {
    var text: [UInt8] = []
    for index in 0..<bytes.count {
      if bytes[index] == 0 { break }
      text.append(bytes[index])
    }
    if let valid = String(validating: text, as: UTF8.self) { return valid }
    return String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) }))
  }

  /// Returns the four characters at `offset`, if all of them are printable.
  static func identifier(_ bytes: Span<UInt8>, at offset: Int) -> String? {
    var text = ""
    for index in offset..<offset + 4 {
      guard (0x20...0x7E).contains(bytes[index]) else { return nil }
      text.unicodeScalars.append(Unicode.Scalar(bytes[index]))
    }
    return text
  }
}
