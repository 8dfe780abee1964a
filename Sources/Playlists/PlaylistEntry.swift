// SPDX-License-Identifier: MIT

import AudioModel

/// One entry of a list.
public struct PlaylistEntry: Hashable, Sendable {
  /// The location as it is written in the list, without white space around it; empty where there is
  /// none.
  public var written: String
  /// What it leads to, or why nowhere.
  public var target: Result<PlaylistTarget, PlaylistEntryError>
  /// What to call it, where the list says so.
  public var title: String?
  /// Who made it; only XSPF says so.
  public var creator: String?
  /// What it is a part of; only XSPF says so.
  public var album: String?
  /// How long it is by the list's own word, in nanoseconds; nil where that is unknown, zero or less.
  public var durationNanoseconds: UInt64?
  /// The line of the location in the list, from 1.
  public var line: Int

  init(_ written: String, _ target: Result<PlaylistTarget, PlaylistEntryError>, line: Int) {
    self.written = written
    self.target = target
    self.line = line
  }
}

/// What an entry leads to.
public enum PlaylistTarget: Hashable, Sendable {
  /// A file: its path, and other paths that may have been meant, to be tried in their order where
  /// there is no such file. Programs write `%20` or `\` into lists of paths; others have files with
  /// such names.
  case file(path: String, alternatives: [String] = [])
  /// An `http:` or `https:` URL.
  case web(url: String)
}

/// Why an entry leads nowhere; its description says what to do, too.
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
  /// What is wrong with it, and what to do; to be read behind the entry's location.
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
