// SPDX-License-Identifier: MIT

/// The next item for a capture's reader.
public enum CaptureItem: Sendable, Equatable {
  /// Frames, which the reader has received.
  case frames(CapturedFrames)
  /// A gap between the frames before and the frames that follow.
  case discontinuity(CaptureDiscontinuity)
  /// No item yet.
  case empty
}

/// A description of some frames of one cycle.
public struct CapturedFrames: Sendable, Equatable {
  /// Frames from the start of the capture to the first of these, including lost frames as far as they could be
  /// counted.
  public var position: UInt64
  /// The number of frames, at least 1.
  public var frameCount: Int
  /// Frames that the output had received before the first of these, since its renderer was made: the clock of
  /// ``SourcePosition/deviceFrame``. It does not count missed frames.
  public var deviceFrame: UInt64
  /// The output's own frame clock at the first of these. Wraps at 2³², as JACK's does.
  public var frameTime: UInt32
  /// The start of the cycle that brought the frames, in nanoseconds of the output's clock. Their sound is older, by
  /// the capture latency of the ports.
  public var cycleNanoseconds: UInt64
  /// Frames of that cycle before these.
  public var offsetInCycle: Int

  /// Creates a description of frames.
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

/// The cause of a gap in the captured frames.
public enum CaptureDiscontinuity: Sendable, Equatable {
  /// The reader was late: the ring was full, and the render thread dropped this number of frames.
  case overrun(frames: UInt64)
  /// The output was not called for this number of frames of its clock: the server was stopped, or another server
  /// started. If the clock stood still or restarted, the number is the elapsed time in frames.
  case missed(frames: UInt64)
  /// The output's clock does not show whether frames are missing: it went back, or the length of a cycle changed.
  case unmeasured
}

/// The counters of a capture. Each only grows, and is exact as of some recent cycle.
public struct CaptureCounters: Sendable, Equatable {
  /// Frames that went into the ring.
  public var capturedFrames: UInt64
  /// Frames that did not fit because the reader was late.
  public var overrunFrames: UInt64
  /// Cycles with more frames than fitted.
  public var overruns: UInt64
  /// Frames of the output's clock for which the output was not called, as far as they could be counted.
  public var missedFrames: UInt64

  /// Creates counters with these values.
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
