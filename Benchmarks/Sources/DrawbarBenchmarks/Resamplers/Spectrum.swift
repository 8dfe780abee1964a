// SPDX-License-Identifier: MIT

internal import Glibc

/// The amplitudes of a signal's frequencies.
struct Spectrum {
  /// The largest amplitude, scaled for a sine; at least 1e-10.
  let peak: Double

  /// A flat-top window (ISO 18431-2), which shows a sine's amplitude to 0.01 dB at any frequency between two
  /// lines.
  private static let window = [
    0.215_578_95, -0.416_631_58, 0.277_263_158, -0.083_578_947, 0.006_947_368,
  ]

  /// - Parameter samples: the signal; the count must be a power of two.
  init(_ samples: [Double]) {
    let count = samples.count
    precondition(count.nonzeroBitCount == 1)
    var real = samples.indices.map { index in
      let angle = 2 * Double.pi * Double(index) / Double(count)
      return samples[index]
        * Self.window.indices.reduce(0) { $0 + Self.window[$1] * cos(Double($1) * angle) }
    }
    var imaginary = [Double](repeating: 0, count: count)
    Self.transform(&real, &imaginary)
    let scale = 2 / (Double(count) * Self.window[0])
    peak = (0..<count / 2).reduce(1e-10) { peak, line in
      max(peak, scale * hypot(real[line], imaginary[line]))
    }
  }

  /// The discrete Fourier transform, in place: radix 2, decimation in time.
  private static func transform(_ real: inout [Double], _ imaginary: inout [Double]) {
    let count = real.count
    let bits = count.trailingZeroBitCount
    for index in 1..<count {
      let mirrored = Int(UInt(index).bitReversed >> (UInt.bitWidth - bits))
      if mirrored > index { real.swapAt(index, mirrored) }
    }
    let twiddles = (0..<count / 2).map { index in
      let angle = -2 * Double.pi * Double(index) / Double(count)
      return (real: cos(angle), imaginary: sin(angle))
    }
    var half = 1
    while half < count {
      let stride = count / (2 * half)
      for start in Swift.stride(from: 0, to: count, by: 2 * half) {
        for offset in 0..<half {
          let twiddle = twiddles[offset * stride]
          let (low, high) = (start + offset, start + offset + half)
          let r = real[high] * twiddle.real - imaginary[high] * twiddle.imaginary
          let i = real[high] * twiddle.imaginary + imaginary[high] * twiddle.real
          (real[high], imaginary[high]) = (real[low] - r, imaginary[low] - i)
          (real[low], imaginary[low]) = (real[low] + r, imaginary[low] + i)
        }
      }
      half *= 2
    }
  }
}

extension UInt {
  fileprivate var bitReversed: UInt {
    var (source, result) = (self, UInt(0))
    for _ in 0..<UInt.bitWidth {
      result = result << 1 | source & 1
      source >>= 1
    }
    return result
  }
}
