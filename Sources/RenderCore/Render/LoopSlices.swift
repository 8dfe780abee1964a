// SPDX-License-Identifier: MIT

/// The progress of a feedback loop within a cycle.
struct LoopSlices {
  /// The index of the operation that begins the loop.
  let first: Int
  /// The node to which the loop's time is attributed, and the tick at which the loop began.
  let (node, timer): (UInt32, UInt64)
  private let frameCount: Int
  /// The frames of the slices that have ended; 0 outside of loops.
  private(set) var done = 0

  /// Makes the state outside of loops.
  @_noLocks
  init() {
    first = 0
    (node, timer) = (0, 0)
    frameCount = 0
  }

  @_noLocks
  init(_ first: Int, _ node: UInt32, timer: UInt64, frameCount: Int) {
    self.first = first
    (self.node, self.timer) = (node, timer)
    self.frameCount = frameCount
  }

  /// Ends a slice.
  ///
  /// - Parameter slice: the frames of the slice; becomes those of the next slice. After the last slice: of the cycle.
  /// - Returns: the frames from the beginning of this slice to the beginning of the next one. After the last slice, 0
  ///   or less: the frames back to the beginning of the cycle.
  @_noLocks
  mutating func next(_ slice: inout Int) -> Int {
    let frames = slice
    let left = frameCount &- done &- frames
    if left <= 0 {
      slice = frameCount
      return 0 &- done
    }
    done = done &+ frames
    slice = min(frames, left)
    return frames
  }

  /// Ends the loop.
  @_noLocks
  mutating func end() { done = 0 }
}

extension RenderCycle {
  /// Returns a part of the cycle.
  @_noLocks
  func slice(_ frames: Int, from first: Int) -> RenderCycle {
    var slice = self
    slice.frameCount = frames
    slice.frameTime &+= UInt32(truncatingIfNeeded: first)
    return slice
  }
}
