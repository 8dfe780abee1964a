// SPDX-License-Identifier: MIT

public import PacketParser
public import RenderCore

/// The state of a player.
public enum PlayerState: String, Sendable, CaseIterable {
  /// Not started, or stopped.
  case idle
  /// The first track is being opened; its format is not known yet.
  case opening
  /// The player gathers packets before sound starts, or restarts after an underrun.
  case buffering
  /// Sound is rendered.
  case playing
  /// Silent on request; the player continues to gather packets.
  case paused
  /// Every track has been rendered to its end.
  case ended
  /// The last track could not be played to its end.
  case failed
}

/// An event of a player. Listeners receive events in order.
public enum PlayerEvent: Sendable, Equatable {
  /// The state changed to this one.
  case state(PlayerState)
  /// A track's format and length are known.
  case track(index: Int, TrackInformation)
  /// A track's first frame has been rendered.
  case started(index: Int)
  /// An underrun: the ring was empty in mid-stream, for this reason. Silence follows until enough is buffered.
  case underrun(StallCause)
  /// The station's title changes with the sound that is rendered now.
  case streamTitle(index: Int, StreamTitle)
  /// A seek has reached this time; the sound continues from there.
  case sought(index: Int, PlayerSeek)
  /// A seek failed. The sound continues, and so does an earlier seek in progress.
  case seekFailed(index: Int, PlayerError)
  /// A scan has started at this many times the speed, negative for rewind, or has ended (0): on request, at the track's
  /// end or start, after a failed seek, or by another command.
  case scan(speed: Int)
  /// A stretch of the track's stream is missing from its packets.
  case skipped(index: Int, AudioFileStreamGap)
  /// A packet of the track could not be decoded; silence of its length, or the decoder's concealment, replaces it. The
  /// packet's number, from 0, and its byte offset in the source.
  case packetFailed(index: Int, packet: Int64, byteOffset: Int64)
  /// The account of a track whose rendering has ended: at its end, or by a skip or stop. `TrackAccount.lossDescription`
  /// describes lost sound.
  case account(index: Int, TrackAccount)
  /// The output now runs at this many frames per second. The sound continued with the frame after the last one
  /// rendered.
  case outputRateChanged(hertz: Int)
  /// A track cannot be played, or not to its end. The next one follows.
  case failed(index: Int, PlayerError)
}

/// The result of a seek.
public struct PlayerSeek: Sendable, Equatable {
  /// The requested time in the track.
  public var askedNanoseconds: UInt64
  /// The time in the track of the frame that sounds next; the track's end if there is none.
  public var reachedNanoseconds: UInt64
  /// Whether the reached time is an estimate: nothing in the stream identifies the frame there.
  public var isEstimated: Bool
  /// Largest error of the reached time; 0 if exact, nil if unbounded.
  public var errorBoundNanoseconds: UInt64?
}

/// A repeat mode: the track that plays after the end of another.
public enum RepeatMode: String, Sendable, CaseIterable {
  /// The next track; playback ends after the last one.
  case off
  /// The same track again.
  case one
  /// The next track; after the last one, the first.
  case all
}

/// Buffering, decoding and resampling of a player.
public struct PlayerConfiguration: Sendable, Equatable {
  /// Nanoseconds of sound to gather before sound starts. It also starts when the input ends or the ring is full. A
  /// local source decoded ahead starts with 0.3 s or 10,000 frames if that is longer, and with 0.5 s after a skip or
  /// seek.
  public var startThresholdNanoseconds: UInt64 = 3_000_000_000
  /// Nanoseconds of sound to gather before it restarts after an underrun, unless the input ends or the ring is full.
  public var rebufferThresholdNanoseconds: UInt64 = 3_000_000_000
  /// High water: with this many nanoseconds of sound in the ring, reading pauses, which is back-pressure for a server.
  /// `.max` means the ring's capacity for a network source, 12 s or twice the larger threshold for a local file, and
  /// 1.5 s for a local source decoded ahead: local bytes are available at once, so more would waste memory.
  public var highWaterNanoseconds: UInt64 = .max
  /// Low water: reading resumes below this many nanoseconds. At most the high water mark is used; if both are equal,
  /// the feeder replaces played sound at once. With 0, reading resumes only when the ring is empty, which causes an
  /// underrun each time.
  public var lowWaterNanoseconds: UInt64 = .max
  /// Capacity of the packet ring in bytes.
  public var ringBytes = 2 << 20
  /// Capacity of the packet ring in packets.
  public var ringPackets = 4096
  /// The thread that decodes packets. Nil chooses the callback for each stream whose decoder neither allocates nor
  /// locks, if decoding and resampling one packet takes at most ``DecoderChoice/callbackShare`` of the output's period.
  /// The player measures this for each stream and after each seek, and chooses again when the period changes.
  /// ``PlayerSnapshot/decoder`` has the result.
  public var decoderThread: DecoderThread?
  /// Whether playback follows the output's transport and stops with it: the first track begins at the transport's frame
  /// 0, each other track at the end of the previous one. The player then ends only after a failure or a stop, and
  /// commands that seek, skip, scan or repeat do nothing. The output must follow the transport too:
  /// `RemoteIO.Configuration.followsTransport`.
  public var followsTransport = false
  /// Resampler quality for tracks whose rate differs from the output's.
  public var resamplerQuality = ResamplerQuality.good

  /// The defaults: thresholds of 3 s, a ring of 2 MiB, and a decoding thread chosen for each format.
  public init() {}

  /// Returns the high water mark for a kind of source.
  ///
  /// - Parameter isDecoded: the ring holds samples, which take ten times as much memory as packets.
  func highWaterNanoseconds(isLocal: Bool, isDecoded: Bool) -> UInt64 {
    // With a mark of 0 the feeder would rest while the ring is empty.
    guard isLocal, highWaterNanoseconds == .max else { return max(1, highWaterNanoseconds) }
    // The feeder looks once a second; half a second more covers its delays.
    if isDecoded { return 1_500_000_000 }
    let threshold = max(startThresholdNanoseconds, rebufferThresholdNanoseconds)
    // A disk may take ten seconds to spin up.
    let (twice, isHuge) = threshold.multipliedReportingOverflow(by: 2)
    return isHuge ? .max : max(12_000_000_000, twice)
  }
}
