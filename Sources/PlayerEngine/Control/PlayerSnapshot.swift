// SPDX-License-Identifier: MIT

public import RenderCore

/// The state of a player at one moment, for a user interface.
public struct PlayerSnapshot: Sendable, Equatable {
  /// The player's state.
  public var state = PlayerState.idle
  /// Index of the current track, from 0; nil before the first.
  public var trackIndex: Int?
  /// That track's format, tags and duration; nil until known.
  public var track: TrackInformation?
  /// The decoder of that track's last prepared stream; nil before the first.
  public var decoder: DecoderChoice?
  /// Position in that track, less the output's latency. Silence does not count.
  public var positionNanoseconds: UInt64 = 0
  /// The output's frame clock at the end of the cycle that the position belongs to.
  public var frameTime: UInt32 = 0
  /// Target time of a seek until its sound begins; nil otherwise.
  public var seekTargetNanoseconds: UInt64?
  /// Whether that track can be sought in, back to its start: false for a pipe, and for bytes that a server sends only
  /// once and no spool holds.
  public var canSeek = false
  /// Speed of a scan as a multiple, negative for rewind; 0 for normal playback.
  public var scanSpeed = 0
  /// Tracks in the list.
  public var trackCount = 0
  /// The repeat mode.
  public var repeatMode = RepeatMode.off
  /// Start of each track on the time line of the transport that the player follows, from the first one on, as far as
  /// known. Nanoseconds.
  public var trackStartsNanoseconds: [UInt64] = []
  /// Running time of the output, silence included: AudioQueue's device time. Pauses, seeks and underruns do not stop
  /// it.
  public var outputNanoseconds: UInt64 = 0
  /// The buffer level, arrival rate and underruns.
  public var buffering = BufferingStatus()
  /// Time ranges of that track that play without another request to a server: the sound buffered from the position on,
  /// and the spooled ranges. In order and disjoint. Nanoseconds.
  public var bufferedRanges: [Range<UInt64>] = []
  /// The station's title of the sound at the position; nil if the station states none.
  public var streamTitle: StreamTitle?
  /// Frames of silence rendered since the last frame of sound. Once they reach the output's latency and a period, all
  /// sound has reached the listener.
  public var trailingSilentFrames: UInt64 = 0
  /// Samples that were NaN or infinite since the output's renderer was made. The renderer replaced them with silence.
  public var nonFiniteSamples: UInt64 = 0
  /// Underruns, packets and more, since the player was made.
  public var counters = SourceCounters()
}
