// SPDX-License-Identifier: MIT

/// The program config element that tells the channels where no number does (ISO/IEC 14496-3 section
/// 4.4.1.1).
struct AACProgramConfig {
  /// Channels of all elements, those for low frequencies included.
  private(set) var channelCount = 0
  /// The element as an AudioSpecificConfig has it, from a byte's beginning and without the comment:
  /// where it stands in a raw data block, its bits are aligned to that block.
  var bytes: [UInt8] { written.bytes + [0] }
  private var written = BitWriter()

  /// The element that a raw data block begins with; nil if it does not begin with one.
  init?(block: Span<UInt8>) {
    // The longest element has fewer than 64 bytes without its comment.
    var bits = BitReader(block.extracting(0..<min(64, block.count)).bytes)
    // ID_PCE
    guard bits.read(3) == 5 else { return nil }
    self.init(&bits)
  }

  /// Reads an element up to its comment; nil if it is cut.
  init?(_ bits: inout BitReader) {
    // The tag, the object type and the rate.
    guard copy(10, &bits) != nil, let front = copy(4, &bits), let side = copy(4, &bits),
      let back = copy(4, &bits), let lowFrequency = copy(2, &bits), let data = copy(3, &bits),
      let coupling = copy(4, &bits)
    else { return nil }
    // What to mix for mono, stereo and matrix surround.
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

/// Puts bits into bytes, the highest first.
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
