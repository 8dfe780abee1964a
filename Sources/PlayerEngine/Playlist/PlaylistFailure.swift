// SPDX-License-Identifier: MIT

internal import AudioModel
public import ByteSources
public import Playlists

/// A failure of a list, or of an entry in one.
public struct PlaylistFailure: Error, Hashable, Sendable {
  /// The kind of failure.
  public enum Reason: Hashable, Sendable {
    /// The location could not be read.
    case source(ByteSourceError)
    /// The list cannot be used.
    case list(PlaylistError)
    /// This entry of the list, as written, cannot be used.
    case entry(String, PlaylistEntryError)
    /// This entry of the list is a list that contains itself.
    case cycle(String)
    /// This entry of the list is a list nested deeper than the limit.
    case tooDeep(String, limit: Int)
    /// The list contains more lists than the limit.
    case tooManyLists(limit: Int)
    /// The list and those in it contain more tracks than the limit.
    case tooManyTracks(limit: Int)
    /// The list has no entries.
    case empty
    /// The caller cancelled the reading.
    case cancelled
  }

  /// The list's path, or its URL without user name and password.
  public var location: String
  /// The line of the list, from 1, where an entry is at fault.
  public var line: Int?
  /// The kind of failure.
  public var reason: Reason

  /// A failure with these fields.
  public init(_ reason: Reason, at location: String, line: Int? = nil) {
    self.reason = reason
    self.location = location
    self.line = line
  }
}

extension PlaylistFailure: CustomStringConvertible {
  /// The failure, its location and a remedy, in one line.
  public var description: String { sentence.asMessage }

  private var sentence: String {
    switch reason {
    case .source(let error): "\(error)"
    case .list(let error): "\(location): \(error)"
    case .entry("", let error): "\(origin): the track \(error)"
    case .entry(let written, let error): "\(origin): \(written.withoutCredentials) \(error)"
    case .cycle(let written):
      "\(origin): \(written.withoutCredentials) contains itself; take it out of the list"
    case .tooDeep(let written, let limit):
      "\(origin): \(written.withoutCredentials) is a list in \(limit) others, and is not read; play it"
        + " by itself"
    case .tooManyLists(let limit):
      "\(origin): more than \(limit) lists in one; play the others by themselves"
    case .tooManyTracks(let limit):
      "\(origin): more than \(limit) tracks in one list; divide it"
    case .empty: "\(location) is a playlist without entries; check what wrote or served it"
    case .cancelled: "\(location) was not read to its end"
    }
  }

  private var origin: String { line.map { "\(location), line \($0)" } ?? location }
}
