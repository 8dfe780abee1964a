// SPDX-License-Identifier: MIT

/// A moment of a recording.
public struct AudioInputTime: Hashable, Sendable {
  /// Frames since the queue was started, those that were lost included and those of a pause not. Core
  /// Audio's `mSampleTime`
  public var sampleTime: Double
  /// Frames that the output had been given, since its renderer was made.
  public var deviceFrame: UInt64
  /// The moment on the output's clock, in nanoseconds. Core Audio's `mHostTime`
  public var hostNanoseconds: UInt64

  /// A moment with these numbers.
  public init(sampleTime: Double, deviceFrame: UInt64, hostNanoseconds: UInt64) {
    self.sampleTime = sampleTime
    self.deviceFrame = deviceFrame
    self.hostNanoseconds = hostNanoseconds
  }
}

/// Frames that a recording has not got, by the reason.
public struct AudioInputLoss: Hashable, Sendable {
  /// No buffer was enqueued: Core Audio's `kAudioQueueErr_RecordUnderrun`.
  public var underrunFrames: UInt64
  /// The queue's thread came too late to read them.
  public var overrunFrames: UInt64
  /// The output was not called for them.
  public var missedFrames: UInt64
  /// The output's clock could not tell whether there were more: it went back, or its cycles got another
  /// length.
  public var isUnmeasured: Bool

  /// No frames.
  public static let none = AudioInputLoss()

  /// A loss of so many frames.
  public init(
    underrunFrames: UInt64 = 0, overrunFrames: UInt64 = 0, missedFrames: UInt64 = 0,
    isUnmeasured: Bool = false
  ) {
    self.underrunFrames = underrunFrames
    self.overrunFrames = overrunFrames
    self.missedFrames = missedFrames
    self.isUnmeasured = isUnmeasured
  }

  mutating func add(_ other: AudioInputLoss) {
    underrunFrames += other.underrunFrames
    overrunFrames += other.overrunFrames
    missedFrames += other.missedFrames
    isUnmeasured = isUnmeasured || other.isUnmeasured
  }
}

/// What comes back with a buffer.
public struct AudioInputRecord: Hashable, Sendable {
  /// The moment of the buffer's first frame; nil when it came back empty.
  public var startTime: AudioInputTime?
  /// Packets in the buffer: frames, for linear PCM.
  public var packetCount: Int
  /// What is missing between the buffer before and this one. In a buffer nothing is missing: where
  /// frames are lost, it comes back with those before.
  public var lossBefore: AudioInputLoss

  /// A record with these facts.
  public init(
    startTime: AudioInputTime?, packetCount: Int, lossBefore: AudioInputLoss = .none
  ) {
    self.startTime = startTime
    self.packetCount = packetCount
    self.lossBefore = lossBefore
  }
}

/// What a recording has counted since its queue was made. Each number only grows.
public struct AudioInputCounters: Hashable, Sendable {
  /// Frames that came into buffers.
  public var recordedFrames: UInt64 = 0
  /// Frames that did not.
  public var loss = AudioInputLoss.none
  /// Times that frames were lost because no buffer was enqueued.
  public var underruns: UInt64 = 0
}
