// SPDX-License-Identifier: MIT

internal import Glibc

/// The tone of a known frequency in a signal, by least squares.
struct ToneFit {
  let amplitude: Double
  /// The signal without the tone.
  let rest: [Double]

  /// - Parameter frequency: cycles per frame.
  init(_ samples: ArraySlice<Float>, frequency: Double) {
    let step = 2 * Double.pi * frequency
    let sines = samples.indices.map { sin(step * Double($0)) }
    let cosines = samples.indices.map { cos(step * Double($0)) }
    // The normal equations of a·sin + b·cos.
    var (ss, sc, cc, xs, xc) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for ((s, c), sample) in zip(zip(sines, cosines), samples) {
      (ss, sc, cc) = (ss + s * s, sc + s * c, cc + c * c)
      (xs, xc) = (xs + Double(sample) * s, xc + Double(sample) * c)
    }
    let determinant = ss * cc - sc * sc
    let a = (xs * cc - xc * sc) / determinant
    let b = (xc * ss - xs * sc) / determinant
    amplitude = (a * a + b * b).squareRoot()
    rest = zip(zip(sines, cosines), samples).map { Double($1) - a * $0.0 - b * $0.1 }
  }

  /// The tone's power over that of everything else, in decibels.
  var signalToNoise: Double {
    let power = rest.reduce(1e-30) { $0 + $1 * $1 } / Double(rest.count)
    return 10 * log10(amplitude * amplitude / 2 / power)
  }
}
