// SPDX-License-Identifier: MIT

internal import Glibc

/// A second-order Butterworth high-pass by the bilinear transform, with its corner where it was asked for.
struct HighPassCoefficients: BitwiseCopyable {
  var b0: Double
  var b1: Double
  var b2: Double
  var a1: Double
  var a2: Double

  @_noLocks
  init(b0: Double, b1: Double, b2: Double, a1: Double, a2: Double) {
    self.b0 = b0
    self.b1 = b1
    self.b2 = b2
    self.a1 = a1
    self.a2 = a2
  }

  @_noLocks
  func isSame(as other: HighPassCoefficients) -> Bool {
    b0 == other.b0 && b1 == other.b1 && b2 == other.b2 && a1 == other.a1 && a2 == other.a2
  }

  /// Not for the render thread: the tangent is libm's.
  init(hertz: Double, sampleRate: Double) {
    let corner = min(max(1, hertz.isNaN ? 1 : hertz), 0.45 * sampleRate)
    let k = tan(Double.pi * corner / sampleRate)
    let norm = 1 / (1 + 2.0.squareRoot() * k + k * k)
    b0 = norm
    b1 = -2 * norm
    b2 = norm
    a1 = 2 * (k * k - 1) * norm
    a2 = (1 - 2.0.squareRoot() * k + k * k) * norm
  }
}

/// One channel's high-pass: a biquad in transposed direct form II, in double precision, because at 20 Hz
/// the poles lie so near to 1 that 24 bits hum.
///
/// Real-time: wait-free, render thread only.
struct HighPassFilter: BitwiseCopyable {
  private var s1 = 0.0
  private var s2 = 0.0

  @_noLocks
  init() {}

  @_noLocks @inline(__always)
  private mutating func filter(_ x: Double, _ c: HighPassCoefficients) -> Double {
    let y = c.b0 * x + s1
    s1 = c.b1 * x - c.a1 * y + s2
    s2 = c.b2 * x - c.a2 * y
    return y
  }

  /// Filters in place.
  @_noLocks
  mutating func apply(
    _ c: HighPassCoefficients, to samples: UnsafeMutablePointer<Float>, frameCount: Int
  ) {
    var filter = self
    for i in 0..<frameCount { unsafe samples[i] = Float(filter.filter(Double(samples[i]), c)) }
    self = filter
  }

  /// Filters in place, in a crossfade to another filter.
  ///
  /// - Parameters:
  ///   - coming: the other filter; used only while `change` moves.
  ///   - change: the weight of the other filter's result.
  ///   - mix: the weight of both results against the input. Both gains are copies, so each channel gets the same values.
  @_noLocks
  mutating func blend(
    _ c: HighPassCoefficients, with coming: inout HighPassFilter, _ next: HighPassCoefficients,
    change: Gain, mix: Gain, to samples: UnsafeMutablePointer<Float>, frameCount: Int
  ) {
    let isChanging = !change.isStill
    var (change, mix) = (change, mix)
    for i in 0..<frameCount {
      let x = unsafe Double(samples[i])
      var y = filter(x, c)
      if isChanging {
        let other = coming.filter(x, next)
        change.advance()
        y += Double(change.value) * (other - y)
      }
      mix.advance()
      unsafe samples[i] = Float(x + Double(mix.value) * (y - x))
    }
  }

  /// What has died away would become denormal, and slow; what is no number would stay so for ever.
  @_noLocks
  mutating func flush() {
    if !(s1.isFinite && s1.magnitude > 1e-24) { s1 = 0 }
    if !(s2.isFinite && s2.magnitude > 1e-24) { s2 = 0 }
  }
}
