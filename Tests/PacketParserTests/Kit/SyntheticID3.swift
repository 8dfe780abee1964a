// SPDX-License-Identifier: MIT

/// Builds ID3v2 tags of any version, right or wrong, and the older tags.
struct SyntheticID3 {
  var version = 3
  /// Whether the whole tag, or in version 2.4 every frame, is unsynchronised.
  var isUnsynchronised = false
  /// Whether frame sizes in version 2.4 are plain integers, which is iTunes' mistake.
  var hasPlainSizes = false
  var hasFooter = false
  var extendedHeader: [UInt8]?
  var padding = 0

  static func synchsafe(_ value: Int) -> [UInt8] {
    (0..<4).map { (index: Int) -> UInt8 in
      let shift: Int = 7 * (3 - index)
      return UInt8((value >> shift) & 0x7F)
    }
  }

  /// A zero behind every FF that a sync pattern or a zero follows, as ID3v2.4 section 6.1 asks.
  static func unsynchronised(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      result.append(byte)
      let next = index + 1 < bytes.count ? bytes[index + 1] : 0
      if byte == 0xFF, next >= 0xE0 || next == 0 { result.append(0) }
    }
    return result
  }

  /// - Parameters:
  ///   - flags: the frame's second flag byte.
  ///   - prefix: the fields that the flags announce before the content.
  func frame(
    _ id: String, _ content: [UInt8], flags: UInt8 = 0, prefix: [UInt8] = []
  ) -> [UInt8] {
    var body = prefix + content
    var flags = flags
    if version == 4, isUnsynchronised {
      body = Self.unsynchronised(body)
      flags |= 2
    }
    switch version {
    case 2: return [UInt8](id.utf8) + bigEndian(body.count, 3) + body
    case 4 where !hasPlainSizes:
      return [UInt8](id.utf8) + Self.synchsafe(body.count) + [0, flags] + body
    default: return [UInt8](id.utf8) + bigEndian(body.count, 4) + [0, flags] + body
    }
  }

  func text(_ id: String, _ text: String) -> [UInt8] {
    frame(id, [version == 4 ? 3 : 0] + text.utf8)
  }

  func tag(_ frames: [UInt8]...) -> [UInt8] {
    var content = (extendedHeader ?? []) + frames.flatMap { $0 }
    content += [UInt8](repeating: 0, count: padding)
    if isUnsynchronised, version < 4 { content = Self.unsynchronised(content) }
    var flags: UInt8 = isUnsynchronised ? 0x80 : 0
    if extendedHeader != nil { flags |= 0x40 }
    if hasFooter { flags |= 0x10 }
    let rest = [UInt8(version), 0, flags] + Self.synchsafe(content.count)
    return [UInt8]("ID3".utf8) + rest + content + (hasFooter ? [UInt8]("3DI".utf8) + rest : [])
  }

  static func version1(
    title: String, artist: String = "", album: String = "", year: String = "",
    comment: String = "", track: UInt8? = nil, genre: UInt8 = 255, fill: UInt8 = 0
  ) -> [UInt8] {
    func field(_ text: String, _ count: Int) -> [UInt8] {
      let bytes = text.unicodeScalars.map { UInt8($0.value) }
      return bytes + [UInt8](repeating: fill, count: count - bytes.count)
    }
    let texts = field(title, 30) + field(artist, 30) + field(album, 30) + field(year, 4)
    let rest = track.map { field(comment, 28) + [0, $0] } ?? field(comment, 30)
    return [UInt8]("TAG".utf8) + texts + rest + [genre]
  }

  /// An APE tag; items are text unless their flags mark another type.
  static func ape(
    _ items: [(key: String, value: [UInt8], flags: Int)], version: Int = 2000,
    hasHeader: Bool = true
  ) -> [UInt8] {
    let content =
      items.flatMap { item in
        let head = littleEndian(item.value.count, 4) + littleEndian(item.flags, 4)
        return head + [UInt8](item.key.utf8) + [0] + item.value
      } as [UInt8]
    func block(_ flags: Int) -> [UInt8] {
      let numbers = [version, content.count + 32, items.count, flags, 0, 0]
      return [UInt8]("APETAGEX".utf8) + numbers.flatMap { littleEndian($0, 4) }
    }
    return hasHeader
      ? block(0xA000_0000) + content + block(0x8000_0000) : content + block(0)
  }

  static func ape(_ texts: KeyValuePairs<String, String>) -> [UInt8] {
    ape(texts.map { (key: $0.key, value: [UInt8]($0.value.utf8), flags: 0) })
  }
}
