// SPDX-License-Identifier: MIT

import Playlists

extension String {
  /// Whether this location is an http or https URL.
  var isWebLocation: Bool {
    ["http://", "https://"].contains { lowercased().hasPrefix($0) }
  }

  /// The local path of this location; nil for a URL or standard input.
  var filePath: String? {
    guard self != "-", case .file(let path) = PlaylistOrigin(location: self) else { return nil }
    return path
  }
}
