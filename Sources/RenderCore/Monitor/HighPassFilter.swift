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

  @_noLocks
  mutating func reset() {
    s1 = 0
    s2 = 0
  }

  /// Filters in place. `mix` says how much of the result is taken, and of what came; it is at `mix` again
  /// for the next channel.
  @_noLocks
  mutating func apply(
    _ c: HighPassCoefficients, mix: LinearRamp, to samples: UnsafeMutablePointer<Float>,
    frameCount: Int
  ) {
    var (s1, s2) = (s1, s2)
    if mix.isStill, mix.value == 1 {
      for i in 0..<frameCount {
        let x = unsafe Double(samples[i])
        let y = c.b0 * x + s1
        s1 = c.b1 * x - c.a1 * y + s2
        s2 = c.b2 * x - c.a2 * y
        unsafe samples[i] = Float(y)
      }
    } else {
      var mix = mix
      for i in 0..<frameCount {
        let x = unsafe Double(samples[i])
        let y = c.b0 * x + s1
        s1 = c.b1 * x - c.a1 * y + s2
        s2 = c.b2 * x - c.a2 * y
        mix.advance()
        unsafe samples[i] = Float(x + Double(mix.value) * (y - x))
      }
    }
    self.s1 = Self.sound(s1)
    self.s2 = Self.sound(s2)
  }

  /// What has died away would become denormal, and slow; what is no number would stay so for ever.
  @_noLocks
  private static func sound(_ state: Double) -> Double {
    state.isFinite && state.magnitude > 1e-24 ? state : 0
  }
}
