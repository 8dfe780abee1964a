// SPDX-License-Identifier: MIT

import Glibc

/// The click in a sound whose own frequencies are low: the part above 3 kHz, which a moving gain causes.
///
/// The filter stops all below 3 kHz by 160 dB and passes all above 9 kHz. It measures -68 to -72 dBFS for a gain that
/// falls in a straight line of 5 ms, on a tone of 60 Hz at a quarter of full scale.
public enum Splatter {
  /// Returns the largest magnitude above 3 kHz, in decibels of full scale.
  ///
  /// - Parameter samples: the sound, with a millisecond of steady sound at either end, which is not measured.
  public static func decibels(_ samples: [Float], sampleRate: Double) -> Double {
    decibels(samples.map(Double.init), sampleRate: sampleRate)
  }

  /// Returns the same for samples whose rounding to `Float` would be louder than the click.
  ///
  /// - Parameter hertz: the frequency at which the filter begins to pass; 6 kHz above it, it passes all.
  public static func decibels(
    _ samples: [Double], sampleRate: Double, above hertz: Double = 3000
  ) -> Double {
    let kernel = highPass(above: hertz, sampleRate: sampleRate)
    let half = kernel.count / 2
    precondition(samples.count > kernel.count, "the sound is as long as the filter")
    var peak = 0.0
    for center in half..<samples.count - half {
      var sum = 0.0
      for tap in kernel.indices { sum += kernel[tap] * samples[center - half + tap] }
      peak = max(peak, sum.magnitude)
    }
    return 20 * log10(max(peak, 1e-12))
  }

  /// Returns a windowed sinc.
  private static func highPass(above hertz: Double, sampleRate: Double) -> [Double] {
    let beta = 0.1102 * (160 - 8.7)
    let half = Int(152 / (2.285 * 2 * Double.pi * 6000 / sampleRate) / 2) + 1
    let corner = 2 * (hertz + 3000) / sampleRate
    return (-half...half).map { offset in
      let x = Double(offset)
      let place = x / Double(half)
      let window = bessel(beta * (1 - place * place).squareRoot()) / bessel(beta)
      let low = offset == 0 ? corner : sin(Double.pi * corner * x) / (Double.pi * x)
      return ((offset == 0 ? 1 : 0) - low) * window
    }
  }

  /// Returns the modified Bessel function of the first kind and order 0.
  private static func bessel(_ x: Double) -> Double {
    var (sum, term) = (1.0, 1.0)
    for n in 1..<60 {
      term *= x / 2 / Double(n) * (x / 2 / Double(n))
      sum += term
    }
    return sum
  }
}
