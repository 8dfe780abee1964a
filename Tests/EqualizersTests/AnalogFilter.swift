// SPDX-License-Identifier: MIT

import Glibc

/// A complex number, implemented only for the tests.
struct Number {
  var re: Double
  var im: Double

  init(_ re: Double, _ im: Double = 0) { (self.re, self.im) = (re, im) }
  static func + (l: Number, r: Number) -> Number { Number(l.re + r.re, l.im + r.im) }
  static func - (l: Number, r: Number) -> Number { Number(l.re - r.re, l.im - r.im) }
  static func * (l: Number, r: Number) -> Number {
    Number(l.re * r.re - l.im * r.im, l.re * r.im + l.im * r.re)
  }
  static func / (l: Number, r: Number) -> Number {
    let n = r.re * r.re + r.im * r.im
    return Number((l.re * r.re + l.im * r.im) / n, (l.im * r.re - l.re * r.im) / n)
  }
  var decibels: Double { 10 * log10(re * re + im * im) }
  var phase: Double { atan2(im, re) }
}

/// The expected response of a filter, from the analogue transfer functions H(s) in the Audio EQ Cookbook, warped
/// onto the frequency axis by the bilinear transform: s = j·tan(ω/2)/tan(ω0/2). It uses neither the product's code
/// nor any coefficients.
enum AnalogFilter {
  static func s(_ frequency: Double, _ center: Double, _ rate: Double) -> Number {
    Number(0, tan(.pi * frequency / rate) / tan(.pi * center / rate))
  }

  static func peaking(_ s: Number, gain: Double, quality: Double) -> Number {
    let a = pow(10, gain / 40)
    return (s * s + s * Number(a / quality) + Number(1))
      / (s * s + s * Number(1 / (a * quality)) + Number(1))
  }

  static func lowShelf(_ s: Number, gain: Double, quality: Double) -> Number {
    let a = pow(10, gain / 40)
    let middle = s * Number(sqrt(a) / quality)
    return Number(a) * (s * s + middle + Number(a)) / (Number(a) * s * s + middle + Number(1))
  }

  static func highShelf(_ s: Number, gain: Double, quality: Double) -> Number {
    let a = pow(10, gain / 40)
    let middle = s * Number(sqrt(a) / quality)
    return Number(a) * (Number(a) * s * s + middle + Number(1)) / (s * s + middle + Number(a))
  }

  static func lowPass(_ s: Number, quality: Double) -> Number {
    Number(1) / (s * s + s * Number(1 / quality) + Number(1))
  }

  static func highPass(_ s: Number, quality: Double) -> Number {
    s * s / (s * s + s * Number(1 / quality) + Number(1))
  }

  static func bandPass(_ s: Number, quality: Double) -> Number {
    s * Number(1 / quality) / (s * s + s * Number(1 / quality) + Number(1))
  }

  static func notch(_ s: Number, quality: Double) -> Number {
    (s * s + Number(1)) / (s * s + s * Number(1 / quality) + Number(1))
  }

  static func allPass(_ s: Number, quality: Double) -> Number {
    (s * s - s * Number(1 / quality) + Number(1)) / (s * s + s * Number(1 / quality) + Number(1))
  }

  /// The Q of a bandwidth in octaves between the points of half the gain in dB, by the cookbook's digital formula.
  static func quality(octaves: Double, _ center: Double, _ rate: Double) -> Double {
    let w = 2 * Double.pi * center / rate
    return 1 / (2 * sinh(log(2) / 2 * octaves * w / sin(w)))
  }

  /// The Q of a shelf's slope S.
  static func quality(slope: Double, gain: Double) -> Double {
    let a = pow(10, gain / 40)
    return 1 / sqrt((a + 1 / a) * (1 / slope - 1) + 2)
  }

  /// Equalizer APO's slope S for a shelf's Q.
  static func slope(quality: Double, gain: Double) -> Double {
    let a = pow(10, gain / 40)
    return 1 / ((1 / (quality * quality) - 2) / (a + 1 / a) + 1)
  }

  /// A hundred frequencies from 10 Hz to 0.45 of the sample rate.
  static func frequencies(_ rate: Double) -> [Double] {
    (0..<100).map { 10 * pow(0.045 * rate, Double($0) / 99) }
  }
}
