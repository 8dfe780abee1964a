// SPDX-License-Identifier: MIT

/// A Core Audio Format file, right or wrong in any field.
struct SyntheticCAF {
  var rate = 44_100.0
  var formatID = "lpcm"
  /// 1 is float, 2 is little-endian.
  var flags = 2
  var bytesPerPacket = 4
  var framesPerPacket = 1
  var channels = 2
  var bits = 16
  var version = 1

  /// A description of packets that differ in size, of an unknown encoding.
  static func variable(framesPerPacket: Int = 1024, bytesPerPacket: Int = 0) -> SyntheticCAF {
    SyntheticCAF(
      formatID: "what", flags: 0, bytesPerPacket: bytesPerPacket,
      framesPerPacket: framesPerPacket, bits: 0)
  }

  static func chunk(_ id: String, _ content: [UInt8], stated: Int? = nil) -> [UInt8] {
    [UInt8](id.utf8) + bigEndian(stated ?? content.count, 8) + content
  }

  static func data(_ content: [UInt8], edits: Int = 0, stated: Int? = nil) -> [UInt8] {
    chunk("data", bigEndian(edits, 4) + content, stated: stated)
  }

  static func number(_ value: Int) -> [UInt8] {
    var bytes = [UInt8(value & 0x7F)]
    var left = value >> 7
    while left > 0 {
      bytes.insert(UInt8(left & 0x7F) | 0x80, at: 0)
      left >>= 7
    }
    return bytes
  }

  static func table(
    _ numbers: [Int], packets: Int? = nil, valid: Int = 0, priming: Int = 0, remainder: Int = 0,
    padding: Int = 0
  ) -> [UInt8] {
    chunk(
      "pakt",
      bigEndian(packets ?? numbers.count, 8) + bigEndian(valid, 8) + bigEndian(priming, 4)
        + bigEndian(remainder, 4) + numbers.flatMap(number)
        + [UInt8](repeating: 0, count: padding))
  }

  static func information(_ texts: [(String, String)], stated: Int? = nil) -> [UInt8] {
    var content = bigEndian(stated ?? texts.count, 4)
    for text in texts.flatMap({ [$0.0, $0.1] }) {
      content += text.utf8
      content.append(0)
    }
    return chunk("info", content)
  }

  var description: [UInt8] {
    bigEndian(Int(bitPattern: UInt(rate.bitPattern)), 8) + [UInt8](formatID.utf8)
      + [flags, bytesPerPacket, framesPerPacket, channels, bits].flatMap { bigEndian($0, 4) }
  }

  /// The file header, the description, and these chunks.
  func bytes(_ chunks: [UInt8]...) -> [UInt8] {
    [UInt8]("caff".utf8) + bigEndian(version, 2) + bigEndian(0, 2)
      + Self.chunk("desc", description) + chunks.flatMap { $0 }
  }
}
