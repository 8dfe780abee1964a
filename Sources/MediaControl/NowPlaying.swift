// SPDX-License-Identifier: MIT

/// What a player is doing, as others are shown it: a value, made anew whenever it may have changed.
public struct NowPlaying: Sendable, Equatable {
  /// Whether there is sound.
  public enum Status: String, Sendable, CaseIterable {
    /// Sound, or as soon as it can be had.
    case playing = "Playing"
    /// Silent, and keeps its place.
    case paused = "Paused"
    /// Silent; playing begins with the track's start.
    case stopped = "Stopped"
  }

  /// What follows when a track has been played to its end.
  public enum Loop: String, Sendable, CaseIterable {
    /// The next one, and after the last one nothing.
    case none = "None"
    /// The same track again.
    case track = "Track"
    /// The next one, and after the last one the first.
    case playlist = "Playlist"
  }

  /// A track, with what is known of it.
  public struct Track: Sendable, Equatable {
    /// Its place in the list, counted from 0: what tells it from the others.
    public var index: Int
    /// Its name.
    public var title: String?
    /// Who made it.
    public var artist: String?
    /// What it is from.
    public var album: String?
    /// Its number on the album.
    public var number: Int32?
    /// Where it is, as a URL without user name and password. It is told to every program that asks.
    public var url: String?
    /// Nanoseconds of sound.
    public var durationNanoseconds: UInt64?

    /// A track of which nothing is known.
    public init(index: Int) {
      self.index = index
    }
  }

  /// Whether there is sound.
  public var status = Status.stopped
  /// What follows the track.
  public var loop = Loop.none
  /// Gain of the sound, 1 is as decoded.
  public var volume = 1.0
  /// Time in the track of what is heard, or of where a seek is leading. Nanoseconds.
  public var positionNanoseconds: UInt64 = 0
  /// The track that is heard; nil before the first.
  public var track: Track?
  /// There is a track to go on to.
  public var canGoNext = false
  /// There is a track to go back to.
  public var canGoPrevious = false
  /// A time in the track can be gone to.
  public var canSeek = false

  /// Stopped, and before the first track.
  public init() {}
}
