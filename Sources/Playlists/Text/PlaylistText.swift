// SPDX-License-Identifier: MIT

import AudioModel

/// Decodes a list's bytes to UTF-8 without a byte-order mark.
enum PlaylistText {
  /// Returns the text of a list without a stated encoding: UTF-8 if all of it is valid, else
  /// Windows-1252.
  ///
  /// - Parameter requiresUTF8: whether invalid UTF-8 is an error.
  static func decode(_ bytes: Span<UInt8>, requiresUTF8: Bool) throws(PlaylistError) -> [UInt8] {
    let start = try lengthOfMark(bytes)
    guard let place = firstInvalid(bytes) else { return array(bytes, from: start) }
    if requiresUTF8 || start > 0 { throw invalid(bytes, at: place) }
    return windows1252(bytes)
  }

  /// Returns the text of an XML document in its declared encoding (XML 1.0, section 4.3.3).
  static func decode(xml bytes: Span<UInt8>) throws(PlaylistError) -> [UInt8] {
    let start = try lengthOfMark(bytes)
    switch declaredEncoding(bytes, from: start)?.lowercased() {
    case nil, "utf-8", "utf8", "us-ascii", "ascii":
      if let place = firstInvalid(bytes) { throw invalid(bytes, at: place) }
      return array(bytes, from: start)
    case "iso-8859-1", "iso_8859-1", "latin1", "latin-1", "windows-1252", "cp1252":
      return start > 0 ? array(bytes, from: start) : windows1252(bytes)
    case let name?:
      throw PlaylistError(.unsupportedEncoding(name.uppercased()), line: 1)
    }
  }

  /// Returns the bytes of UTF-8's mark; throws for UTF-16's.
  private static func lengthOfMark(_ bytes: Span<UInt8>) throws(PlaylistError) -> Int {
    if bytes.count >= 2, bytes[0] ^ bytes[1] == 1, bytes[0] >= 0xFE {
      throw PlaylistError(.unsupportedEncoding("UTF-16"), line: 1)
    }
    return hasMark(bytes) ? 3 : 0
  }

  static func hasMark(_ bytes: Span<UInt8>) -> Bool {
    bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
  }

  private static func firstInvalid(_ bytes: Span<UInt8>) -> Int? {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes)
      return nil
    } catch {
      return error.byteOffsets.lowerBound
    }
  }

  private static func invalid(_ bytes: Span<UInt8>, at place: Int) -> PlaylistError {
    var lines = LineReader(array(bytes.extracting(first: place), from: 0) + [0])
    while lines.next() != nil {}
    return PlaylistError(.invalidUTF8(byteOffset: place), line: lines.number)
  }

  private static func array(_ bytes: Span<UInt8>, from start: Int) -> [UInt8] {
    (start..<bytes.count).map { bytes[$0] }
  }

  /// Returns the encoding in `<?xml version="1.0" encoding="…"?>`, if there is one.
  private static func declaredEncoding(_ bytes: Span<UInt8>, from start: Int) -> String? {
    // Real declarations are shorter than this.
    let end = min(bytes.count, start + 256)
    let head = (start..<end).map { bytes[$0] }
    guard head.starts(with: "<?xml".utf8), let close = head.firstIndex(of: UInt8(ascii: ">")) else {
      return nil
    }
    var rest = Substring(String(decoding: head[..<close], as: UTF8.self))
    guard let name = rest.utf8.firstRange(of: "encoding".utf8) else { return nil }
    rest = rest[name.upperBound...].drop { $0 == " " || $0 == "\t" || $0.isNewline }
    guard rest.first == "=" else { return nil }
    rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" || $0.isNewline }
    guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
    return String(rest.dropFirst().prefix { $0 != quote })
  }

  /// Decodes Windows-1252: Latin-1 with Windows' characters in place of most C1 controls (the Encoding
  /// Standard uses it for both names).
  private static func windows1252(_ bytes: Span<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + bytes.count / 8)
    for index in 0..<bytes.count {
      let byte = bytes[index]
      guard byte >= 0x80 else {
        text.append(byte)
        continue
      }
      let scalar = byte < 0xA0 ? windowsCharacters[Int(byte - 0x80)] : Unicode.Scalar(byte)
      text.append(contentsOf: UTF8.encode(scalar)!)
    }
    return text
  }

  private static let windowsCharacters: [Unicode.Scalar] = [
    "\u{20AC}", "\u{81}", "\u{201A}", "\u{192}", "\u{201E}", "\u{2026}", "\u{2020}", "\u{2021}",
    "\u{2C6}", "\u{2030}", "\u{160}", "\u{2039}", "\u{152}", "\u{8D}", "\u{17D}", "\u{8F}",
    "\u{90}", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{2022}", "\u{2013}", "\u{2014}",
    "\u{2DC}", "\u{2122}", "\u{161}", "\u{203A}", "\u{153}", "\u{9D}", "\u{17E}", "\u{178}",
  ]
}
