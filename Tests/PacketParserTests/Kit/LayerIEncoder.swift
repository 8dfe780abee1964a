// SPDX-License-Identifier: MIT

/// Encodes legal layer I frames with sound (ISO/IEC 11172-3 section 2.4.1.5): a few subbands, each
/// with a slow sine, quantised with as many bits as the frame holds.
struct LayerIEncoder {
  var isMPEG2 = false
  /// 0 is free format, whose frame has `freeFormatSlots` slots of four bytes.
  var bitRateIndex = 8
  var freeFormatSlots = 0
  var rateIndex = 1
  var isMono = false
  var hasCRC = false

  private var bits: [UInt8] = []
  private var phase = 0.0

  private static let mpeg1Rates = [44_100, 48_000, 32_000]
  private static let mpeg1BitRates = [
    0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448,
  ]
  private static let mpeg2BitRates = [
    0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256,
  ]

  init(
    isMPEG2: Bool = false, bitRateIndex: Int = 8, freeFormatSlots: Int = 0, rateIndex: Int = 1,
    isMono: Bool = false, hasCRC: Bool = false
  ) {
    self.isMPEG2 = isMPEG2
    self.bitRateIndex = bitRateIndex
    self.freeFormatSlots = freeFormatSlots
    self.rateIndex = rateIndex
    self.isMono = isMono
    self.hasCRC = hasCRC
  }

  private var slots: Int {
    if bitRateIndex == 0 { return freeFormatSlots }
    let rate = Self.mpeg1Rates[rateIndex] / (isMPEG2 ? 2 : 1)
    let kilobits = isMPEG2 ? Self.mpeg2BitRates[bitRateIndex] : Self.mpeg1BitRates[bitRateIndex]
    return 12 * kilobits * 1000 / rate
  }

  mutating func stream(_ count: Int) -> [UInt8] {
    (0..<count).flatMap { frame(isPadded: $0 % 3 == 1) }
  }

  mutating func frame(isPadded: Bool = false) -> [UInt8] {
    bits = []
    let channels = isMono ? 1 : 2
    let byteCount = (slots + (isPadded ? 1 : 0)) * 4
    put(0xFFF, 12)
    put(isMPEG2 ? 0 : 1, 1)
    put(3, 2)
    put(hasCRC ? 0 : 1, 1)
    put(bitRateIndex, 4)
    put(rateIndex, 2)
    put(isPadded ? 1 : 0, 1)
    put(0, 1)
    put(isMono ? 3 : 0, 2)
    put(0, 6)
    if hasCRC { put(0, 16) }

    let subbands = 4
    let room = byteCount * 8 - bits.count - 128 * channels
    let sampleBits = min(15, (room / channels / subbands - 6) / 12)
    precondition(sampleBits >= 2, "the frame is too small for any sound")
    for subband in 0..<32 {
      for _ in 0..<channels { put(subband < subbands ? sampleBits - 1 : 0, 4) }
    }
    if hasCRC { putCRC(protectedBits: 32 + 16 + 128 * channels) }
    for _ in 0..<subbands * channels { put(12, 6) }
    let top = Double((1 << sampleBits) - 2)
    for _ in 0..<12 {
      phase += 0.3
      for subband in 0..<subbands {
        for _ in 0..<channels {
          let value = Self.sine(phase * Double(subband + 1)) * 0.8
          put(Int((value + 1) / 2 * top), sampleBits)
        }
      }
    }
    while bits.count < byteCount * 8 { bits.append(0) }
    return stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }
    }
  }

  private mutating func put(_ value: Int, _ count: Int) {
    for bit in (0..<count).reversed() { bits.append(UInt8(value >> bit & 1)) }
  }

  /// CRC-16 of the header's second half and the allocation (section 2.4.3.1).
  private mutating func putCRC(protectedBits: Int) {
    var remainder = 0xFFFF
    for index in Array(16..<32) + Array(48..<protectedBits) {
      let carry = (remainder >> 15) ^ Int(bits[index])
      remainder = (remainder << 1) & 0xFFFF
      if carry & 1 == 1 { remainder ^= 0x8005 }
    }
    for bit in 0..<16 { bits[32 + bit] = UInt8(remainder >> (15 - bit) & 1) }
  }

  /// Approximates a sine by the parabola that meets it at its zeros and peaks.
  private static func sine(_ angle: Double) -> Double {
    let turn = angle / (2 * Double.pi)
    let part = turn - turn.rounded(.down)
    return part < 0.5 ? 16 * part * (0.5 - part) : -16 * (part - 0.5) * (1 - part)
  }
}
