// SPDX-License-Identifier: MIT

/// A moment of a recording.
public struct AudioInputTime: Hashable, Sendable {
  /// Frames since the queue was started, including lost ones, excluding those of a pause. Core Audio's
  /// `mSampleTime`
  public var sampleTime: Double
  /// Frames delivered to the output since its renderer was made.
  public var deviceFrame: UInt64
  /// The moment on the output's clock, in nanoseconds. Core Audio's `mHostTime`
  public var hostNanoseconds: UInt64

  /// Creates a moment with these numbers.
  public init(sampleTime: Double, deviceFrame: UInt64, hostNanoseconds: UInt64) {
    self.sampleTime = sampleTime
    self.deviceFrame = deviceFrame
    self.hostNanoseconds = hostNanoseconds
  }
}

/// Frames that a recording lacks, by the cause.
public struct AudioInputLoss: Hashable, Sendable {
  /// No buffer was enqueued: Core Audio's `kAudioQueueErr_RecordUnderrun`.
  public var underrunFrames: UInt64
  /// The queue's thread came too late to read them.
  public var overrunFrames: UInt64
  /// The output was not called for them.
  public var missedFrames: UInt64
  /// Whether the output's clock could not measure the loss: it went back, or the length of its cycles changed.
  public var isUnmeasured: Bool

  /// No loss.
  public static let none = AudioInputLoss()

  /// Creates a loss of these frames.
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

/// The record of a returned buffer.
public struct AudioInputRecord: Hashable, Sendable {
  /// The moment of the buffer's first frame; nil when it came back empty.
  public var startTime: AudioInputTime?
  /// Packets in the buffer: frames, for linear PCM.
  public var packetCount: Int
  /// The frames missing between the buffer before and this one. No frames are missing within a buffer: at a
  /// loss it comes back with the frames before.
  public var lossBefore: AudioInputLoss

  /// Creates a record with these facts.
  public init(
    startTime: AudioInputTime?, packetCount: Int, lossBefore: AudioInputLoss = .none
  ) {
    self.startTime = startTime
    self.packetCount = packetCount
    self.lossBefore = lossBefore
  }
}

/// The counts of a recording since its queue was made. Each number only grows.
public struct AudioInputCounters: Hashable, Sendable {
  /// Frames recorded into buffers.
  public var recordedFrames: UInt64 = 0
  /// Frames that were not recorded.
  public var loss = AudioInputLoss.none
  /// Times that frames were lost because no buffer was enqueued.
  public var underruns: UInt64 = 0
}
