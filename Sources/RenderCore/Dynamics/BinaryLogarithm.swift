// SPDX-License-Identifier: MIT

/// Logarithm and power to base 2 without libm, whose functions may take locks or long paths.
///
/// Real-time: wait-free.
enum BinaryLogarithm {
  /// Returns the binary logarithm of a normal number above 0, with an error of at most 2e-9.
  @_noLocks
  static func log2(_ value: Double) -> Double {
    let bits = value.bitPattern
    var exponent = Int(truncatingIfNeeded: bits >> 52) &- 1023
    var mantissa = Double(bitPattern: bits & 0x000F_FFFF_FFFF_FFFF | 0x3FF0_0000_0000_0000)
    // The mantissa is from the square root of 1/2 to that of 2, where the series below is short.
    if mantissa > 1.4142135623730951 {
      mantissa *= 0.5
      exponent = exponent &+ 1
    }
    // 2 artanh(t) / ln 2
    let t = (mantissa - 1) / (mantissa + 1)
    let square = t * t
    let series = 1 + square * (1 / 3.0 + square * (1 / 5.0 + square * (1 / 7.0 + square / 9)))
    return Double(exponent) + t * series * 2.8853900817779268
  }

  /// Returns 2 to a power from -1000 to 1000, with a relative error of at most 1e-8. Other powers are clamped.
  @_noLocks
  static func exp2(_ power: Double) -> Double {
    let power = max(-1000, min(1000, power))
    let whole = Int(power + 2000.5) &- 2000
    let x = (power - Double(whole)) * 0.6931471805599453
    let high = 1 / 24.0 + x * (1 / 120.0 + x * (1 / 720.0 + x / 5040))
    let series = 1 + x * (1 + x * (1 / 2.0 + x * (1 / 6.0 + x * high)))
    return series * Double(bitPattern: UInt64(whole &+ 1023) << 52)
  }
}
