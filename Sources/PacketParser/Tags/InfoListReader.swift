// SPDX-License-Identifier: MIT

/// Reads the content of a `LIST` chunk of the type `INFO` (RIFF's specification of 1991, "INFO List
/// Chunk"): an ID, a size and a text for each statement.
struct InfoListReader {
  private var hasType = false

  /// Reads the list's next bytes.
  mutating func step(
    _ bytes: Span<UInt8>, isEnd: Bool, into tags: inout TagCollector
  ) -> TagStep {
    guard hasType else {
      if bytes.count < 4 { return isEnd ? .finished : .need(4) }
      hasType = true
      return bytes.has("INFO", at: 0) ? .skip(4) : .finished
    }
    if bytes.count < 8 { return isEnd ? .finished : .need(8) }
    let size = Int(bytes.littleEndian32(at: 4))
    let whole = Int64(8 + size + size % 2)
    guard size <= TagCollector.maximumTextBytes, let id = ChunkText.identifier(bytes, at: 0) else {
      return .skip(whole)
    }
    if bytes.count < 8 + size { return isEnd ? .finished : .need(8 + size) }
    tags.add(Self.key(id), ChunkText.string(bytes.extracting(8..<8 + size)))
    return .skip(whole)
  }

  /// Returns the name of an ID in ffmpeg's tools, or the ID itself if it has none.
  private static func key(_ id: String) -> AudioTagKey {
    switch id {
    case "IART": .artist
    case "ICMT": .comment
    case "ICOP": .copyright
    case "ICRD": .date
    case "IGNR": .genre
    case "ILNG": .language
    case "INAM": .title
    case "IPRD": .album
    case "IPRT", "ITRK": .track
    case "ISFT": .encoder
    case "ITCH": .encodedBy
    case "ISMP": AudioTagKey(rawValue: "timecode")
    default: AudioTagKey(rawValue: id)
    }
  }
}
