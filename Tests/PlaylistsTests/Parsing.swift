// SPDX-License-Identifier: MIT

import Playlists

/// Reads a list that is written in a test.
func parse(
  _ text: String, as kind: Playlist.Kind, from origin: PlaylistOrigin = .file(path: "/music/list")
) throws(PlaylistError) -> Playlist {
  try parse(Array(text.utf8), as: kind, from: origin)
}

func parse(
  _ bytes: [UInt8], as kind: Playlist.Kind,
  from origin: PlaylistOrigin = .file(path: "/music/list"),
  limits: Playlist.Limits = Playlist.Limits()
) throws(PlaylistError) -> Playlist {
  try Playlist(parsing: bytes.span, as: kind, from: origin, limits: limits)
}

extension PlaylistEntry {
  /// The target's path or URL without its alternatives; nil if there is no target.
  var place: String? {
    switch target {
    case .success(.file(let path, _)): path
    case .success(.web(let url)): url
    case .failure: nil
    }
  }

  var error: PlaylistEntryError? {
    if case .failure(let error) = target { error } else { nil }
  }
}

extension UInt64 {
  var seconds: UInt64 { self * 1_000_000_000 }
}
