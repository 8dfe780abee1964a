// SPDX-License-Identifier: MIT

internal import Glibc
public import Playlists

extension PlaylistTarget {
  /// The path or URL to open: a file's first path that exists, or the one that is written if none does. Queries the
  /// file system; a URL may hold a password.
  public var location: String {
    switch self {
    case .web(let url): return url
    case .file(let path, let alternatives):
      guard !alternatives.isEmpty, unsafe access(path, F_OK) != 0 else { return path }
      return alternatives.first { (path: String) in unsafe access(path, F_OK) == 0 } ?? path
    }
  }
}
