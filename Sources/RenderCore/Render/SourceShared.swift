// SPDX-License-Identifier: MIT

internal import Synchronization

/// The mode of a source, which the control side sets.
public enum SourceMode: Sendable {
  /// Silence, at once and without a fade; no packet is taken from the ring. For filling the ring.
  case hold
  /// Sound, which fades in over ``Renderer/fadeSeconds`` after a pause.
  case play
  /// Fade out over ``Renderer/fadeSeconds``, then silence without taking packets. Playing resumes with the very next
  /// frame.
  case pause
  /// Like ``play`` until the source changes to the wanted ``SourceControl/flushSerial``, then like ``hold``: the dropped
  /// sound fades out, and the ring is filled before the new sound begins. Set it after the flushSerial.
  case holdAfterReset

  // Explicit numbers: checked code in another file cannot read a compiler-made raw value.
  static var holdCode: UInt32 { @_noLocks get { 0 } }
  static var playCode: UInt32 { @_noLocks get { 1 } }
  static var pauseCode: UInt32 { @_noLocks get { 2 } }
  static var holdAfterResetCode: UInt32 { @_noLocks get { 3 } }
  /// Like ``pause``, permanently: the source has been removed.
  static var leaveCode: UInt32 { @_noLocks get { 4 } }
}

/// The atomics between one source's control side and its render side. Each is written by one side only.
struct SourceShared: ~Copyable {
  // Written by the control side.
  let mode = Atomic<UInt32>(SourceMode.holdCode)
  // Each has a number in its upper half that changes with every setting, because packets also have settings: the later
  // one wins, even if its value is the same as before.
  let volume = Atomic<UInt64>(UInt64(Float(1).bitPattern))
  let pan = Atomic<UInt64>(0)
  /// The starting volume of sound, with a number in the same way.
  let settledVolume = Atomic<UInt64>(UInt64(Float(1).bitPattern))
  let rampSeconds = Atomic<UInt64>(0)
  let flushSerial = Atomic<UInt32>(0)
  /// The flush serial with which the clock starts at 0.
  let clockFlushSerial = Atomic<UInt32>(0)
  /// Frames of the source's clock in a second, as the bits of a `Double`; 0 for none.
  let clockRateBits = Atomic<UInt64>(0)
  /// The output's frame at which playing begins; a past frame means now.
  let startFrame = Atomic<UInt64>(0)
  let measuresLevels = Atomic<Bool>(false)
  let acknowledgedUnderruns = Atomic<UInt64>(0)
  /// Whether sound is wanted and will come, so that an output without deadlines waits for it.
  let holdsOutput = Atomic<Bool>(false)
  /// The number of entries taken out of the ring when it was too full for the feeder, which cannot write until more are
  /// taken; otherwise `.max`.
  let fullAtEntry = Atomic<UInt64>(.max)
  let outputRate: Atomic<Int>
  /// Whether the source follows a transport's position.
  let followsTransport = Atomic<Bool>(false)
  /// The answer to a request, whose number is in the upper half: `silenceCode` or `hereCode`.
  let transportAnswer = Atomic<UInt64>(0)
  private let padding0 = CacheLinePadding()

  // Written by the render thread: the position, under a sequence lock (odd during a write).
  let sequence = Atomic<UInt64>(0)
  let outputFrames = Atomic<UInt64>(0)
  let trailingSilentFrames = Atomic<UInt64>(0)
  let frameTime = Atomic<UInt32>(0)
  let hostNanoseconds = Atomic<UInt64>(0)
  let streamID = Atomic<UInt32>(0)
  let streamStartFrame = Atomic<UInt64>(0)
  let streamTrack = Atomic<Int>(0)
  let streamStartNanoseconds = Atomic<UInt64>(StreamOrigin.noTime)
  let rateHertz = Atomic<Int>(0)
  let rateStartFrame = Atomic<UInt64>(0)
  let rateDroppedNanoseconds = Atomic<UInt64>(0)
  let deviceFrame = Atomic<UInt64>(0)
  let cycleFrames = Atomic<Int>(0)
  let clockFramesBits = Atomic<UInt64>(0)
  let clockedFlushSerial = Atomic<UInt32>(0)
  private let padding1 = CacheLinePadding()

