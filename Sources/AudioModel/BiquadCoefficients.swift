// SPDX-License-Identifier: MIT

/// The coefficients of a second-order section, normalised so that a0 is 1:
/// y[n] = b0·x[n] + b1·x[n−1] + b2·x[n−2] − a1·y[n−1] − a2·y[n−2].
public struct BiquadCoefficients: Hashable, Sendable, BitwiseCopyable {
  /// The factor of the input.
  public var b0: Double
  /// The factor of the previous frame's input.
  public var b1: Double
  /// The factor of the input two frames earlier.
  public var b2: Double
  /// The factor of the previous frame's output, which is subtracted.
  public var a1: Double
  /// The factor of the output two frames earlier, which is subtracted.
  public var a2: Double

  /// Makes a section with these coefficients. Real-time safe.
  @_noLocks
  public init(b0: Double, b1: Double, b2: Double, a1: Double, a2: Double) {
    self.b0 = b0
    self.b1 = b1
    self.b2 = b2
    self.a1 = a1
    self.a2 = a2
  }

  /// Makes a section with these coefficients, which are divided by a0.
  package init(b0: Double, b1: Double, b2: Double, a0: Double, a1: Double, a2: Double) {
    self.init(b0: b0 / a0, b1: b1 / a0, b2: b2 / a0, a1: a1 / a0, a2: a2 / a0)
  }

  /// The section that changes nothing.
  public static let identity = BiquadCoefficients(b0: 1, b1: 0, b2: 0, a1: 0, a2: 0)

  /// True if no sample changes: for the identity, and for a peak or shelf of 0 dB.
  public var changesNothing: Bool { b0 == 1 && b1 == a1 && b2 == a2 }

  /// True if all coefficients are finite.
  public var isFinite: Bool { [b0, b1, b2, a1, a2].allSatisfy(\.isFinite) }

  /// True if both poles are inside the unit circle.
  public var isStable: Bool { abs(a2) < 1 && abs(a1) < 1 + a2 }
}
