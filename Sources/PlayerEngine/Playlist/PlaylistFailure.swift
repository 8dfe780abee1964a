// SPDX-License-Identifier: MIT

internal import AudioModel
public import ByteSources
public import Playlists

/// Why a list, or an entry of one, leads to nothing.
public struct PlaylistFailure: Error, Hashable, Sendable {
  /// What is wrong.
  public enum Reason: Hashable, Sendable {
    /// The location could not be read.
    case source(ByteSourceError)
    /// The list cannot be used.
    case list(PlaylistError)
    /// This entry of the list, as written, cannot be used.
    case entry(String, PlaylistEntryError)
    /// This entry of the list is a list in which it stands itself.
    case cycle(String)
    /// This entry of the list is a list, and lists are read only so deep.
    case tooDeep(String, limit: Int)
    /// There are more lists in the list than are read.
    case tooManyLists(limit: Int)
    /// There are more tracks in the list and those in it than are taken.
    case tooManyTracks(limit: Int)
    /// The list has no entries.
    case empty
    /// Whoever asked wants it no longer.
    case cancelled
  }

  /// The list's path, or its URL without user name and password.
  public var location: String
  /// The line of the list, from 1, where an entry is at fault.
  public var line: Int?
  /// What is wrong.
  public var reason: Reason

  /// A failure with these fields.
  public init(_ reason: Reason, at location: String, line: Int? = nil) {
    self.reason = reason
    self.location = location
    self.line = line
  }
}

extension PlaylistFailure: CustomStringConvertible {
  /// What is wrong, where, and what to do, in one line.
  public var description: String { sentence.asMessage }

  private var sentence: String {
    switch reason {
    case .source(let error): "\(error)"
    case .list(let error): "\(location): \(error)"
    case .entry("", let error): "\(place): the track \(error)"
    case .entry(let written, let error): "\(place): \(written.withoutCredentials) \(error)"
    case .cycle(let written):
      "\(place): \(written.withoutCredentials) contains itself; take it out of the list"
    case .tooDeep(let written, let limit):
      "\(place): \(written.withoutCredentials) is a list in \(limit) others, and is not read; play it"
        + " by itself"
    case .tooManyLists(let limit):
      "\(place): more than \(limit) lists in one; play the others by themselves"
    case .tooManyTracks(let limit):
      "\(place): more than \(limit) tracks in one list; divide it"
    case .empty: "\(location) is a playlist without entries; check what wrote or served it"
    case .cancelled: "\(location) was not read to its end"
    }
  }

  private var place: String { line.map { "\(location), line \($0)" } ?? location }
}
