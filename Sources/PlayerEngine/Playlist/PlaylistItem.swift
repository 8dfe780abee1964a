// SPDX-License-Identifier: MIT

public import ByteSources
public import Playlists

/// A track that a location or a list leads to.
public struct PlaylistItem: Sendable {
  /// A path or a URL for `TrackReader` and `Player`; it may hold a password.
  public var location: String
  /// What the list calls it.
  public var title: String?
  /// Who made it, as the list says.
  public var creator: String?
  /// What it is a part of, as the list says.
  public var album: String?
  /// How long the list says it is, in nanoseconds.
  public var durationNanoseconds: UInt64?
  /// The location, open, with every byte still to be read: it had to be opened to learn that it is no
  /// list. Whoever takes the item closes it.
  public var source: (any ByteSource)?

  /// A track of which no list says anything.
  public init(location: String) {
    self.location = location
  }

  init(location: String, source: (any ByteSource)?) {
    self.location = location
    self.source = source
  }

  init(location: String, entry: PlaylistEntry) {
    self.location = location
    title = entry.title
    creator = entry.creator
    album = entry.album
    durationNanoseconds = entry.durationNanoseconds
  }

  /// Adds what the list says of a track where the track itself says nothing.
  func complete(_ information: inout TrackInformation) {
    information.title = information.title ?? title
    information.artist = information.artist ?? creator
    information.album = information.album ?? album
    information.durationNanoseconds = information.durationNanoseconds ?? durationNanoseconds
  }
}

/// What a location is, once it has been looked at.
public enum PlaylistContent: Sendable {
  /// A list, read to its end; not the lists in it.
  case playlist(Playlist)
  /// Something else, open, with every byte still to be read.
  case other(any ByteSource)
}

/// What a location leads to, lists in lists included.
public struct PlaylistExpansion: Sendable {
  /// The tracks in their order.
  public var items: [PlaylistItem] = []
  /// The first entries that were left out, and why, in the lists' order: at most
  /// ``PlaylistLoader/failureLimit``.
  public var failures: [PlaylistFailure] = []
  /// Entries that were left out besides ``failures``.
  public var unlistedFailureCount = 0

  mutating func leaveOut(_ failure: PlaylistFailure) {
    if failures.count < PlaylistLoader.failureLimit {
      failures.append(failure)
    } else {
      unlistedFailureCount += 1
    }
  }
}
