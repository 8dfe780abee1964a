// SPDX-License-Identifier: MIT

/// Reads an APE tag (versions 1 and 2) item by item.
///
/// ```
/// header or footer: APETAGEX 8, version 4, size 4 (items and footer), items 4, flags 4, zeros 8
/// item: size of the value 4, flags 4, key, a zero, value
/// ```
struct APEReader {
  /// Bytes of a header, and of a footer.
  static let headerBytes = 32
  /// The most bytes of a key and the zero after it.
  private static let maximumKeyBytes = 256
  /// The most bytes of the name before a picture.
  private static let maximumNameBytes = 4 << 10

  private enum State {
    case header
    case itemHeader
    case text(valueStart: Int, byteCount: Int, key: String)
    case picture(valueStart: Int, byteCount: Int64, kind: UInt8)
    case ended
  }

  private var bytes: TagBytes
  private var state: State
  private var wanted = 0
  private var footerBytes: Int64 = 0
  private var itemsLeft: UInt32

  /// Creates a reader of the tag whose header is at the start of `bytes`; nil if there is none.
  init?(_ bytes: Span<UInt8>) {
    guard bytes.count >= Self.headerBytes, bytes.has("APETAGEX", at: 0) else { return nil }
    let size = Int64(bytes.littleEndian32(at: 12))
    itemsLeft = bytes.littleEndian32(at: 16)
    footerBytes = min(size, 32)
    self.bytes = TagBytes(size - footerBytes)
    state = .header
  }

  /// Creates a reader of a tag's items, which begin at the start of `bytes`, without header and footer.
  init(itemBytes: Int64, count: UInt32) {
    bytes = TagBytes(itemBytes)
    itemsLeft = count
    state = .itemHeader
    enterItem()
  }

  /// Reads the tag's next bytes, which begin with its header or, without one, its items.
  mutating func step(
    _ shown: Span<UInt8>, isEnd: Bool, into tags: inout TagCollector
  ) -> TagStep {
    if case .header = state {
      enterItem()
      return .skip(Int64(Self.headerBytes))
    }
    var used: Int64 = 0
    while true {
      if case .ended = state {
        used += bytes.end() + footerBytes
        footerBytes = 0
        return used > 0 ? .skip(used) : .finished
      }
      let place = Int(min(used, Int64(shown.count)))
      switch bytes.take(shown.extracting(place..<shown.count), wanted: wanted) {
      case .needsMore(let byteCount):
        used += byteCount
        if used > 0 { return .skip(used) }
        return isEnd ? .finished : .need(1)
      case .holds(let byteCount):
        used += byteCount
        advance(&tags)
      }
    }
  }

  private mutating func enterItem() {
    state = itemsLeft > 0 ? .itemHeader : .ended
    wanted = 8 + Self.maximumKeyBytes
  }

  private mutating func advance(_ tags: inout TagCollector) {
    switch state {
    case .header, .ended: break
    case .itemHeader: readItemHeader(tags)
    case .text(let start, let byteCount, let key):
      // Several values have zeros between them.
      let values = bytes.held[start..<start + byteCount].split(separator: 0)
      let text = values.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ";")
      tags.add(Self.keys[key.lowercased()] ?? AudioTagKey(rawValue: key), text)
      leave(Int64(start) + Int64(byteCount))
    case .picture(let start, let byteCount, let kind):
      let end = min(bytes.held.count, start + Int(byteCount))
      let value = bytes.held[start..<end]
      if let nameEnd = value.prefix(Self.maximumNameBytes).firstIndex(of: 0) {
        let dataBytes = Int(byteCount) - (nameEnd + 1 - start)
        var picture = AudioFilePicture(
          kind: kind,
          mediaType: AudioFilePicture.mediaType(of: value[(nameEnd + 1)...])
            ?? Self.mediaType(value[start..<nameEnd]), byteCount: dataBytes)
        if dataBytes <= tags.pictureByteLimit, end - nameEnd - 1 == dataBytes {
          picture.bytes = Array(value[(nameEnd + 1)...])
        }
        tags.add(picture)
      }
      leave(Int64(start) + byteCount)
    }
  }

  /// Reads an item's header. An invalid key (not two to 255 printable characters) or a value that
  /// exceeds the tag ends the reading.
  private mutating func readItemHeader(_ tags: TagCollector) {
    itemsLeft -= 1
    let held = bytes.held
    guard held.count > 8, let keyEnd = held[8...].prefix(Self.maximumKeyBytes).firstIndex(of: 0),
      keyEnd >= 10, held[8..<keyEnd].allSatisfy({ (0x20...0x7E).contains($0) })
    else { return state = .ended }
    let byteCount = Int64(held.span.littleEndian32(at: 0))
    let start = keyEnd + 1
    guard byteCount <= bytes.remaining - Int64(start) else { return state = .ended }
    let key = String(decoding: held[8..<keyEnd], as: UTF8.self)
    switch held.span.littleEndian32(at: 4) >> 1 & 3 {
    case 0 where byteCount <= Int64(TagCollector.maximumTextBytes):
      state = .text(valueStart: start, byteCount: Int(byteCount), key: key)
      wanted = start + Int(byteCount)
    case 1 where key.lowercased().hasPrefix("cover art"):
      let kind: UInt8 = key.lowercased().contains("back") ? 4 : 3
      state = .picture(valueStart: start, byteCount: byteCount, kind: kind)
      let isKept = byteCount <= Int64(min(tags.pictureByteLimit, 1 << 30) + Self.maximumNameBytes)
      wanted = start + (isKept ? Int(byteCount) : Self.maximumNameBytes)
    default: leave(Int64(start) + byteCount)
    }
  }

  private mutating func leave(_ byteCount: Int64) {
    bytes.pass(byteCount)
    enterItem()
  }

  /// Returns the media type by the picture's file name.
  private static func mediaType(_ name: ArraySlice<UInt8>) -> String {
    let name = String(decoding: name, as: UTF8.self).lowercased()
    if name.hasSuffix(".jpg") || name.hasSuffix(".jpeg") { return "image/jpeg" }
    for kind in ["png", "gif", "bmp", "webp"] where name.hasSuffix("." + kind) {
      return "image/" + kind
    }
    return ""
  }

  /// The keys defined by the format, in lower case since case is insignificant.
  private static let keys: [String: AudioTagKey] = [
    "title": .title, "artist": .artist, "album": .album, "album artist": .albumArtist,
    "albumartist": .albumArtist, "track": .track, "disc": .disc, "year": .date, "genre": .genre,
    "composer": .composer, "comment": .comment, "copyright": .copyright, "isrc": .isrc,
    "language": .language, "lyrics": .lyrics, "publisher": AudioTagKey(rawValue: "publisher"),
    "encodedby": .encodedBy, "encoder": .encoder, "bpm": .tempo,
  ]
}