  // Written by the render thread: independent counters and values.
  let underruns = Atomic<UInt64>(0)
  let packets = Atomic<UInt64>(0)
  let failedPackets = Atomic<UInt64>(0)
  let stalePackets = Atomic<UInt64>(0)
  let silentFrames = Atomic<UInt64>(0)
  let droppedEvents = Atomic<UInt64>(0)
  let isSilent = Atomic<Bool>(true)
  /// Whether the output waits for sound, and takes it as fast as it comes.
  let isOutputWaiting = Atomic<Bool>(false)
  /// The frame that a transport requests: the request's number and the frame, 32 bits each.
  let transportRequest = Atomic<UInt64>(0)
  let renderedFlushSerial = Atomic<UInt32>(0)
  /// The effective settings, from the control side or from a packet, as the bits of a `Float`.
  let effectiveVolumeBits = Atomic<UInt32>(Float(1).bitPattern)
  let effectivePanBits = Atomic<UInt32>(0)
  let effectiveRampSecondsBits = Atomic<UInt32>(0)
  /// The number of the last setting that was taken.
  let takenVolume = Atomic<UInt32>(0)
  let takenPan = Atomic<UInt32>(0)
  let takenRampSeconds = Atomic<UInt32>(0)
  let levels: SourceLevels

  static var hereCode: UInt32 { @_noLocks get { 0 } }
  static var silenceCode: UInt32 { @_noLocks get { 1 } }

  init(outputRate: Int, outputChannels: Int) {
    self.outputRate = Atomic(outputRate)
    levels = SourceLevels(channels: outputChannels)
  }

  /// Sets the position before the first cycle. Call it before the render thread has the source.
  func begin(at cycle: RenderState.LastCycle) {
    deviceFrame.store(cycle.deviceFrame, ordering: .releasing)
    cycleFrames.store(cycle.frameCount, ordering: .releasing)
    hostNanoseconds.store(cycle.hostNanoseconds, ordering: .releasing)
  }
}

/// The position of a source, as of the last cycle.
public struct SourcePosition: Sendable, Equatable {
  /// Frames of sound output since the source was made, without silence.
  public var outputFrames: UInt64
  /// Frames of silence since the last frame of sound.
  public var trailingSilentFrames: UInt64
  /// The output's frame clock after the last cycle.
  public var frameTime: UInt32
  /// The time when the last cycle began, in nanoseconds of the output's clock; 0 before the output's first.
  public var hostNanoseconds: UInt64
  /// The stream that is being rendered; 0 before the first.
  public var streamID: UInt32
  /// The position of that stream's first frame, counted like ``outputFrames``. It is behind the last frame while a
  /// resampler still outputs the end of the stream before.
  public var streamStartFrame: UInt64
  /// The origin of that frame.
  public var streamOrigin: StreamOrigin
  /// The last change of the output's rate that the sound has followed.
  public var rateChange: RateChange
  /// Frames that the output had received when the last cycle began, since its renderer was made.
  public var deviceFrame: UInt64
  /// Frames of the last cycle.
  public var cycleFrames: Int
  /// The source's clock after the last cycle, in frames of the source; see ``SourceControl/clockRate``.
  public var clockFrames: Double
  /// The flush serial that the source had changed to by then.
  public var flushSerial: UInt32

  /// A change of the output's rate.
  public struct RateChange: Sendable, Equatable {
    /// Frames in a second; 0 if the rate never changed.
    public var hertz: Int
    /// The first frame of the new rate, counted like ``outputFrames``.
    public var outputFrame: UInt64
    /// The sound between the last frame of the old rate and this one, less than one frame: the frames of the two rates
    /// have different times.
    public var droppedNanoseconds: UInt64
  }
}

/// The origin of a stream's first frame, as stated by its feeder.
public struct StreamOrigin: Sendable, Equatable {
  /// The track of the frame.
  public var track: Int
  /// Its time in the track after a seek; nil if it directly follows the frames before.
  public var startNanoseconds: UInt64? {
    get { codedNanoseconds == Self.noTime ? nil : codedNanoseconds }
    set { codedNanoseconds = newValue ?? Self.noTime }
  }
  // No optional, so that the render thread can pass it on.
  var codedNanoseconds: UInt64

  static var noTime: UInt64 { @_noLocks get { .max } }

