// SPDX-License-Identifier: MIT

public import PacketParser
public import RenderCore

/// What a player is doing.
public enum PlayerState: String, Sendable, CaseIterable {
  /// Nothing has been started, or it was stopped.
  case idle
  /// The first track is being opened; its format is not known yet.
  case opening
  /// Packets are being gathered before sound starts, or starts again after an underrun.
  case buffering
  /// Sound.
  case playing
  /// Silent because it was asked to be; packets go on being gathered.
  case paused
  /// Every track has been heard to its end.
  case ended
  /// The last track could not be played to its end.
  case failed
}

/// What happens while a player plays, in order.
public enum PlayerEvent: Sendable, Equatable {
  /// The state changed to this one.
  case state(PlayerState)
  /// A track's format and length are known.
  case track(index: Int, TrackInformation)
  /// A track's first frame has been rendered.
  case started(index: Int)
  /// The ring was empty in mid-stream, for this reason; silence until enough is buffered again.
  case underrun(StallCause)
  /// A station says something else of the sound from here on; told when that is rendered.
  case streamTitle(index: Int, StreamTitle)
  /// A seek has led here; what is heard from now on is from there.
  case sought(index: Int, PlayerSeek)
  /// A seek could not be made, and everything goes on: the sound, and an earlier seek that is under way.
  case seekFailed(index: Int, PlayerError)
  /// Fast forward or rewind has begun at this many times the speed, backwards when negative, or, with 0,
  /// has ended: asked for, or at the track's end or start, or with a seek that failed, or by another
  /// command.
  case scan(speed: Int)
  /// A stretch of the track's stream is missing from its packets.
  case skipped(index: Int, AudioFileStreamGap)
  /// A packet of the track could not be decoded, and silence of its length, or the decoder's own
  /// stand-in, is heard: the packet's number, from 0, and where in the source it lies.
  case packetFailed(index: Int, packet: Int64, byteOffset: Int64)
  /// What became of a track's sound, once all of it that will be rendered has been: at its end, or where a
  /// skip or stop has ended it. `TrackAccount.lossDescription` describes lost sound.
  case account(index: Int, TrackAccount)
  /// The output runs at this many frames per second now. The sound went on with the frame that follows the
  /// last one given.
  case outputRateChanged(hertz: Int)
  /// A track cannot be played, or not to its end. The next one follows.
  case failed(index: Int, PlayerError)
}

/// Where a seek has led.
public struct PlayerSeek: Sendable, Equatable {
  /// The time in the track that was asked for.
  public var askedNanoseconds: UInt64
  /// The time in the track of the frame that sounds next. The track's end when there is no such frame.
  public var reachedNanoseconds: UInt64
  /// The time reached is a guess, because nothing in the stream says which frame is there.
  public var isEstimated: Bool
  /// How far it may be off, at most; 0 when exact, nil when nothing bounds it.
  public var errorBoundNanoseconds: UInt64?
}

/// What follows when a track has been played to its end.
public enum RepeatMode: String, Sendable, CaseIterable {
  /// The next one, and after the last one nothing.
  case off
  /// The same track again.
  case one
  /// The next one, and after the last one the first.
  case all
}

/// How a player buffers.
public struct PlayerConfiguration: Sendable, Equatable {
  /// Nanoseconds of sound to gather before it starts. Sound also starts when the input has ended, when
  /// the ring is full, and with 0.3 s of a local source that is decoded ahead; half a second after a skip.
  public var startThresholdNanoseconds: UInt64 = 3_000_000_000
  /// Nanoseconds of sound to gather before it starts again after an underrun; likewise.
  public var rebufferThresholdNanoseconds: UInt64 = 3_000_000_000
  /// With so many nanoseconds of sound held ahead nothing more is read, and a server is made to wait.
  /// `.max`: as much as the ring takes; for a local source 12 s, or twice the thresholds where that is
  /// more, because a file is there when it is asked for, and memory is not used for nothing; a second and
  /// a half of a local source that is decoded ahead.
  public var highWaterNanoseconds: UInt64 = .max
  /// Reading goes on when less than this is held ahead. At most the high water mark is used; where
  /// both are the same, what is played is replaced at once. With 0 it goes on when nothing is left, so
  /// that there is an underrun each time.
  public var lowWaterNanoseconds: UInt64 = .max
  /// Bytes of packets held ahead.
  public var ringBytes = 2 << 20
  /// Packets held ahead.
  public var ringPackets = 4096
  /// Where packets are decoded. Nil chooses the callback for each stream whose decoder neither allocates nor locks,
  /// if decoding and resampling one packet takes at most ``DecoderChoice/callbackShare`` of the output's period. The
  /// player measures this for each stream and after each seek, and chooses again when the period changes.
  /// ``PlayerSnapshot/decoder`` has the result.
  public var decodePlace: DecodePlace?
  /// Whether the sound is where the output's transport is, and stands while that stands, instead of going
  /// its own way: the first track begins at the transport's frame 0, each of the others where the one before
  /// it ends. The player then never ends by itself unless it fails, and commands that lead elsewhere or
  /// repeat do nothing. For an output that follows one: `RemoteIO.Configuration.followsTransport`.
  public var followsTransport = false
  /// How tracks of another rate than the output's are resampled.
  public var resamplerQuality = ResamplerQuality.good

  /// Three seconds, two mebibytes, each format where it is decoded best.
  public init() {}

  /// The high water mark for a source of this kind.
  ///
  /// - Parameter isDecoded: what is held are samples, which take ten times as much memory as packets.
  func highWaterNanoseconds(isLocal: Bool, isDecoded: Bool) -> UInt64 {
    // With nothing held there is nothing to rest on.
    guard isLocal, highWaterNanoseconds == .max else { return max(1, highWaterNanoseconds) }
    // Half a second is kept for what may hold up the feeder, and it looks once a second.
    if isDecoded { return 1_500_000_000 }
    let threshold = max(startThresholdNanoseconds, rebufferThresholdNanoseconds)
    // A disk that has to spin up first takes up to ten seconds.
    let (twice, isHuge) = threshold.multipliedReportingOverflow(by: 2)
    return isHuge ? .max : max(12_000_000_000, twice)
  }
}
