// SPDX-License-Identifier: MIT

/// A generator of the same random numbers in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  /// Returns a damaged copy of a packet: cut, with bytes changed, or of random bytes, with a good start or without.
  mutating func mangled(_ packet: [UInt8], header: [UInt8]) -> [UInt8] {
    var result = packet
    switch Int.random(in: 0..<4, using: &self) {
    case 0: result.removeLast(Int.random(in: 0...packet.count, using: &self))
    case 1:
      for _ in 0..<Int.random(in: 1...8, using: &self) where !result.isEmpty {
        result[Int.random(in: 0..<result.count, using: &self)] = UInt8.random(
          in: 0...255, using: &self)
      }
    case let kind:
      result = kind == 2 ? header : []
      for _ in 0..<Int.random(in: 0...200, using: &self) {
        result.append(UInt8.random(in: 0...255, using: &self))
      }
    }
    return result
  }
}
