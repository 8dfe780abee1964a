// SPDX-License-Identifier: MIT

/// A gain that moves without a click. Its value is its target minus the remaining part of each pending step.
///
/// After k·N frames, a step of N frames has made k³(10 − 15k + 6k²) of its change. Steps add up, so a gain that
/// reverses in mid-step bends as smoothly as one that starts from rest, and stays between its targets. No step begins
/// before the waits of earlier ones are over, so this also holds while a step waits. At rest the value is the target,
/// to the bit. The values depend only on the frames since the steps began: how frames are cut into cycles changes no
/// bit.
///
/// At most four steps are pending. A fifth begins when the first of the four ends; of several that wait, the last one
/// is used. If that end is further away than the fifth is long, the gain starts from its present value instead, so
/// that a mute does not wait for a ramp of a minute.
///
/// Real-time: every call is wait-free, render thread only. A gain at rest costs one comparison.
struct Gain: BitwiseCopyable {
  /// The length of every fade that has no length of its own, in seconds.
  static var fadeSeconds: Double { @_noLocks get { 0.005 } }

  private struct Step: BitwiseCopyable {
    private let change: Double
    private let framesInverse: Double
    private(set) var framesLeft: Int

    /// Frames until the step begins.
    var wait: Int {
      @_noLocks get {
        framesLeft == 0 ? 0 : max(0, framesLeft - Int(1 / framesInverse + 0.5))
      }
    }

    /// Makes a step that has ended.
    @_noLocks
    init() {
      change = 0
      framesInverse = 0
      framesLeft = 0
    }

    /// - Parameter wait: frames before the step.
    @_noLocks
    init(_ change: Double, frames: Int, after wait: Int) {
      self.change = change
      framesInverse = 1 / Double(frames)
      framesLeft = frames + wait
    }

    /// Advances by a frame.
    ///
    /// - Returns: the remaining part of the change; the polynomial of 1 − k is 1 minus that of k.
    @_noLocks
    mutating func advance() -> Double {
      if framesLeft == 0 { return 0 }
      framesLeft &-= 1
      let left = Double(framesLeft) * framesInverse
      let k = left < 1 ? left : 1
      return change * (k * k * k * (10 - k * (15 - 6 * k)))
    }
  }

  /// The value before it is rounded to `Float`, whose steps are audible at -150 dBFS in a fade of two filters.
  private(set) var exactValue: Double
  var value: Float { @_noLocks get { Float(exactValue) } }
  /// The value after all steps, including one that waits.
  private(set) var target: Float
  /// Frames until the gain is at rest.
  private(set) var framesLeft = 0
  /// Frames of the waiting step; 0 if none waits.
  private var waitingFrames = 0
  /// The value after the steps that are pending.
  private var pendingTarget: Float
  private var steps = (Step(), Step(), Step(), Step())

  @_noLocks
  init(_ value: Float) {
    exactValue = Double(value)
    target = value
    pendingTarget = value
  }

  var isStill: Bool { @_noLocks get { framesLeft == 0 } }

  @_noLocks
  func isStill(at value: Float) -> Bool { framesLeft == 0 && self.value == value }

  /// Returns the frames of a time, at least one. A time is at most a minute.
  @_noLocks
  static func frames(_ seconds: Double, at sampleRate: Double) -> Int {
    let frames = seconds * sampleRate + 0.5
    // Also false for NaN.
    guard frames >= 1 else { return 1 }
    return Int(frames < 60 * 1_000_000 ? frames : 60 * 1_000_000)
  }

  @_noLocks
  mutating func jump(to value: Float) {
    self = Gain(value)
  }

  /// Adds a step to `target` that takes `frames` frames, at least one.
  ///
  /// - Parameter wait: frames before the step, at least those that pending steps still wait; none if four are pending.
  @_noLocks
  mutating func go(to target: Float, frames: Int, after wait: Int = 0) {
    if target == self.target { return }
    self.target = target
    waitingFrames = frames > 1 ? frames : 1
    let turn = framesUntilFree
    let wait = max(wait, max(max(steps.0.wait, steps.1.wait), max(steps.2.wait, steps.3.wait)))
    if turn > waitingFrames {
      pendingTarget = value
      steps = (Step(), Step(), Step(), Step())
      beginWaiting(after: wait)
    } else if turn == 0 {
      beginWaiting(after: wait)
    }
    framesLeft = max(
      max(max(steps.0.framesLeft, steps.1.framesLeft), max(steps.2.framesLeft, steps.3.framesLeft)),
      waitingFrames > 0 ? turn + waitingFrames : 0)
  }

  /// Advances by a frame.
  @_noLocks
  mutating func advance() {
    if framesLeft == 0 { return }
    framesLeft &-= 1
    let rest = (steps.0.advance() + steps.1.advance()) + (steps.2.advance() + steps.3.advance())
    exactValue = Double(pendingTarget) - rest
    if waitingFrames > 0, framesUntilFree == 0 { beginWaiting(after: 0) }
  }

  @_noLocks
  mutating func advance(by frames: Int) {
    var left = frames < framesLeft ? frames : framesLeft
    while left > 0 {
      advance()
      left &-= 1
    }
  }

  /// Advances by a number of frames and writes the value of each.
  @_noLocks
  mutating func advance(through values: UnsafeMutablePointer<Double>, frameCount: Int) {
    for i in 0..<frameCount {
      advance()
      unsafe values[i] = exactValue
    }
  }

  /// Frames until the first of the pending steps ends, if all four are pending.
  private var framesUntilFree: Int {
    @_noLocks get {
      min(
        min(steps.0.framesLeft, steps.1.framesLeft), min(steps.2.framesLeft, steps.3.framesLeft))
    }
  }

  @_noLocks
  private mutating func beginWaiting(after wait: Int) {
    let step = Step(
      Double(target) - Double(pendingTarget), frames: waitingFrames, after: wait)
    if steps.0.framesLeft == 0 {
      steps.0 = step
    } else if steps.1.framesLeft == 0 {
      steps.1 = step
    } else if steps.2.framesLeft == 0 {
      steps.2 = step
    } else {
      steps.3 = step
    }
    pendingTarget = target
    waitingFrames = 0
  }
}
