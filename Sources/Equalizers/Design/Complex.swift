// SPDX-License-Identifier: MIT

internal import Glibc

/// A complex number.
struct Complex {
  var real: Double
  var imaginary: Double

  init(_ real: Double, _ imaginary: Double = 0) {
    self.real = real
    self.imaginary = imaginary
  }

  /// Creates the number of this angle and magnitude 1.
  init(angle: Double) {
    self.init(cos(angle), sin(angle))
  }

  static let zero = Complex(0)
  static let one = Complex(1)

  var magnitude: Double { hypot(real, imaginary) }
  var angle: Double { atan2(imaginary, real) }

  static func + (left: Complex, right: Complex) -> Complex {
    Complex(left.real + right.real, left.imaginary + right.imaginary)
  }

  static func * (left: Complex, right: Complex) -> Complex {
    Complex(
      left.real * right.real - left.imaginary * right.imaginary,
      left.real * right.imaginary + left.imaginary * right.real)
  }

  static func * (left: Complex, right: Double) -> Complex {
    Complex(left.real * right, left.imaginary * right)
  }

  static func / (left: Complex, right: Complex) -> Complex {
    // The denominator of a stable filter is not 0, but may be rounded to it.
    let square = max(right.real * right.real + right.imaginary * right.imaginary, 1e-40)
    return left * Complex(right.real / square, -right.imaginary / square)
  }
}

/// Conversion between gains in dB and factors.
enum Decibels {
  static func linear(_ decibels: Double) -> Double { pow(10, decibels / 20) }

  /// Returns the gain in dB of a factor; minus infinity for 0.
  static func of(_ factor: Double) -> Double { 20 * log10(factor) }
}

/// The response of a filter, or of a whole equaliser, at one frequency.
public struct FrequencyResponse: Hashable, Sendable {
  /// The gain in dB; minus infinity if nothing passes.
  public var gainDecibels: Double
  /// The phase in radians, from −π to π.
  public var phaseRadians: Double

  /// Creates a response with these fields.
  public init(gainDecibels: Double, phaseRadians: Double) {
    self.gainDecibels = gainDecibels
    self.phaseRadians = phaseRadians
  }

  init(_ value: Complex) {
    gainDecibels = Decibels.of(value.magnitude)
    phaseRadians = value.angle
  }
}
