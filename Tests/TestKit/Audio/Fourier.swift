// SPDX-License-Identifier: MIT

import Glibc

/// The Fourier transform of a sound at single frequencies.
public enum Fourier {
  /// Returns the sum of x[n]·exp(-iωn). Of an impulse response that is the frequency response.
  public static func transform(
    _ samples: [Float], atHertz hertz: Double, sampleRate: Double
  ) -> (real: Double, imaginary: Double) {
    let angle = 2 * Double.pi * hertz / sampleRate
    let (turnReal, turnImaginary) = (cos(angle), -sin(angle))
    var (real, imaginary) = (0.0, 0.0)
    // Horner's rule, from the last sample.
    for sample in samples.reversed() {
      (real, imaginary) = (
        real * turnReal - imaginary * turnImaginary + Double(sample),
        real * turnImaginary + imaginary * turnReal
      )
    }
    return (real, imaginary)
  }
}
