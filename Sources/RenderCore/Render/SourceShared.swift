// SPDX-License-Identifier: MIT

internal import Synchronization

/// What the control side wants of a source.
public enum SourceMode: Sendable {
  /// Silence, at once and without a fade; nothing is pulled. For filling the ring.
  case hold
  /// Pull and sound, which fades in over ``Renderer/fadeSeconds`` after a pause.
  case play
  /// Fade out over ``Renderer/fadeSeconds``, then silence; nothing is pulled then. Playing goes on with the very next frame.
  case pause
  /// As ``play`` until the source goes over to the ``SourceControl/generation`` that is wanted, then as
  /// ``hold``: what is dropped fades out, and the ring is filled before the new sound begins. Set after the
  /// generation.
  case holdAfterReset

  // Numbers by hand: a compiler-made raw value cannot be read by checked code in another file.
  static var holdCode: UInt32 { @_noLocks get { 0 } }
  static var playCode: UInt32 { @_noLocks get { 1 } }
  static var pauseCode: UInt32 { @_noLocks get { 2 } }
  static var holdAfterResetCode: UInt32 { @_noLocks get { 3 } }
  /// As ``pause``, for good: the source has been removed.
  static var leaveCode: UInt32 { @_noLocks get { 4 } }
}

/// The atomics between one source's control side and its render side. Each is written by one side
/// only.
struct SourceShared: ~Copyable {
  // Written by the control side.
  let mode = Atomic<UInt32>(SourceMode.holdCode)
  // Each with a number that changes with every setting, because packets bring settings, too: the later
  // one holds, also where it is the same as the one before.
  let volume = Atomic<UInt64>(UInt64(Float(1).bitPattern))
  let pan = Atomic<UInt64>(0)
  /// The volume that sound begins at, with a number likewise.
  let settledVolume = Atomic<UInt64>(UInt64(Float(1).bitPattern))
  let rampSeconds = Atomic<UInt64>(0)
  let generation = Atomic<UInt32>(0)
  /// The generation with which the clock starts at 0.
  let clockGeneration = Atomic<UInt32>(0)
  /// Frames of the source's clock in a second, as the bits of a `Double`; 0 for none.
  let clockRateBits = Atomic<UInt64>(0)
  /// The output's frame at which playing begins; what is past is now.
  let startFrame = Atomic<UInt64>(0)
  let measuresLevels = Atomic<Bool>(false)
  let acknowledgedUnderruns = Atomic<UInt64>(0)
  /// Sound is wanted and on its way: an output without deadlines waits for it.
  let isAwaited = Atomic<Bool>(false)
  /// The feeder can write nothing until more than so many entries were taken out of the ring; else `.max`.
  let fullAtEntry = Atomic<UInt64>(.max)
  let outputRate: Atomic<Int>
  /// The source sounds where a transport says.
  let followsTransport = Atomic<Bool>(false)
  /// What becomes of a request, by its number in the upper half: `silenceCode` or `hereCode`.
  let transportAnswer = Atomic<UInt64>(0)
  private let padding0 = CacheLinePadding()

  // Written by the render thread: the position, under a sequence lock (odd while it is written).
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
  let clockedGeneration = Atomic<UInt32>(0)
  private let padding1 = CacheLinePadding()

  // Written by the render thread: counters and facts, each by itself.
  let underruns = Atomic<UInt64>(0)
  let packets = Atomic<UInt64>(0)
  let failedPackets = Atomic<UInt64>(0)
  let stalePackets = Atomic<UInt64>(0)
  let silentFrames = Atomic<UInt64>(0)
  let droppedEvents = Atomic<UInt64>(0)
  let isSilent = Atomic<Bool>(true)
  /// The output waits for sound, and takes it as fast as it comes.
  let isWaitedFor = Atomic<Bool>(false)
  /// Where a transport wants the source: the request's number and the frame, 32 bits each.
  let transportRequest = Atomic<UInt64>(0)
  let renderedGeneration = Atomic<UInt32>(0)
  /// The settings that hold now, whoever made them, as the bits of a `Float`.
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

  /// The position before the first cycle. Before the render thread has the source.
  func begin(at cycle: RenderState.LastCycle) {
    deviceFrame.store(cycle.deviceFrame, ordering: .releasing)
    cycleFrames.store(cycle.frameCount, ordering: .releasing)
    hostNanoseconds.store(cycle.hostNanoseconds, ordering: .releasing)
  }
}

