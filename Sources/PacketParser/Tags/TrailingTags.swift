// SPDX-License-Identifier: MIT

/// Measures the tags at the end of a file, from its last bytes.
enum TrailingTags {
  /// Bytes of all ID3v1, APE and Lyrics3v2 tags, and of ID3v2 tags with a footer, that end where
  /// `tail` does. A tag may be larger than `tail`, but what precedes it is then not seen.
  static func byteCount(tail: Span<UInt8>) -> Int64 {
    var total: Int64 = 0
    while total <= tail.count {
      let tag = tagBytes(tail, end: tail.count - Int(total))
      if tag == 0 { break }
      total += tag
    }
    return total
  }

  /// Bytes of the one tag that ends at `end`; 0 if none does.
  private static func tagBytes(_ tail: Span<UInt8>, end: Int) -> Int64 {
    if tail.has("TAG", at: end - 128) {
      return tail.has("TAG+", at: end - 355) ? 355 : 128
    }
    if tail.has("APETAGEX", at: end - 32) {
      let size = Int64(tail.littleEndian32(at: end - 20))
      let hasHeader = tail.littleEndian32(at: end - 12) & 0x8000_0000 != 0
      return max(32, size) + (hasHeader ? 32 : 0)
    }
    if tail.has("LYRICS200", at: end - 9), end >= 15 {
      var size: Int64 = 0
      for index in end - 15..<end - 9 {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(tail[index]) else { return 0 }
        size = size * 10 + Int64(tail[index] - UInt8(ascii: "0"))
      }
      return size + 15
    }
    if tail.has("3DI", at: end - 10) {
      var size: Int64 = 0
      for index in end - 4..<end { size = size << 7 | Int64(tail[index] & 0x7F) }
      return size + 20
    }
    return 0
  }
}
