// SPDX-License-Identifier: MIT

/// A tag in a chunk. It is read only to the chunk's end, whatever size the tag itself states.
struct ChunkTag {
  /// The kind of content.
  enum Kind {
    case id3v2
    case infoList
    /// One text.
    case text(AudioTagKey)
  }

  private enum Reader {
    case id3v2Header
    case id3v2(ID3v2Reader)
    case infoList(InfoListReader)
    case text(AudioTagKey)
  }

  private var reader: Reader
  /// Bytes of the chunk's content still to come.
  private var left: Int64

  init(_ kind: Kind, byteCount: Int64) {
    left = byteCount
    reader =
      switch kind {
      case .id3v2: .id3v2Header
      case .infoList: .infoList(InfoListReader())
      case .text(let key): .text(key)
      }
  }

  /// Reads the chunk's next bytes; `isEnd` if no more follow.
  mutating func step(
    _ bytes: Span<UInt8>, isEnd: Bool, into tags: inout TagCollector
  ) -> TagStep {
    let shown = bytes.extracting(0..<Int(min(Int64(bytes.count), left)))
    var answer = stepReader(shown, isEnd: false, into: &tags)
    if case .need(let byteCount) = answer {
      if !isEnd, Int64(shown.count) < left { return .need(Int(min(Int64(byteCount), left))) }
      // The chunk has no more bytes.
      answer = stepReader(shown, isEnd: true, into: &tags)
    }
    guard case .skip(let byteCount) = answer else { return .finished }
    let passed = min(byteCount, left)
    left -= passed
    return .skip(passed)
  }

  /// Reads a chunk's content that is present as a whole.
  mutating func read(_ content: Span<UInt8>, into tags: inout TagCollector) {
    var place = 0
    while case .skip(let byteCount) = step(
      content.extracting(place..<content.count), isEnd: true, into: &tags),
      byteCount <= Int64(content.count - place)
    {
      place += Int(byteCount)
    }
  }

  private mutating func stepReader(
    _ bytes: Span<UInt8>, isEnd: Bool, into tags: inout TagCollector
  ) -> TagStep {
    switch reader {
    case .id3v2Header:
      if bytes.count < ID3v2Reader.headerBytes, !isEnd { return .need(ID3v2Reader.headerBytes) }
      guard let found = ID3v2Reader(bytes) else { return .finished }
      reader = .id3v2(found)
      return .skip(0)
    case .id3v2(var found):
      defer { reader = .id3v2(found) }
      return found.step(bytes, isEnd: isEnd, into: &tags)
    case .infoList(var list):
      defer { reader = .infoList(list) }
      return list.step(bytes, isEnd: isEnd, into: &tags)
    case .text(let key):
      guard left <= TagCollector.maximumTextBytes else { return .finished }
      if bytes.count < left, !isEnd { return .need(Int(left)) }
      tags.add(key, ChunkText.string(bytes))
      return .finished
    }
  }
}
