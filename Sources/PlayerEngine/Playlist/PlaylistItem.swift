// SPDX-License-Identifier: MIT

public import ByteSources
public import Playlists

/// A track of a location or a list.
public struct PlaylistItem: Sendable {
  /// A path or a URL for `TrackReader` and `Player`; it may hold a password.
  public var location: String
  /// The title that the list states.
  public var title: String?
  /// The creator that the list states.
  public var creator: String?
  /// The album that the list states.
  public var album: String?
  /// The duration that the list states, in nanoseconds.
  public var durationNanoseconds: UInt64?
  /// The open source, with every byte still to be read, if the loader had to open it to check for a list. The user of
  /// the item closes it.
  public var source: (any ByteSource)?

  /// A track without metadata from a list.
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

  /// Fills in the list's metadata where the track itself states none.
  func complete(_ information: inout TrackInformation) {
    information.title = information.title ?? title
    information.artist = information.artist ?? creator
    information.album = information.album ?? album
    information.durationNanoseconds = information.durationNanoseconds ?? durationNanoseconds
  }
}

/// The content of a location.
public enum PlaylistContent: Sendable {
  /// A list, read to its end; not the lists in it.
  case playlist(Playlist)
  /// Anything else: an open source with every byte still to be read.
  case other(any ByteSource)
}

/// The tracks of a location, those of lists in lists included.
public struct PlaylistExpansion: Sendable {
  /// The tracks in their order.
  public var items: [PlaylistItem] = []
  /// Failures of the first entries that were left out, in the lists' order: at most ``PlaylistLoader/failureLimit``.
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
