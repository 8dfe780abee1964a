// SPDX-License-Identifier: MIT

import Glibc

/// A filter section by Robert Bristow-Johnson's Audio EQ Cookbook, implemented only for the tests.
struct CookbookSection {
  /// A file in AutoEq's form, with a filter that is off.
  static let parametricFile = """
    Preamp: -7.0 dB
    Filter 1: ON LSC Fc 105 Hz Gain 6.0 dB Q 0.70
    Filter 2: ON PK Fc 2000 Hz Gain -4.5 dB Q 1.41
    Filter 3: OFF PK Fc 3000 Hz Gain 9 dB Q 2
    Filter 4: ON HSC Fc 8000 Hz Gain 3.0 dB Q 0.70

    """

  private let b: [Double]
  private let a: [Double]
  private let rate: Double

  /// cos ω, α, A and 2·√A·α.
  private static func terms(
    _ hertz: Double, _ gain: Double, _ quality: Double, _ rate: Double
  ) -> (cosine: Double, alpha: Double, a: Double, beta: Double) {
    let omega = 2 * Double.pi * hertz / rate
    let alpha = sin(omega) / (2 * quality)
    let a = pow(10, gain / 40)
    return (cos(omega), alpha, a, 2 * a.squareRoot() * alpha)
  }

  static func peaking(hertz: Double, gain: Double, quality: Double, rate: Double) -> Self {
    let (c, alpha, a, _) = terms(hertz, gain, quality, rate)
    return Self(
      b: [1 + alpha * a, -2 * c, 1 - alpha * a], a: [1 + alpha / a, -2 * c, 1 - alpha / a],
      rate: rate)
  }

  static func lowShelf(hertz: Double, gain: Double, quality: Double, rate: Double) -> Self {
    let (c, _, a, beta) = terms(hertz, gain, quality, rate)
    let (up, down) = (a + 1, a - 1)
    return Self(
      b: [a * (up - down * c + beta), 2 * a * (down - up * c), a * (up - down * c - beta)],
      a: [up + down * c + beta, -2 * (down + up * c), up + down * c - beta], rate: rate)
  }

  static func highShelf(hertz: Double, gain: Double, quality: Double, rate: Double) -> Self {
    let (c, _, a, beta) = terms(hertz, gain, quality, rate)
    let (up, down) = (a + 1, a - 1)
    return Self(
      b: [a * (up + down * c + beta), -2 * a * (down + up * c), a * (up + down * c - beta)],
      a: [up - down * c + beta, 2 * (down - up * c), up - down * c - beta], rate: rate)
  }

  /// The quotient of the polynomials at e^(−jω).
  func response(at hertz: Double) -> (decibels: Double, phase: Double) {
    let (top, bottom) = (value(b, hertz), value(a, hertz))
    let magnitude = hypot(top.real, top.imaginary) / hypot(bottom.real, bottom.imaginary)
    let phase = atan2(top.imaginary, top.real) - atan2(bottom.imaginary, bottom.real)
    return (20 * log10(magnitude), phase)
  }

  private func value(
    _ coefficients: [Double], _ hertz: Double
  ) -> (real: Double, imaginary: Double) {
    let omega = 2 * Double.pi * hertz / rate
    var sum = (real: 0.0, imaginary: 0.0)
    for (power, coefficient) in coefficients.enumerated() {
      sum.real += coefficient * cos(omega * Double(power))
      sum.imaginary -= coefficient * sin(omega * Double(power))
    }
    return sum
  }
}
