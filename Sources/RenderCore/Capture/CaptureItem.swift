// SPDX-License-Identifier: MIT

/// What a capture's reader finds next.
public enum CaptureItem: Sendable, Equatable {
  /// Frames, which the reader was given.
  case frames(CapturedFrames)
  /// Something is missing between the frames before and those that follow.
  case discontinuity(CaptureDiscontinuity)
  /// Nothing yet.
  case empty
}

/// Some frames of one cycle, and when they came.
public struct CapturedFrames: Sendable, Equatable {
  /// Frames since the capture began up to the first of these, lost ones included as far as they could
  /// be counted.
  public var position: UInt64
  /// How many these are, at least 1.
  public var frameCount: Int
  /// Frames that the output had been given before the first of these, since its renderer was made:
  /// the clock of ``SourcePosition/deviceFrame``. Missed frames are not in it.
  public var deviceFrame: UInt64
  /// The output's own frame clock at the first of these. Wraps at 2³², as JACK's does.
  public var frameTime: UInt32
  /// When the cycle began that brought them, in nanoseconds of the output's clock. Their sound is
  /// older, by the capture latency of the ports.
  public var cycleNanoseconds: UInt64
  /// Frames of that cycle before these.
  public var offsetInCycle: Int

  /// Frames with these facts.
  public init(
    position: UInt64, frameCount: Int, deviceFrame: UInt64, frameTime: UInt32,
    cycleNanoseconds: UInt64, offsetInCycle: Int
  ) {
    self.position = position
    self.frameCount = frameCount
    self.deviceFrame = deviceFrame
    self.frameTime = frameTime
    self.cycleNanoseconds = cycleNanoseconds
    self.offsetInCycle = offsetInCycle
  }
}

/// Why frames are missing in what was captured.
public enum CaptureDiscontinuity: Sendable, Equatable {
  /// The reader was late: the ring was full, and so many frames were dropped.
  case overrun(frames: UInt64)
  /// The output was not called for so many frames of its clock; or, where that clock stood still or began
  /// anew, for the time of so many frames: the server was stopped, or another one has taken its place.
  case missed(frames: UInt64)
  /// The output's clock cannot tell whether anything is missing: it went back, or cycles got another
  /// length.
  case unmeasured
}

/// What a capture has counted. Each number only grows, and is exact as of some recent cycle.
public struct CaptureCounters: Sendable, Equatable {
  /// Frames that went into the ring.
  public var capturedFrames: UInt64
  /// Frames that did not fit because the reader was late.
  public var overrunFrames: UInt64
  /// Cycles that brought more frames than fitted.
  public var overruns: UInt64
  /// Frames of the output's clock that it was not called for, as far as they could be counted.
  public var missedFrames: UInt64

  /// Counters with these values.
  public init(
    capturedFrames: UInt64 = 0, overrunFrames: UInt64 = 0, overruns: UInt64 = 0,
    missedFrames: UInt64 = 0
  ) {
    self.capturedFrames = capturedFrames
    self.overrunFrames = overrunFrames
    self.overruns = overruns
    self.missedFrames = missedFrames
  }
}
