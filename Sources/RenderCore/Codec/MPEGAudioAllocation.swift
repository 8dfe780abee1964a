// SPDX-License-Identifier: MIT

/// The number of bits that a packet of layer I or II needs, according to the bit allocation at its beginning (ISO/IEC
/// 11172-3, sections 2.4.1.5 and 2.4.1.6, tables B.2a to B.2d; ISO/IEC 13818-3, table B.1).
///
/// An encoder's packet never needs more bits than it has. libmpg123 replaces missing bits by zeros.
///
/// Real-time: safe.
@safe
struct MPEGAudioAllocation {
  /// The rows of a table of layer II: the number of bits that select a subband's quantiser, and the quantisers.
  private enum Table {
    /// B.2a and B.2b, for the higher bit rates.
    case high
    /// B.2c and B.2d, for the lower ones.
    case low
    /// B.1, for the lower sampling frequencies.
    case lowFrequencies
  }

  private let bytes: UnsafeRawPointer
  private let bitCount: Int
  private let isLayerI: Bool
  private let channels: Int
  private let table: Table
  /// Subbands that are coded.
  private let subbands: Int
  /// From this subband on, the channels share one allocation and the samples.
  private let bound: Int
  private var place: Int

  /// Nil for a packet of layer III, or one shorter than a header.
  @_noLocks
  init?(_ packet: UnsafeRawPointer, byteCount: Int) {
    guard byteCount >= 4 else { return nil }
    let second = unsafe Int(packet.load(fromByteOffset: 1, as: UInt8.self))
    let third = unsafe Int(packet.load(fromByteOffset: 2, as: UInt8.self))
    let fourth = unsafe Int(packet.load(fromByteOffset: 3, as: UInt8.self))
    let layer = 4 - (second >> 1) & 3
    guard layer == 1 || layer == 2 else { return nil }
    unsafe bytes = packet
    bitCount = byteCount * 8
    isLayerI = layer == 1
    channels = fourth >> 6 == 3 ? 1 : 2
    place = second & 1 == 0 ? 48 : 32
    if isLayerI {
      (table, subbands) = (.high, 32)
    } else if second & 0b1000 == 0 {
      (table, subbands) = (.lowFrequencies, 30)
    } else {
      (table, subbands) = Self.table(
        bitRateIndex: third >> 4, rateIndex: third >> 2 & 3, isMono: channels == 1)
    }
    let isJoint = fourth >> 6 == 1
    bound = isJoint ? min(subbands, (fourth >> 4 & 3) * 4 + 4) : subbands
  }

  /// Returns the table of MPEG-1's layer II and its number of subbands, from the bit rate of one channel.
  @_noLocks
  private static func table(
    bitRateIndex: Int, rateIndex: Int, isMono: Bool
  ) -> (Table, Int) {
    let isLow = isMono ? (1...2).contains(bitRateIndex) : (1...6).contains(bitRateIndex)
    if isLow { return (.low, rateIndex == 2 ? 12 : 8) }
    let isHigh = rateIndex != 1 && bitRateIndex >= (isMono ? 6 : 10)
    return (.high, isHigh ? 30 : 27)
  }

  /// Returns whether the packet is shorter than its allocation requires.
  @_noLocks
  func exceedsPacket() -> Bool {
    var reader = self
    return reader.neededBits() > bitCount
  }

  /// Returns the bits needed, counted from the packet's first bit. Bits behind its end are read as zeros.
  @_noLocks
  private mutating func neededBits() -> Int {
    var sampleBits = 0
    // One bit for each subband of each channel that is coded.
    var coded: (UInt32, UInt32) = (0, 0)
    var subband = 0
    while subband < subbands {
      var channel = 0
      while channel < (subband < bound ? channels : 1) {
        let code = read(selectionBits(subband))
        if code > 0 {
          sampleBits += bitsOfCode(code, subband)
          let mask = UInt32(1) << UInt32(subband)
          if channel == 0 { coded.0 |= mask } else { coded.1 |= mask }
          // Both channels have scale factors.
          if subband >= bound, channels == 2 { coded.1 |= mask }
        }
        channel += 1
      }
      subband += 1
    }
    let count = coded.0.nonzeroBitCount + coded.1.nonzeroBitCount
    if isLayerI { return place + 6 * count + sampleBits }
    var scaleBits = 0
    var index = 0
    while index < count {
      // The packet has all three factors, two of them, one, or two.
      let selection = read(2)
      scaleBits += selection == 0 ? 18 : selection == 2 ? 6 : 12
      index += 1
    }
    return place + scaleBits + sampleBits
  }

  /// Returns the number of bits that select the quantiser of a subband.
  @_noLocks
  private func selectionBits(_ subband: Int) -> Int {
    if isLayerI { return 4 }
    return switch table {
    case .high: subband < 11 ? 4 : subband < 23 ? 3 : 2
    case .low: subband < 2 ? 4 : 3
    case .lowFrequencies: subband < 4 ? 4 : subband < 11 ? 3 : 2
    }
  }

  /// Returns the bits of all samples of a subband in the packet: 12 samples in layer I, 12 times 3 in layer II. Three
  /// samples with 3, 5 or 9 steps share a code.
  @_noLocks
  private func bitsOfCode(_ code: Int, _ subband: Int) -> Int {
    if isLayerI { return 12 * (code + 1) }
    let threeSamples =
      switch (table, subband) {
      case (.high, 0..<3): code == 1 ? 5 : 3 * (code + 1)
      case (.high, 3..<11): code == 15 ? 48 : Self.bits(code, withSevenSteps: true)
      case (.high, 11..<23): code == 7 ? 48 : Self.bits(code, withSevenSteps: true)
      case (.high, _): code == 3 ? 48 : Self.bits(code, withSevenSteps: true)
      case (.lowFrequencies, 0..<4): Self.bits(code, withSevenSteps: true)
      default: Self.bits(code, withSevenSteps: false)
      }
    return 12 * threeSamples
  }

  /// Returns the bits of three samples with 3, 5, 7 (if the row has that), 9, 15, 31 … steps.
  @_noLocks
  private static func bits(_ code: Int, withSevenSteps: Bool) -> Int {
    if code <= 2 { return code == 1 ? 5 : 7 }
    if withSevenSteps { return code == 3 ? 9 : code == 4 ? 10 : 3 * (code - 1) }
    return code == 3 ? 10 : 3 * code
  }

  @_noLocks
  private mutating func read(_ count: Int) -> Int {
    var value = 0
    var index = 0
    while index < count {
      value <<= 1
      if place < bitCount {
        let byte = unsafe Int(bytes.load(fromByteOffset: place >> 3, as: UInt8.self))
        value |= byte >> (7 - place & 7) & 1
      }
      place += 1
      index += 1
    }
    return value
  }
}