/// Where a source is, as of the last cycle.
public struct SourcePosition: Sendable, Equatable {
  /// Frames of sound given to the output since the source was made. Silence is not counted.
  public var outputFrames: UInt64
  /// Frames of silence since the last frame of sound.
  public var trailingSilentFrames: UInt64
  /// The output's frame clock after the last cycle.
  public var frameTime: UInt32
  /// When the last cycle began, in nanoseconds of the output's clock; 0 before the output's first.
  public var hostNanoseconds: UInt64
  /// The stream that is being rendered; 0 before the first.
  public var streamID: UInt32
  /// Where that stream's first frame is, counted as ``outputFrames`` is. Behind the last one while a
  /// resampler still gives the end of the stream before.
  public var streamStartFrame: UInt64
  /// What that frame is.
  public var streamOrigin: StreamOrigin
  /// The last change of the output's rate that the sound has followed.
  public var rateChange: RateChange
  /// Frames that the output had been given when the last cycle began, since its renderer was made.
  public var deviceFrame: UInt64
  /// Frames of the last cycle.
  public var cycleFrames: Int
  /// What the source's clock showed after the last cycle, in frames of the source; see
  /// ``SourceControl/clockRate``.
  public var clockFrames: Double
  /// The generation that it had gone over to then.
  public var generation: UInt32

  /// From where on the frames are of another rate.
  public struct RateChange: Sendable, Equatable {
    /// Frames in a second; 0 when the rate never changed.
    public var hertz: Int
    /// The first of them, counted as ``outputFrames`` is.
    public var outputFrame: UInt64
    /// The sound between the last frame of the old rate and this one, less than one frame: the two rates'
    /// frames lie at different times.
    public var droppedNanoseconds: UInt64
  }
}

/// What a stream's first frame is, as its feeder says.
public struct StreamOrigin: Sendable, Equatable {
  /// The track that it belongs to.
  public var track: Int
  /// Its time in the track, where that is not simply after what came before: a seek led there.
  public var startNanoseconds: UInt64? {
    get { codedNanoseconds == Self.noTime ? nil : codedNanoseconds }
    set { codedNanoseconds = newValue ?? Self.noTime }
  }
  // No optional, so that the render thread can hand it on.
  var codedNanoseconds: UInt64

  static var noTime: UInt64 { @_noLocks get { .max } }

  /// An origin with these parts.
  public init(track: Int, startNanoseconds: UInt64? = nil) {
    self.track = track
    codedNanoseconds = startNanoseconds ?? Self.noTime
  }
}

/// A source's counters. Each only grows, and is exact as of some recent cycle.
public struct SourceCounters: Sendable, Equatable {
  /// Times that the ring was empty though the stream had not ended.
  public var underruns: UInt64
  /// Packets pulled and decoded.
  public var packets: UInt64
  /// Packets that could not be decoded and were replaced by silence of their length.
  public var failedPackets: UInt64
  /// Packets dropped because a seek or a flush had made them stale.
  public var stalePackets: UInt64
  /// Frames of silence given because there was nothing to play.
  public var silentFrames: UInt64
  /// Events lost because nobody fetched them.
  public var droppedEvents: UInt64

  /// Counters with these values.
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

/// What the render thread tells about a source, with the output frame at which it holds.
public struct SourceEvent: Sendable, Equatable {
  /// What happened.
  public enum Kind: Sendable, Equatable {
    /// The stream's first frame is at `outputFrame`, and is what its feeder says.
    case streamStarted(StreamOrigin)
    /// The stream's last frame is before `outputFrame`.
    case streamEnded
    /// The ring was empty; silence follows frame `outputFrame`.
    case underrun
    /// A packet could not be decoded; silence of its length, or the decoder's own stand-in, begins at
    /// `outputFrame`. The packet's number in its stream, and where in the source it lies.
    case packetFailed(packetIndex: Int64, byteOffset: Int64)
    /// The first sound of a packet that was fed with this mark is at `outputFrame`.
    case packetMarked(UInt32)
    /// From `outputFrame` on frames are of this rate. The first one is the first at or after the place where
    /// the old rate's sound ended; what lies between is less than one frame. What earlier events said of later
    /// frames was counted at the old rate.
    case outputRateChanged(hertz: Int, droppedNanoseconds: UInt64)
  }

  /// What happened.
  public var kind: Kind
  /// The stream that it happened to.
  public var streamID: UInt32
  /// The place, counted as ``SourcePosition/outputFrames`` is.
  public var outputFrame: UInt64

  // The numbers by which an event travels through a ring of words.
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

  /// The event that travelled as this record.
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
