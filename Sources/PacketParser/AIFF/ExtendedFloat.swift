// SPDX-License-Identifier: MIT

/// The 80-bit numbers of AIFF (IEEE 754's extended precision as the Motorola 68881 has it): a sign,
/// fifteen bits of exponent with a bias of 16383, and 64 bits whose first is the integer part.
enum ExtendedFloat {
  /// The number at `offset`; nil if it is negative, above 2^32, below 2^-32, or not a number.
  static func value(_ bytes: Span<UInt8>, at offset: Int) -> Double? {
    let exponent = Int(bytes.bigEndian16(at: offset)) - 16383
    let significand = bytes.bigEndian64(at: offset + 2)
    guard (-32...32).contains(exponent), significand >> 63 == 1 else { return nil }
    return Double(sign: .plus, exponent: exponent - 63, significand: Double(significand))
  }
}
