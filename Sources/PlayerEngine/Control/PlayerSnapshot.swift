// SPDX-License-Identifier: MIT

public import RenderCore

/// A player at one moment: for a user interface.
public struct PlayerSnapshot: Sendable, Equatable {
  /// What it is doing.
  public var state = PlayerState.idle
  /// The track that is heard, counted from 0; nil before the first.
  public var trackIndex: Int?
  /// What is known of that track.
  public var track: TrackInformation?
  /// The decoder of that track's last prepared stream; nil before the first.
  public var decoder: DecoderChoice?
  /// Time in that track of the frame that is heard now. Silence is not counted.
  public var positionNanoseconds: UInt64 = 0
  /// The output's frame clock at the end of the cycle that the position belongs to.
  public var frameTime: UInt32 = 0
  /// The time in the track that a seek is leading to, while that is not heard yet.
  public var seekTargetNanoseconds: UInt64?
  /// Whether any time of that track can be gone to, back to its start: not in a pipe, and not in what a
  /// server sends only once and no spool holds.
  public var canSeek = false
  /// How many times as fast the track goes by, backwards when negative; 0 when it just plays.
  public var scanSpeed = 0
  /// Tracks in the list.
  public var trackCount = 0
  /// What follows when a track has been played to its end.
  public var repeatMode = RepeatMode.off
  /// Where the tracks begin on the time line of the transport that the player follows, from the first one
  /// on, as far as that is known. Nanoseconds.
  public var trackStartsNanoseconds: [UInt64] = []
  /// How long the output has run, silence included: AudioQueue's device time. It goes on through pauses,
  /// seeks and underruns.
  public var outputNanoseconds: UInt64 = 0
  /// What is buffered, how fast more comes, and what is waited for.
  public var buffering = BufferingStatus()
  /// The times of the heard track that can be heard without asking a server: from the position on
  /// what is buffered, and what is spooled. In order, apart from each other. Nanoseconds.
  public var bufferedRanges: [Range<UInt64>] = []
  /// What the station says of what is heard; nil where nothing is said.
  public var streamTitle: StreamTitle?
  /// Frames of silence rendered since the last frame of sound: when they are the output's latency and a
  /// period, all sound has been heard.
  public var trailingSilentFrames: UInt64 = 0
  /// Samples that were NaN or infinite, of all that the output's renderer was given since it was made. Silence was
  /// heard in their place.
  public var nonFiniteSamples: UInt64 = 0
  /// Underruns, packets and more, since the player was made.
  public var counters = SourceCounters()
}
