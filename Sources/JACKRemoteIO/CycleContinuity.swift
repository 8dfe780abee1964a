// SPDX-License-Identifier: MIT

/// Counts the cycles that the client was not called for, from the jumps of JACK's frame clock.
struct CycleContinuity {
  private var lastFrameTime: UInt32 = 0
  private var lastFrameCount: UInt32 = 0

  @_noLocks
  init() {}

  /// Takes in a cycle and gives the number of cycles missed since the one before.
  ///
  /// A cycle of another size than the last is not judged: jack2 advances the clock by the new size
  /// there and PipeWire by the old one. Neither is a clock that went back, as PipeWire's does when
  /// the graph's rate changes.
  @_noLocks
  mutating func missedCycles(frameTime: UInt32, frameCount: UInt32) -> UInt64 {
    let jump = Int32(truncatingIfNeeded: frameTime &- lastFrameTime)
    let isSameSize = frameCount == lastFrameCount && frameCount > 0
    lastFrameTime = frameTime
    lastFrameCount = frameCount
    guard isSameSize, jump > 0 else { return 0 }
    let excess = UInt32(jump) > frameCount ? UInt32(jump) - frameCount : 0
    // After an xrun the driver begins a new grid: part of a cycle lost is a cycle missed.
    return UInt64((excess + frameCount - 1) / frameCount)
  }

  /// Forgets the last cycle: the next one is not judged.
  @_noLocks
  mutating func reset() {
    lastFrameCount = 0
  }
}
