// SPDX-License-Identifier: MIT

import Equalizers
import Glibc

/// The transfer function of a section before the bilinear transform, for a frequency of 1:
/// H(s) = (n2·s² + n1·s + n0) / (d2·s² + d1·s + d0), from the cookbook's first table.
struct AnaloguePrototype {
  var n: (Double, Double, Double)
  var d: (Double, Double, Double)
  let hertz: Double

  init(_ band: EqualizerFilter) {
    let a = pow(10, band.gainDecibels / 40)
    let (root, w) = (a.squareRoot() / band.q, 1 / band.q)
    hertz = band.frequencyHertz
    switch band.kind {
    case .peaking: (n, d) = ((1, a * w, 1), (1, w / a, 1))
    case .lowShelf: (n, d) = ((a, a * root, a * a), (a, root, 1))
    case .highShelf: (n, d) = ((a * a, a * root, a), (1, root, a))
    case .lowPass: (n, d) = ((0, 0, 1), (1, w, 1))
    case .highPass: (n, d) = ((1, 0, 0), (1, w, 1))
    case .bandPass: (n, d) = ((0, w, 0), (1, w, 1))
    case .notch: (n, d) = ((1, 0, 1), (1, w, 1))
    case .allPass: (n, d) = ((1, -w, 1), (1, w, 1))
    case .lowPassFirstOrder: (n, d) = ((0, 0, 1), (0, 1, 1))
    case .highPassFirstOrder: (n, d) = ((0, 1, 0), (0, 1, 1))
    case .allPassFirstOrder: (n, d) = ((0, -1, 1), (0, 1, 1))
    case .lowShelfFirstOrder: (n, d) = ((0, a, a * a), (0, a, 1))
    case .highShelfFirstOrder: (n, d) = ((0, a * a, a), (0, 1, a))
    case .lowShelfAtCorner, .highShelfAtCorner: preconditionFailure("no prototype")
    }
  }

  /// Returns the response at a frequency, which the bilinear transform warps like the section's own.
  func response(_ atHertz: Double, rate: Double) -> (real: Double, imaginary: Double) {
    let s = tan(Double.pi * atHertz / rate) / tan(Double.pi * hertz / rate)
    let (nr, ni) = (n.2 - n.0 * s * s, n.1 * s)
    let (dr, di) = (d.2 - d.0 * s * s, d.1 * s)
    let square = dr * dr + di * di
    return ((nr * dr + ni * di) / square, (ni * dr - nr * di) / square)
  }
}

#if arch(x86_64)
  /// A section whose coefficients and state have extended precision.
  struct ExtendedBiquad {
    private var b: (Float80, Float80, Float80)
    private var a: (Float80, Float80)
    private var s: (Float80, Float80) = (0, 0)

    init(_ band: EqualizerFilter, rate: Double) {
      let prototype = AnaloguePrototype(band)
      let t = tan(Float80.pi * Float80(band.frequencyHertz) / Float80(rate))
      func transform(
        _ p: (Double, Double, Double)
      ) -> (Float80, Float80, Float80) {
        let (p2, p1, p0) = (Float80(p.0), Float80(p.1) * t, Float80(p.2) * t * t)
        return (p2 + p1 + p0, 2 * (p0 - p2), p2 - p1 + p0)
      }
      let (n, d) = (transform(prototype.n), transform(prototype.d))
      b = (n.0 / d.0, n.1 / d.0, n.2 / d.0)
      a = (d.1 / d.0, d.2 / d.0)
    }

    mutating func next(_ x: Float80) -> Float80 {
      let y = b.0 * x + s.0
      s = (b.1 * x - a.0 * y + s.1, b.2 * x - a.1 * y)
      return y
    }
  }
#endif
