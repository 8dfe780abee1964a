// SPDX-License-Identifier: MIT

import AudioModel

/// One entry of a list.
public struct PlaylistEntry: Hashable, Sendable {
  /// The location as written in the list, without white space around it; empty if there is none.
  public var written: String
  /// The target, or the reason why there is none.
  public var target: Result<PlaylistTarget, PlaylistEntryError>
  /// The title, if the list states it.
  public var title: String?
  /// The creator; only XSPF states it.
  public var creator: String?
  /// The album; only XSPF states it.
  public var album: String?
  /// The duration that the list states, in nanoseconds; nil if unknown, zero or less.
  public var durationNanoseconds: UInt64?
  /// The line of the location in the list, from 1.
  public var line: Int

  init(_ written: String, _ target: Result<PlaylistTarget, PlaylistEntryError>, line: Int) {
    self.written = written
    self.target = target
    self.line = line
  }
}

/// The target of an entry.
public enum PlaylistTarget: Hashable, Sendable {
  /// A file: its path, and alternative paths to try in order if it does not exist. Programs write `%20`
  /// or `\` into lists of paths; some files have such names.
  case file(path: String, alternatives: [String] = [])
  /// An `http:` or `https:` URL.
  case web(url: String)
}

/// The reason why an entry has no target; its description includes a remedy.
public enum PlaylistEntryError: Error, Hashable, Sendable {
  /// A list that came from a server names a file of this machine, which it must not reach.
  case localFile
  /// A path of Windows, with a drive's letter or a computer's name.
  case windowsPath
  /// A URL of a scheme that cannot be read.
  case unsupportedScheme(String)
  /// Neither a path nor a URL that can be used.
  case malformed
  /// A track without any location.
  case noLocation
}

extension PlaylistEntryError: CustomStringConvertible {
  /// The problem and its remedy, to be read after the entry's location.
  public var description: String { sentence.asMessage }

  private var sentence: String {
    switch self {
    case .localFile:
      "refused, since a list from a server must not name files of this machine; save the list and"
        + " play the copy if you trust it"
    case .windowsPath: "is a Windows path; write it as the file is called on this machine"
    case .unsupportedScheme(let scheme):
      "cannot be read, since \(scheme): URLs are not supported; use a path, file:, http: or https:"
    case .malformed: "is not a usable path or URL; correct the list"
    case .noLocation: "has no location; add one to the list"
    }
  }
}
