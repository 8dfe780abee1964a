// SPDX-License-Identifier: MIT

internal import Glibc

/// The coefficients of a filter that interpolates: a sinc with a Kaiser window.
///
/// Real-time: every call but the initialiser is wait-free.
@safe
struct FIRCoefficients: ~Copyable {
  private let count: Int
  private let values: UnsafeMutablePointer<Float>

  /// - Parameters:
  ///   - count: the number of coefficients.
  ///   - cutoff: the frequency at which the response is -6 dB, where 1 is half the sample rate.
  ///   - offset: the position of the result behind the middle sample, or behind the one before the middle.
  init(count: Int, cutoff: Double, offset: Double) {
    self.count = count
    unsafe values = .allocate(capacity: count)
    let middle = Double((count - 1) / 2) + offset
    let taps = (0..<count).map { index in
      let distance = Double(index) - middle
      let edge = 2 * distance / Double(count)
      let window = Self.bessel(5 * max(0, 1 - edge * edge).squareRoot())
      let angle = Double.pi * distance * cutoff
      return window * (angle == 0 ? 1 : sin(angle) / angle)
    }
    let sum = taps.reduce(0, +)
    for index in 0..<count {
      unsafe (values + index).initialize(to: Float(taps[index] / sum))
    }
  }

  deinit { unsafe values.deallocate() }

  /// Returns the modified Bessel function of order 0.
  private static func bessel(_ x: Double) -> Double {
    var (sum, term) = (1.0, 1.0)
    for index in 1...30 {
      term *= (x / 2 / Double(index)) * (x / 2 / Double(index))
      sum += term
    }
    return sum
  }

  /// Filters samples. Writes up to seven more results than `count`, and reads the samples for these.
  @_noLocks
  func filter(
    _ samples: UnsafePointer<Float>, into results: UnsafeMutablePointer<Float>, count frames: Int
  ) {
    var first = 0
    while first < frames {
      var (one, two) = (SIMD4<Float>(), SIMD4<Float>())
      for index in 0..<count {
        let place = unsafe UnsafeRawPointer(samples + (first &+ index))
        let value = unsafe SIMD4<Float>(repeating: values[index])
        one += unsafe value * place.loadUnaligned(as: SIMD4<Float>.self)
        two += unsafe value * place.loadUnaligned(fromByteOffset: 16, as: SIMD4<Float>.self)
      }
      let place = unsafe UnsafeMutableRawPointer(results + first)
      unsafe place.storeBytes(of: one, as: SIMD4<Float>.self)
      unsafe place.storeBytes(of: two, toByteOffset: 16, as: SIMD4<Float>.self)
      first = first &+ 8
    }
  }
}
