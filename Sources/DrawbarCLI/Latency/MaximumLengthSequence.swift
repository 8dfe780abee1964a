// SPDX-License-Identifier: MIT

import Glibc

/// A maximum-length sequence: noise that correlates with itself at one position only, so that its start in a recording
/// is found to the frame, even if it is soft, distorted or mixed with other sound.
struct MaximumLengthSequence {
  /// 32767 values of 1 and -1: 0.7 s at 48 kHz.
  static let values: [Float] = {
    // x¹⁵ + x¹⁴ + 1, a primitive polynomial.
    var register: UInt32 = 1
    return (0..<32767).map { _ in
      let bit = (register ^ (register >> 1)) & 1
      register = register >> 1 | bit << 14
      return bit == 1 ? 1 : -1
    }
  }()

  /// The position and gain of the sequence in a recording.
  struct Arrival: Equatable {
    /// Frames from the recording's start to the sequence's.
    var frames: Int
    /// The gain on the way; negative if the polarity was inverted.
    var gain: Double
    /// The ratio of its correlation to that of the next best position.
    var clearness: Double
  }

  /// Returns the clearest position in a recording at which the sequence begins.
  ///
  /// - Parameter recording: frames of at least the sequence's length.
  static func find(in recording: [Float]) -> Arrival? {
    let places = recording.count - values.count + 1
    guard places > 0 else { return nil }
    var size = 1
    while size < recording.count + values.count { size *= 2 }
    var heard = Spectrum(recording, size: size)
    heard.multiply(byConjugateOf: Spectrum(values, size: size))
    let correlation = heard.inverse()
    func magnitude(_ place: Int) -> Double { correlation[place].magnitude }
    guard let best = (0..<places).max(by: { magnitude($0) < magnitude($1) }), magnitude(best) > 0
    else { return nil }
    // A filter on the way spreads the peak over its neighbours.
    let others = (0..<places).filter { abs($0 - best) > 64 }
    let next = others.map(magnitude).max() ?? 0
    return Arrival(
      frames: best, gain: correlation[best] / Double(values.count),
      clearness: next > 0 ? magnitude(best) / next : .infinity)
  }
}

/// A discrete Fourier transform of a power of two, by Cooley and Tukey's algorithm.
private struct Spectrum {
  private var real: [Double]
  private var imaginary: [Double]

  init(_ samples: [Float], size: Int) {
    real = samples.map { $0.isFinite ? Double($0) : 0 }
    real += [Double](repeating: 0, count: size - samples.count)
    imaginary = [Double](repeating: 0, count: size)
    transform(sign: -1)
  }

  mutating func multiply(byConjugateOf other: Spectrum) {
    for i in real.indices {
      let (a, b) = (real[i], imaginary[i])
      real[i] = a * other.real[i] + b * other.imaginary[i]
      imaginary[i] = b * other.real[i] - a * other.imaginary[i]
    }
  }

  /// Returns the real part of the inverse transform.
  func inverse() -> [Double] {
    var copy = self
    copy.transform(sign: 1)
    return copy.real.map { $0 / Double(real.count) }
  }

  private mutating func transform(sign: Double) {
    let count = real.count
    var target = 0
    for source in 1..<count {
      var bit = count >> 1
      while target & bit != 0 {
        target ^= bit
        bit >>= 1
      }
      target |= bit
      if source < target {
        real.swapAt(source, target)
        imaginary.swapAt(source, target)
      }
    }
    var length = 2
    while length <= count {
      let half = length / 2
      let turns = (0..<half).map { sign * 2 * Double.pi * Double($0) / Double(length) }
      let (cosines, sines) = (turns.map { cos($0) }, turns.map { sin($0) })
      for start in stride(from: 0, to: count, by: length) {
        for k in 0..<half {
          let (even, odd) = (start + k, start + k + half)
          let r = real[odd] * cosines[k] - imaginary[odd] * sines[k]
          let i = real[odd] * sines[k] + imaginary[odd] * cosines[k]
          (real[odd], imaginary[odd]) = (real[even] - r, imaginary[even] - i)
          real[even] += r
          imaginary[even] += i
        }
      }
      length *= 2
    }
  }
}
