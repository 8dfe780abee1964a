// SPDX-License-Identifier: MIT

/// The program config element, which lists the channels if the channel configuration is 0 (ISO/IEC
/// 14496-3 section 4.4.1.1).
struct AACProgramConfig {
  /// Channels of all elements, those for low frequencies included.
  private(set) var channelCount = 0
  /// The element in the form of an AudioSpecificConfig: aligned to its own first byte, without the
  /// comment. In a raw data block its bits are aligned to the block.
  var bytes: [UInt8] { written.bytes + [0] }
  private var written = BitWriter()

  /// Reads the element at the start of a raw data block; nil if the block begins with another one.
  init?(block: Span<UInt8>) {
    // The longest element has fewer than 64 bytes without its comment.
    var bits = BitReader(block.extracting(0..<min(64, block.count)).bytes)
    // ID_PCE
    guard bits.read(3) == 5 else { return nil }
    self.init(&bits)
  }

  /// Reads an element up to its comment; nil if it is incomplete.
  init?(_ bits: inout BitReader) {
    // The tag, the object type and the rate.
    guard copy(10, &bits) != nil, let front = copy(4, &bits), let side = copy(4, &bits),
      let back = copy(4, &bits), let lowFrequency = copy(2, &bits), let data = copy(3, &bits),
      let coupling = copy(4, &bits)
    else { return nil }
    // The elements to mix for mono, stereo and matrix surround.
    for width in [4, 4, 3] {
      guard let isPresent = copy(1, &bits), isPresent == 0 || copy(width, &bits) != nil else {
        return nil
      }
    }
    channelCount = lowFrequency
    for _ in 0..<front + side + back {
      guard let isPair = copy(1, &bits), copy(4, &bits) != nil else { return nil }
      channelCount += 1 + isPair
    }
    for _ in 0..<lowFrequency + data where copy(4, &bits) == nil { return nil }
    for _ in 0..<coupling where copy(5, &bits) == nil { return nil }
  }

  private mutating func copy(_ width: Int, _ bits: inout BitReader) -> Int? {
    guard let value = bits.read(width) else { return nil }
    written.append(value, width)
    return value
  }
}

/// Packs bits into bytes, the highest bit first.
private struct BitWriter {
  private(set) var bytes: [UInt8] = []
  private var count = 0

  mutating func append(_ value: Int, _ bitCount: Int) {
    for bit in (0..<bitCount).reversed() {
      if count & 7 == 0 { bytes.append(0) }
      bytes[count >> 3] |= UInt8(value >> bit & 1) << UInt8(7 - count & 7)
      count += 1
    }
  }
}
