// SPDX-License-Identifier: MIT

/// A WAVE file, right or wrong in any field.
struct SyntheticWave {
  var tag = 1
  var channels = 2
  var rate = 48_000
  var bits = 16
  /// Bytes per sample; by default the least that holds the bits.
  var container: Int?
  /// The channel mask; makes the format chunk extensible.
  var mask: Int?
  var validBits: Int?
  var statedDataSize: Int?
  var statedRIFFSize: Int?
  var before: [(String, [UInt8])] = []
  var after: [(String, [UInt8])] = []

  init(
    tag: Int = 1, channels: Int = 2, rate: Int = 48_000, bits: Int = 16, container: Int? = nil,
    mask: Int? = nil, validBits: Int? = nil, statedDataSize: Int? = nil,
    statedRIFFSize: Int? = nil, before: [(String, [UInt8])] = [], after: [(String, [UInt8])] = []
  ) {
    self.tag = tag
    self.channels = channels
    self.rate = rate
    self.bits = bits
    self.container = container
    self.mask = mask
    self.validBits = validBits
    self.statedDataSize = statedDataSize
    self.statedRIFFSize = statedRIFFSize
    self.before = before
    self.after = after
  }

  var bytesPerFrame: Int { (container ?? (bits + 7) / 8) * channels }

  static func chunk(_ id: String, _ content: [UInt8], stated: Int? = nil) -> [UInt8] {
    let pad: [UInt8] = content.count % 2 == 1 ? [0] : []
    return [UInt8](id.utf8) + littleEndian(stated ?? content.count, 4) + content + pad
  }

  var format: [UInt8] {
    let tags = mask == nil ? tag : 0xFFFE
    let base =
      littleEndian(tags, 2) + littleEndian(channels, 2) + littleEndian(rate, 4)
      + littleEndian(rate * bytesPerFrame, 4) + littleEndian(bytesPerFrame, 2)
      + littleEndian(bits, 2)
    guard let mask else { return base }
    let guid: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    return base + littleEndian(22, 2) + littleEndian(validBits ?? bits, 2) + littleEndian(mask, 4)
      + littleEndian(tag, 2) + guid
  }

  static func samples(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
  }

  func bytes(frames: Int) -> [UInt8] { bytes(data: Self.samples(frames * bytesPerFrame)) }

  func bytes(data: [UInt8]) -> [UInt8] {
    let body =
      [UInt8]("WAVE".utf8) + Self.chunk("fmt ", format)
      + before.flatMap { Self.chunk($0.0, $0.1) }
      + Self.chunk("data", data, stated: statedDataSize)
      + after.flatMap { Self.chunk($0.0, $0.1) }
    return [UInt8]("RIFF".utf8) + littleEndian(statedRIFFSize ?? body.count, 4) + body
  }
}
