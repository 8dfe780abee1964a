// SPDX-License-Identifier: MIT

/// Finds the extent of the tags that surround or interrupt an audio stream.
enum AudioTag {
  /// The kind of data that begins at an offset.
  enum Extent: Equatable {
    /// A tag of this many bytes.
    case bytes(Int64)
    /// A Lyrics3 tag, whose end must be searched for (`lyricsEnd`).
    case lyrics
    case none
    /// Call again with this many bytes from the offset on, or at the end of the input.
    case need(Int)
  }

  /// Bytes that show whether a tag begins: those of `LYRICSBEGIN`, the longest signature.
  static let signatureBytes = 11

  /// Whether a tag begins at offset `place`.
  static func isSignature(_ bytes: Span<UInt8>, at place: Int) -> Bool {
    switch bytes[place] {
    case UInt8(ascii: "I"): isID3v2(bytes, at: place)
    case UInt8(ascii: "T"): bytes.has("TAG", at: place)
    case UInt8(ascii: "A"): bytes.has("APETAGEX", at: place)
    case UInt8(ascii: "L"): bytes.has("LYRICSBEGIN", at: place)
    default: false
    }
  }

  /// Returns the extent of the tag at offset `place`.
  static func extent(_ bytes: Span<UInt8>, at place: Int, isEnd: Bool) -> Extent {
    if bytes.count - place < signatureBytes && !isEnd { return .need(signatureBytes) }
    guard bytes.count > place, isSignature(bytes, at: place) else { return .none }
    switch bytes[place] {
    case UInt8(ascii: "I"): return .bytes(id3v2Bytes(bytes, at: place))
    case UInt8(ascii: "T"):
      if bytes.has("TAG+", at: place), bytes.count - place < enhancedBytes + 3, !isEnd {
        return .need(enhancedBytes + 3)
      }
      return .bytes(Int64(isEnhanced(bytes, at: place) ? enhancedBytes : ID3v1Tag.byteCount))
    case UInt8(ascii: "A"):
      guard bytes.count - place >= 32 else { return isEnd ? .none : .need(32) }
      return .bytes(apeBytes(bytes, at: place))
    default: return .lyrics
    }
  }

  /// Whether an ID3v2 header is here: "ID3", two version bytes that are not FF, flags, four bytes below
  /// 80 (ID3v2.4 section 3.1).
  static func isID3v2(_ bytes: Span<UInt8>, at place: Int) -> Bool {
    guard bytes.has("ID3", at: place), bytes.count - place >= 10 else { return false }
    return bytes[place + 3] != 0xFF && bytes[place + 4] != 0xFF
      && bytes.bigEndian32(at: place + 6) & 0x8080_8080 == 0
  }

  /// Returns the bytes of header, frames and padding, and of the footer if flag 10 announces one.
  private static func id3v2Bytes(_ bytes: Span<UInt8>, at place: Int) -> Int64 {
    var size: Int64 = 0
    for index in 6..<10 { size = size << 7 | Int64(bytes[place + index]) }
    return 10 + size + (bytes[place + 5] & 0x10 != 0 ? 10 : 0)
  }

  /// Bytes of the enhanced part of ID3v1, which precedes the tag.
  private static let enhancedBytes = 227

  /// Whether the enhanced part begins here; otherwise "+" is the title's first character.
  static func isEnhanced(_ bytes: Span<UInt8>, at place: Int) -> Bool {
    bytes.has("TAG+", at: place) && bytes.has("TAG", at: place + enhancedBytes)
  }

  /// Returns the bytes of an APE tag by its header, or of a footer alone, whose items were already
  /// passed.
  private static func apeBytes(_ bytes: Span<UInt8>, at place: Int) -> Int64 {
    isAPEHeader(bytes, at: place) ? 32 + Int64(bytes.littleEndian32(at: place + 12)) : 32
  }

  /// Whether an APE tag's header, not its footer, is here.
  static func isAPEHeader(_ bytes: Span<UInt8>, at place: Int) -> Bool {
    bytes.has("APETAGEX", at: place) && bytes.count - place >= 32
      && bytes.littleEndian32(at: place + 20) & 0x2000_0000 != 0
  }

  /// The result of a search for the end of a Lyrics3 tag.
  enum LyricsEnd: Equatable {
    /// It ends after this many bytes.
    case after(Int)
    /// It continues for at least this many bytes.
    case notWithin(Int)
    /// Call again with this many bytes.
    case need(Int)
  }

  /// Searches for `LYRICS200` or `LYRICSEND`. The text may not contain FF, so audio ends it, too.
  static func lyricsEnd(_ bytes: Span<UInt8>, isEnd: Bool) -> LyricsEnd {
    for index in 0..<bytes.count {
      if bytes[index] == 0xFF { return .after(index) }
      guard bytes[index] == UInt8(ascii: "L") else { continue }
      if bytes.count - index < 9 && !isEnd { return index > 0 ? .notWithin(index) : .need(9) }
      if bytes.has("LYRICS200", at: index) || bytes.has("LYRICSEND", at: index) {
        return .after(index + 9)
      }
    }
    return .notWithin(bytes.count)
  }
}
