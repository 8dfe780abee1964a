// SPDX-License-Identifier: MIT

/// Counts missed cycles, from the jumps of JACK's frame clock.
struct CycleContinuity {
  /// The gap between a cycle and the one before.
  struct Step {
    /// Frames of the clock in the gap.
    var missedFrames: UInt32
    /// Cycles in the gap. After an xrun the driver begins a new grid, so a partly lost cycle counts as missed.
    var missedCycles: UInt64
    /// Whether the clock could measure the gap.
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

  /// Records a cycle and measures the gap since the one before.
  ///
  /// A cycle whose size differs from the last one's is not measured: jack2 advances the clock by the new size
  /// and PipeWire by the old one. A clock that went back is not measured either, as PipeWire's does when the
  /// graph's rate changes.
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

  /// Records a cycle of a freewheeling server, whose clock measures nothing and which skips no client. The
  /// first cycle after freewheeling is not measured.
  @_noLocks
  mutating func advanceFreewheeling() -> Step {
    lastFrameCount = 0
    return Step()
  }
}
