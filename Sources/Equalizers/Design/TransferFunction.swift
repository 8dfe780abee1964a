// SPDX-License-Identifier: MIT

public import AudioModel

/// A filter defined by the coefficients of its transfer function, for one sample rate: H(z) = (b0 +
/// b1·z⁻¹ + …) / (1 + a1·z⁻¹ + …).
public struct TransferFunction: Hashable, Sendable {
  /// The coefficients b0, b1, …; their number equals the denominator's.
  public let numerator: [Double]
  /// The coefficients 1, a1, ….
  public let denominator: [Double]

  /// The order, 1 or more.
  public var order: Int { denominator.count - 1 }

  /// Creates a filter from coefficients, which are divided by a0.
  ///
  /// - Parameters:
  ///   - numerator: b0, b1, …, at least two.
  ///   - denominator: a0, a1, …, the same number.
  /// - Throws: ``EqualizerFilterError/notRepresentable`` for an a0 of 0, and for coefficients above 10¹² times a0;
  ///   ``EqualizerFilterError/unstable`` for a pole that is not inside the unit circle.
  public init(numerator: [Double], denominator: [Double]) throws(EqualizerFilterError) {
    guard numerator.count == denominator.count, denominator.count >= 2 else {
      throw .notRepresentable
    }
    let first = denominator[0]
    self.numerator = numerator.map { $0 / first }
    self.denominator = denominator.map { $0 / first }
    guard (self.numerator + self.denominator).allSatisfy({ abs($0) <= 1e12 }) else {
      throw .notRepresentable
    }
    guard Self.isStable(self.denominator) else { throw .unstable }
  }

  /// The filter as a second-order section; nil for a higher order.
  public var biquad: BiquadCoefficients? {
    guard order <= 2 else { return nil }
    return BiquadCoefficients(
      b0: numerator[0], b1: numerator[1], b2: order > 1 ? numerator[2] : 0, a1: denominator[1],
      a2: order > 1 ? denominator[2] : 0)
  }

  /// Returns the value for a z⁻¹.
  func transfer(_ inverse: Complex) -> Complex {
    Self.value(numerator, inverse) / Self.value(denominator, inverse)
  }

  private static func value(_ coefficients: [Double], _ inverse: Complex) -> Complex {
    coefficients.reversed().reduce(.zero) { $0 * inverse + Complex($1) }
  }

  /// Returns whether all poles are inside the unit circle (Schur and Cohn): the order is reduced step
  /// by step, and each reflection coefficient must be below 1.
  private static func isStable(_ denominator: [Double]) -> Bool {
    var polynomial = denominator
    while polynomial.count > 1 {
      let last = polynomial.count - 1
      let reflection = polynomial[last]
      guard abs(reflection) < 1 else { return false }
      let scale = 1 - reflection * reflection
      polynomial = (0..<last).map { (polynomial[$0] - reflection * polynomial[last - $0]) / scale }
    }
    return true
  }
}
