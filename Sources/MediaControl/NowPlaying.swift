// SPDX-License-Identifier: MIT

/// The state of a player for other programs: a value, created anew whenever it may have changed.
public struct NowPlaying: Sendable, Equatable {
  /// The playback status.
  public enum Status: String, Sendable, CaseIterable {
    /// Sound plays, or will as soon as enough is buffered.
    case playing = "Playing"
    /// Silent; keeps its position.
    case paused = "Paused"
    /// Silent; playback will begin at the track's start.
    case stopped = "Stopped"
  }

  /// A repeat mode: the track that plays after the end of another.
  public enum Loop: String, Sendable, CaseIterable {
    /// The next track; playback ends after the last one.
    case none = "None"
    /// The same track again.
    case track = "Track"
    /// The next track; after the last one, the first.
    case playlist = "Playlist"
  }

  /// A track and its known metadata.
  public struct Track: Sendable, Equatable {
    /// Its index in the list, from 0, which identifies it.
    public var index: Int
    /// Its title.
    public var title: String?
    /// Its artist.
    public var artist: String?
    /// Its album.
    public var album: String?
    /// Its number on the album.
    public var number: Int32?
    /// Its URL without user name and password. Every program that asks receives it.
    public var url: String?
    /// Nanoseconds of sound.
    public var durationNanoseconds: UInt64?

    /// A track without metadata.
    public init(index: Int) {
      self.index = index
    }
  }

  /// The playback status.
  public var status = Status.stopped
  /// The repeat mode.
  public var loop = Loop.none
  /// Gain of the sound, 1 is as decoded.
  public var volume = 1.0
  /// Position in the track, or the target of a seek in progress. Nanoseconds.
  public var positionNanoseconds: UInt64 = 0
  /// The current track; nil before the first.
  public var track: Track?
  /// Whether there is a next track.
  public var canGoNext = false
  /// Whether there is a track to return to.
  public var canGoPrevious = false
  /// Whether the track can be sought in.
  public var canSeek = false

  /// Stopped, and before the first track.
  public init() {}
}
