// SPDX-License-Identifier: MIT

import AudioModel

/// Reads a file's tags: iTunes' item list (`ilst`), with or without QuickTime's `keys`, and the texts
/// of QuickTime's user data.
struct ItemListReader {
  /// The most bytes of a key's name.
  static let maximumNameBytes = 256
  private static let maximumKeys = TagCollector.maximumEntries

  /// The names of items whose type is a number.
  private var keys: [String] = []
  private var item: FourCharacterCode = "\0\0\0\0"
  /// The two parts of a free-form item's name.
  private var mean: String?
  private var name: String?
  /// The key that the item's first value was stored under.
  private var joinedKey: AudioTagKey?

  mutating func beginKeys() { keys = [] }

  /// Adds a key. Its kind, `mdta`, is the box's type.
  mutating func addKey(_ content: Span<UInt8>) {
    if keys.count < Self.maximumKeys { keys.append(ItemValue.text(content)) }
  }

  mutating func begin(_ item: FourCharacterCode) {
    self.item = item
    mean = nil
    name = nil
    joinedKey = nil
  }

  mutating func end() {
    begin("\0\0\0\0")
  }

  /// Reads a part of a free-form item's name.
  mutating func read(_ box: FourCharacterCode, _ content: Span<UInt8>) {
    guard content.count > 4 else { return }
    let text = ItemValue.text(content.extracting(4..<content.count))
    if box == "mean" { mean = text } else { name = text }
  }

  /// Returns the bytes of an item's data to hold: a whole text, or a wanted picture.
  func wantedBytes(of header: BoxHeader, _ tags: TagCollector) -> Int {
    let limit = isPicture ? tags.pictureByteLimit : TagCollector.maximumTextBytes
    let content = header.contentBytes
    if content - 8 <= Int64(limit) { return Int(content) }
    return 8 + (isPicture ? Int(min(content - 8, Int64(AudioFilePicture.signatureBytes))) : 0)
  }

  /// Reads an item's data: kind (32), language (32), then the value. An item may have several values.
  mutating func readData(_ header: BoxHeader, _ content: Span<UInt8>, _ tags: inout TagCollector) {
    guard content.count >= 8 else { return }
    let kind = content.bigEndian32(at: 0) & 0xFF_FFFF
    let value = content.extracting(8..<content.count)
    let byteCount = header.contentBytes - 8
    if isPicture {
      let stated = [12: "image/gif", 13: "image/jpeg", 14: "image/png", 27: "image/bmp"][kind]
      let isKept = Int64(value.count) == byteCount && value.count <= tags.pictureByteLimit
      return tags.add(
        AudioFilePicture(
          kind: 3, mediaType: AudioFilePicture.mediaType(of: value.bytes) ?? stated ?? "",
          byteCount: Int(clamping: byteCount), bytes: isKept ? value.bytes : []))
    }
    guard Int64(value.count) == byteCount, let key,
      let text = ItemValue(item: item, kind: kind).text(value)
    else { return }
    if joinedKey == key, !text.isEmpty { return tags.join(key, text) }
    if tags.info[key] == nil { joinedKey = key }
    tags.add(key, text)
  }

  private var isPicture: Bool { item == "covr" || key?.rawValue == "com.apple.quicktime.artwork" }

  private var key: AudioTagKey? {
    if item == "----" {
      guard mean != nil, let name, !name.isEmpty, name != "cdec" else { return nil }
      return AudioTagKey(rawValue: name)
    }
    if let key = Self.key(of: item) { return key }
    let number = Int(item.rawValue)
    guard keys.indices.contains(number - 1), !keys[number - 1].isEmpty else { return nil }
    return AudioTagKey(rawValue: keys[number - 1])
  }

  /// Whether a box of user data is a text.
  static func isText(_ box: FourCharacterCode) -> Bool {
    box.rawValue >> 24 == 0xA9 && key(of: box) != nil
  }

  /// Reads QuickTime's texts: bytes (16), language (16), the text; the same may follow in other
  /// languages.
  func readText(
    _ box: FourCharacterCode, _ content: Span<UInt8>, _ tags: inout TagCollector
  ) {
    guard content.count >= 4, let key = Self.key(of: box) else { return }
    let count = Int(content.bigEndian16(at: 0))
    let language = content.bigEndian16(at: 2)
    // Some programs omit size and language.
    guard count <= content.count - 4 else { return tags.add(key, ItemValue.text(content)) }
    let text = content.extracting(4..<4 + count)
    // Language codes below 0400 are Macintosh ones, and the text is Macintosh-encoded.
    let isMacintosh = language < 0x400 || language == 0x7FFF
    tags.add(key, isMacintosh ? MacintoshRoman.text(text) : ItemValue.text(text))
  }

  /// Returns an item's key, by the name that Linux tools print.
  static func key(of item: FourCharacterCode) -> AudioTagKey? {
    let rest = item.rawValue & 0xFF_FFFF
    if item.rawValue >> 24 == 0xA9 {
      let name = FourCharacterCode(rawValue: rest | 0x2000_0000).description.dropFirst()
      return signNames[String(name)].map { AudioTagKey(rawValue: $0) }
    }
    return names[item.description].map { AudioTagKey(rawValue: $0) }
  }

  private static let signNames = [
    "ART": "artist", "aut": "artist", "alb": "album", "nam": "title", "day": "date",
    "gen": "genre", "wrt": "composer", "com": "composer", "cmt": "comment", "inf": "comment",
    "too": "encoder", "enc": "encoder", "swr": "encoder", "cpy": "copyright", "lyr": "lyrics",
    "grp": "grouping", "trk": "track", "PRD": "producer", "prd": "producer", "chp": "chapter",
    "dir": "director", "dis": "disclaimer", "ed1": "edit_date", "fmt": "original_format",
    "hst": "host_computer", "mak": "make", "mod": "model", "ope": "original_artist",
    "prf": "performers", "req": "playback_requirements", "src": "original_source",
    "st3": "subtitle", "url": "URL", "wrn": "warning", "xyz": "location",
  ]

  private static let names = [
    "aART": "album_artist", "cprt": "copyright", "desc": "description", "ldes": "synopsis",
    "disk": "disc", "trkn": "track", "gnre": "genre", "tmpo": "TBPM", "cpil": "compilation",
    "pgap": "gapless_playback", "pcst": "podcast", "hdvd": "hd_video", "rtng": "rating",
    "stik": "media_type", "catg": "category", "keyw": "keywords", "purd": "purchase_date",
    "apID": "account_id", "akID": "account_type", "egid": "episode_uid",
    "soaa": "sort_album_artist",
    "soal": "sort_album", "soar": "sort_artist", "soco": "sort_composer", "sonm": "sort_name",
    "sosn": "sort_show", "tven": "episode_id", "tves": "episode_sort", "tvnn": "network",
    "tvsh": "show", "tvsn": "season_number", "manu": "make", "modl": "model",
  ]
}
