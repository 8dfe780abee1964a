// SPDX-License-Identifier: MIT

/// Counts the cycles that the client was not called for, from the jumps of JACK's frame clock.
struct CycleContinuity {
  /// How a cycle follows the one before.
  struct Step {
    /// Frames of the clock in between.
    var missedFrames: UInt32
    /// Cycles in between. After an xrun the driver begins a new grid: part of a cycle lost is a cycle
    /// missed.
    var missedCycles: UInt64
    /// Whether the clock could tell.
    var isMeasured: Bool

    @_noLocks
    init(missedFrames: UInt32 = 0, missedCycles: UInt64 = 0, isMeasured: Bool = true) {
      self.missedFrames = missedFrames
      self.missedCycles = missedCycles
      self.isMeasured = isMeasured
    }
  }

  private var lastFrameTime: UInt32 = 0
  private var lastFrameCount: UInt32 = 0

  @_noLocks
  init() {}

  /// Takes in a cycle and judges it by the one before.
  ///
  /// A cycle of another size than the last is not judged: jack2 advances the clock by the new size
  /// there and PipeWire by the old one. Neither is a clock that went back, as PipeWire's does when
  /// the graph's rate changes.
  @_noLocks
  mutating func advance(frameTime: UInt32, frameCount: UInt32) -> Step {
    let jump = Int32(truncatingIfNeeded: frameTime &- lastFrameTime)
    let isSameSize = frameCount == lastFrameCount && frameCount > 0
    lastFrameTime = frameTime
    lastFrameCount = frameCount
    guard isSameSize, jump > 0 else { return Step(isMeasured: false) }
    let missed = UInt32(jump) > frameCount ? UInt32(jump) - frameCount : 0
    return Step(
      missedFrames: missed, missedCycles: UInt64((missed + frameCount - 1) / frameCount))
  }

  /// Takes in a cycle of a server that runs as fast as it can: its clock tells nothing, and it leaves
  /// out no one. The first cycle after it is not judged.
  @_noLocks
  mutating func advanceFreewheeling() -> Step {
    lastFrameCount = 0
    return Step()
  }
}
