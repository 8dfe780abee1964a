// SPDX-License-Identifier: MIT

internal import AudioModel
internal import CVectors

/// One section of two channels, a channel in each lane: a biquad in transposed direct form II, in double precision. At
/// 20 Hz the poles are so close to 1 that single precision adds noise at -40 dBFS.
///
/// Real-time: wait-free, render thread only.
struct BiquadPair: BitwiseCopyable {
  private var b0 = SIMD2<Double>(repeating: 1)
  private var b1 = SIMD2<Double>(repeating: 0)
  private var b2 = SIMD2<Double>(repeating: 0)
  private var a1 = SIMD2<Double>(repeating: 0)
  private var a2 = SIMD2<Double>(repeating: 0)
  private(set) var state = State()

  /// The state of a section between two frames.
  struct State: BitwiseCopyable {
    fileprivate var s1 = SIMD2<Double>(repeating: 0)
    fileprivate var s2 = SIMD2<Double>(repeating: 0)

    @_noLocks
    init() {}

    /// Filters a frame.
    @_noLocks @inline(__always)
    mutating func next(
      _ x: SIMD2<Double>, _ section: UnsafeMutablePointer<BiquadPair>
    ) -> SIMD2<Double> {
      let y = unsafe drawbar_pair_add(drawbar_pair_multiply(section.pointee.b0, x), s1)
      // In this order y reaches the next frame after one multiplication and two additions.
      s1 = unsafe drawbar_pair_subtract(
        drawbar_pair_add(drawbar_pair_multiply(section.pointee.b1, x), s2),
        drawbar_pair_multiply(section.pointee.a1, y))
      s2 = unsafe drawbar_pair_subtract(
        drawbar_pair_multiply(section.pointee.b2, x), drawbar_pair_multiply(section.pointee.a2, y))
      return y
    }

    /// Resets decayed values, which would become denormal and slow, and values that are not finite, which would
    /// otherwise stay.
    @_noLocks @inline(__always)
    mutating func flush() {
      s1 = Self.flushed(s1)
      s2 = Self.flushed(s2)
    }

    var isAtRest: Bool {
      @_noLocks get { s1 == SIMD2(repeating: 0) && s2 == SIMD2(repeating: 0) }
    }

    /// Keeps 1e-24 to 1e154. The comparisons are false for NaN.
    @_noLocks @inline(__always)
    private static func flushed(_ s: SIMD2<Double>) -> SIMD2<Double> {
      let square = s * s
      let isKept = (square .> 1e-48) .& (square .< .infinity)
      return SIMD2(repeating: 0).replacing(with: s, where: isKept)
    }
  }

  /// Makes a neutral section.
  @_noLocks
  init() {}

  /// Sets the coefficients of a lane: 0 or 1.
  @_noLocks
  mutating func set(_ c: BiquadCoefficients, lane: Int) {
    if lane == 0 {
      b0.x = c.b0
      b1.x = c.b1
      b2.x = c.b2
      a1.x = c.a1
      a2.x = c.a2
    } else {
      b0.y = c.b0
      b1.y = c.b1
      b2.y = c.b2
      a1.y = c.a1
      a2.y = c.a2
    }
  }

  /// Returns true if a lane, 0 or 1, has the same coefficients.
  @_noLocks
  func hasCoefficients(of other: BiquadPair, lane: Int) -> Bool {
    if lane == 0 {
      return b0.x == other.b0.x && b1.x == other.b1.x && b2.x == other.b2.x && a1.x == other.a1.x
        && a2.x == other.a2.x
    }
    return b0.y == other.b0.y && b1.y == other.b1.y && b2.y == other.b2.y && a1.y == other.a1.y
      && a2.y == other.a2.y
  }

  /// Takes over the state of a lane.
  @_noLocks
  mutating func keep(_ other: State, lane: Int) {
    if lane == 0 {
      state.s1.x = other.s1.x
      state.s2.x = other.s2.x
    } else {
      state.s1.y = other.s1.y
      state.s2.y = other.s2.y
    }
  }

  @_noLocks @inline(__always)
  mutating func keep(_ state: State) {
    self.state = state
  }

  @_noLocks
  mutating func flush() {
    state.flush()
  }

  @_noLocks
  mutating func rest() {
    state = State()
  }
}
