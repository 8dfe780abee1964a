// SPDX-License-Identifier: MIT

/// The program config element that tells the channels where no number does (ISO/IEC 14496-3 section
/// 4.4.1.1).
struct AACProgramConfig {
  /// Channels of all elements, those for low frequencies included.
  private(set) var channelCount = 0
  /// The element as an AudioSpecificConfig has it, from a byte's beginning and without the comment.
  private(set) var bytes: [UInt8] = []

  /// The element that a raw data block begins with; nil if it does not begin with one.
  init?(_ block: Span<UInt8>) {
    var reader = BitReader(block)
    // ID_PCE
    guard reader.next(3) == 5 else { return nil }
    var bits = BitWriter()
    func copy(_ count: Int) -> Int {
      let value = reader.next(count)
      bits.append(value, count)
      return value
    }
    _ = copy(4 + 2 + 4)  // tag, object type, rate
    let front = copy(4)
    let side = copy(4)
    let back = copy(4)
    let lowFrequency = copy(2)
    let data = copy(3)
    let coupling = copy(4)
    if copy(1) == 1 { _ = copy(4) }  // mono mixdown
    if copy(1) == 1 { _ = copy(4) }  // stereo mixdown
    if copy(1) == 1 { _ = copy(3) }  // matrix mixdown
    for _ in 0..<front + side + back {
      channelCount += copy(1) == 1 ? 2 : 1
      _ = copy(4)
    }
    for _ in 0..<lowFrequency { _ = copy(4) }
    channelCount += lowFrequency
    for _ in 0..<data { _ = copy(4) }
    for _ in 0..<coupling { _ = copy(5) }
    guard !reader.isBeyond else { return nil }
    // Aligned to the bytes of what it is in, so that it has to be written anew.
    bytes = bits.bytes + [0]
  }
}

/// Takes bits from bytes, the highest first.
private struct BitReader {
  private var bytes: [UInt8] = []
  private var place = 0

  /// Reads the first of these bytes: the longest element has fewer than 64 without its comment.
  init(_ source: Span<UInt8>) {
    for index in 0..<min(64, source.count) { bytes.append(source[index]) }
  }

  /// Bits were asked for that are not there.
  var isBeyond: Bool { place > bytes.count * 8 }

  mutating func next(_ count: Int) -> Int {
    var value = 0
    for _ in 0..<count {
      let bit = place < bytes.count * 8 ? bytes[place >> 3] >> UInt8(7 - place & 7) & 1 : 0
      value = value << 1 | Int(bit)
      place += 1
    }
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
