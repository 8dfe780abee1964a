// SPDX-License-Identifier: MIT

import Playlists

extension String {
  /// Whether this location is a server's.
  var isWebLocation: Bool {
    ["http://", "https://"].contains { lowercased().hasPrefix($0) }
  }

  /// The path that this location means; nil where it is a server's, or standard input.
  var filePath: String? {
    guard self != "-", case .file(let path) = PlaylistOrigin(location: self) else { return nil }
    return path
  }
}
