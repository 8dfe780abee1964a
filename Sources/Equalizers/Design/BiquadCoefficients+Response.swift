// SPDX-License-Identifier: MIT

public import AudioModel

extension BiquadCoefficients {
  /// Returns gain and phase at a frequency.
  ///
  /// - Parameters:
  ///   - frequencyHertz: The frequency, from 0 to half the sample rate.
  ///   - sampleRate: Frames per second.
  public func response(atHertz frequencyHertz: Double, sampleRate: Double) -> FrequencyResponse {
    FrequencyResponse(transfer(Complex(angle: -2 * .pi * frequencyHertz / sampleRate)))
  }

  /// Returns the transfer function's value for a z⁻¹.
  func transfer(_ inverse: Complex) -> Complex {
    let square = inverse * inverse
    let numerator = Complex(b0) + inverse * b1 + square * b2
    return numerator / (Complex.one + inverse * a1 + square * a2)
  }
}
