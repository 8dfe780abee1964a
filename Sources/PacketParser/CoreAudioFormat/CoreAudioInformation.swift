// SPDX-License-Identifier: MIT

/// The information chunk: a count, then keys and values, each ended by a zero byte.
enum CoreAudioInformation {
  /// Bytes that are examined: the limit of all tags, with room for their keys.
  static let maximumBytes = 2 * TagCollector.maximumTotalBytes

  /// Adds the chunk's entries. A text cut by the chunk's end is left out.
  static func read(_ chunk: Span<UInt8>, into tags: inout TagCollector) {
    guard chunk.count >= 4 else { return }
    var left = chunk.bigEndian32(at: 0)
    var place = 4
    while left > 0, let key = text(chunk, &place), let value = text(chunk, &place) {
      if !key.isEmpty { tags.add(self.key(key), value) }
      left -= 1
    }
  }

  private static func text(_ chunk: Span<UInt8>, _ place: inout Int) -> String? {
    var bytes: [UInt8] = []
    while place < chunk.count {
      let byte = chunk[place]
      place += 1
      if byte == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  /// The key of a name. The specification's names are those of Core Audio's info dictionary; other
  /// programs write ffmpeg's names, which equal the keys.
  private static func key(_ name: String) -> AudioTagKey {
    let name = name.lowercased()
    return switch name {
    case "track number": .track
    case "year": .date
    case "comments": .comment
    case "encoding application", "software": .encoder
    case "tempo", "tbpm": .tempo
    case "isrc": .isrc
    default: AudioTagKey(rawValue: name)
    }
  }
}
