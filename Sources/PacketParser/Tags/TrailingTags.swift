// SPDX-License-Identifier: MIT

/// Measures and reads the tags at the end of a file, from its last bytes.
enum TrailingTags {
  /// Returns the bytes of all ID3v1, APE and Lyrics3 tags, and of ID3v2 tags with a footer, at the end
  /// of `tail`. If a tag is larger than `tail`, tags before it are not found.
  static func byteCount(tail: Span<UInt8>) -> Int64 {
    tags(tail).reduce(0) { $0 + $1.byteCount }
  }

  /// Reads the tags at the end of `tail`, the richest kind first because the first statement stays.
  ///
  /// - Returns: the number of last bytes that need not be read again.
  static func read(_ tail: Span<UInt8>, into collected: inout TagCollector) -> Int64 {
    var whole: [Tag] = []
    for tag in tags(tail) {
      if tag.byteCount > Int64(tag.end) { break }
      whole.append(tag)
    }
    for kind in [Kind.id3v2, .ape, .id3v1] {
      for tag in whole.reversed() where tag.kind == kind { read(tag, in: tail, into: &collected) }
    }
    return whole.reduce(0) { $0 + $1.byteCount }
  }

  private enum Kind {
    case id3v2, ape, id3v1, lyrics
  }

  private struct Tag {
    var kind: Kind
    var byteCount: Int64
    /// Bytes of the tail before the tag's end.
    var end: Int
  }

  /// Returns all tags, the last one first.
  private static func tags(_ tail: Span<UInt8>) -> [Tag] {
    var tags: [Tag] = []
    var end = tail.count
    while let tag = tag(tail, end: end) {
      tags.append(tag)
      if tag.byteCount >= Int64(end) { break }
      end -= Int(tag.byteCount)
    }
    return tags
  }

  /// Returns the tag that ends at `end`. APE is checked first: its header may contain "TAG" at ID3v1's
  /// offset.
  private static func tag(_ tail: Span<UInt8>, end: Int) -> Tag? {
    if tail.has("APETAGEX", at: end - 32) {
      return Tag(kind: .ape, byteCount: apeBytes(tail, end: end), end: end)
    }
    if tail.has("TAG", at: end - 128) {
      let isEnhanced = tail.has("TAG+", at: end - 355)
      return Tag(kind: .id3v1, byteCount: isEnhanced ? 355 : 128, end: end)
    }
    if end >= 15, tail.has("LYRICS200", at: end - 9) {
      var size: Int64 = 0
      for index in end - 15..<end - 9 {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(tail[index]) else { return nil }
        size = size * 10 + Int64(tail[index] - UInt8(ascii: "0"))
      }
      return Tag(kind: .lyrics, byteCount: size + 15, end: end)
    }
    if tail.has("3DI", at: end - 10) {
      let size = Int64(synchsafe: tail.bigEndian32(at: end - 4))
      return Tag(kind: .id3v2, byteCount: size + 20, end: end)
    }
    return nil
  }

  /// Returns the bytes of an APE tag by its footer, which does not count the header. The bytes at the
  /// header's offset are more reliable than the footer's flag.
  private static func apeBytes(_ tail: Span<UInt8>, end: Int) -> Int64 {
    let size = max(32, Int64(tail.littleEndian32(at: end - 20)))
    let headerPlace = Int64(end) - size - 32
    let hasHeader =
      headerPlace >= 0
      ? tail.has("APETAGEX", at: Int(headerPlace))
      : tail.littleEndian32(at: end - 12) & 0x8000_0000 != 0
    return size + (hasHeader ? 32 : 0)
  }

  /// Reads a tag that lies within the tail.
  private static func read(_ tag: Tag, in tail: Span<UInt8>, into collected: inout TagCollector) {
    let start = tag.end - Int(tag.byteCount)
    switch tag.kind {
    case .lyrics: break
    case .id3v1: ID3v1Tag.read(tail, at: tag.end - ID3v1Tag.byteCount, into: &collected)
    case .id3v2:
      let bytes = tail.extracting(start..<tag.end)
      guard var reader = ID3v2Reader(bytes) else { return }
      finish(bytes) { reader.step($0, isEnd: true, into: &collected) }
    case .ape:
      let size = Int(max(32, Int64(tail.littleEndian32(at: tag.end - 20))))
      let count = tail.littleEndian32(at: tag.end - 16)
      var reader = APEReader(itemBytes: Int64(size - 32), count: count)
      finish(tail.extracting(tag.end - size..<tag.end - 32)) {
        reader.step($0, isEnd: true, into: &collected)
      }
    }
  }

  /// Runs a reader through bytes that are all present.
  private static func finish(_ bytes: Span<UInt8>, _ step: (Span<UInt8>) -> TagStep) {
    var place = 0
    while true {
      switch step(bytes.extracting(place..<bytes.count)) {
      case .skip(let byteCount): place = Int(min(Int64(bytes.count), Int64(place) + byteCount))
      case .need, .finished: return
      }
    }
  }
}