  /// Creates an origin with these parts.
  public init(track: Int, startNanoseconds: UInt64? = nil) {
    self.track = track
    codedNanoseconds = startNanoseconds ?? Self.noTime
  }
}

/// A source's counters. Each only grows, and is exact as of some recent cycle.
public struct SourceCounters: Sendable, Equatable {
  /// Times that the ring was empty before the stream had ended.
  public var underruns: UInt64
  /// Packets taken from the ring and decoded.
  public var packets: UInt64
  /// Packets that could not be decoded and were replaced by silence of their length.
  public var failedPackets: UInt64
  /// Packets dropped because a seek or a flush had made them stale.
  public var stalePackets: UInt64
  /// Frames of silence output because there was no sound to play.
  public var silentFrames: UInt64
  /// Events lost because they were not read in time.
  public var droppedEvents: UInt64

  /// Creates counters with these values.
  public init(
    underruns: UInt64 = 0, packets: UInt64 = 0, failedPackets: UInt64 = 0,
    stalePackets: UInt64 = 0, silentFrames: UInt64 = 0, droppedEvents: UInt64 = 0
  ) {
    self.underruns = underruns
    self.packets = packets
    self.failedPackets = failedPackets
    self.stalePackets = stalePackets
    self.silentFrames = silentFrames
    self.droppedEvents = droppedEvents
  }
}

/// A report of the render thread about a source, with the output frame to which it applies.
public struct SourceEvent: Sendable, Equatable {
  /// The kind of event.
  public enum Kind: Sendable, Equatable {
    /// The stream's first frame, with the origin that its feeder stated, is at `outputFrame`.
    case streamStarted(StreamOrigin)
    /// The stream's last frame is before `outputFrame`.
    case streamEnded
    /// The ring was empty; silence follows frame `outputFrame`.
    case underrun
    /// A packet could not be decoded; silence of its length, or the decoder's concealment, begins at `outputFrame`. The
    /// values are the packet's number in its stream, and its offset in the source.
    case packetFailed(packetIndex: Int64, byteOffset: Int64)
    /// The first sound of a packet that was fed with this mark is at `outputFrame`.
    case packetMarked(UInt32)
    /// From `outputFrame` on, frames have this rate. That frame is the first one at or after the end of the old rate's
    /// sound; less than one frame of sound is lost between them. Later frames in earlier events were counted at the old
    /// rate.
    case outputRateChanged(hertz: Int, droppedNanoseconds: UInt64)
  }

  /// The kind of event.
  public var kind: Kind
  /// The stream of the event.
  public var streamID: UInt32
  /// The frame of the event, counted like ``SourcePosition/outputFrames``.
  public var outputFrame: UInt64

  // The codes of the kinds of event in a ring of words.
  static var streamStartedCode: UInt64 { @_noLocks get { 0 } }
  static var streamEndedCode: UInt64 { @_noLocks get { 1 } }
  static var underrunCode: UInt64 { @_noLocks get { 2 } }
  static var packetFailedCode: UInt64 { @_noLocks get { 3 } }
  static var rateChangedCode: UInt64 { @_noLocks get { 4 } }
  static var packetMarkedCode: UInt64 { @_noLocks get { 5 } }

  init(kind: Kind, streamID: UInt32, outputFrame: UInt64) {
    self.kind = kind
    self.streamID = streamID
    self.outputFrame = outputFrame
  }

  /// Decodes an event from a record.
  init?(_ record: ReturnRing.Record) {
    streamID = UInt32(truncatingIfNeeded: record.first)
    outputFrame = record.second
    switch record.first >> 32 {
    case Self.streamStartedCode:
      var origin = StreamOrigin(track: Int(Int64(bitPattern: record.third)))
      origin.codedNanoseconds = record.fourth
      kind = .streamStarted(origin)
    case Self.streamEndedCode: kind = .streamEnded
    case Self.underrunCode: kind = .underrun
    case Self.packetFailedCode:
      kind = .packetFailed(
        packetIndex: Int64(bitPattern: record.third), byteOffset: Int64(bitPattern: record.fourth))
    case Self.rateChangedCode:
      kind = .outputRateChanged(hertz: Int(record.third), droppedNanoseconds: record.fourth)
    case Self.packetMarkedCode: kind = .packetMarked(UInt32(truncatingIfNeeded: record.third))
    default: return nil
    }
  }
}
