// SPDX-License-Identifier: MIT

/// One call of the output: the number of frames and their time.
public struct RenderCycle: Sendable {
  /// Frames wanted in every output buffer. Any number from 1 to ``Renderer/maximumFramesPerCycle``; it may change from
  /// cycle to cycle.
  public var frameCount: Int
  /// The output's own frame clock at the first of those frames. Wraps at 2³², as JACK's does.
  public var frameTime: UInt32
  /// The time at which the output's callback was entered, in nanoseconds of the output's clock. That is later than the
  /// start of the cycle by the wake-up: JACK's own estimate of the start is wrong by milliseconds after an xrun.
  public var hostNanoseconds: UInt64
  /// The cycle's position on the time line of the transport that the output follows; none at first.
  public var transport = RenderTransport.none

  /// Creates a cycle with these values.
  @_noLocks
  public init(frameCount: Int, frameTime: UInt32, hostNanoseconds: UInt64) {
    self.frameCount = frameCount
    self.frameTime = frameTime
    self.hostNanoseconds = hostNanoseconds
  }
}
