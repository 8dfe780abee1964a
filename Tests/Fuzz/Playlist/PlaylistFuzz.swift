// SPDX-License-Identifier: MIT

import Playlists

/// Reads the input as a list of each kind, from a file and from a server. The result's size is bounded by
/// the input's, and no server's list leads to a file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPlaylist(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
  var limits = Playlist.Limits()
  limits.entries = 100
  let recognised = Playlist.kind(ofFirstBytes: input.span)
  for kind in Playlist.Kind.allCases {
    let expected = Playlist.kind(ofFirstBytes: input.span, expected: kind)
    precondition(recognised == nil || expected != nil, "an expectation hides a signature")
    for origin in [PlaylistOrigin.file(path: "/m/l"), .web(url: "http://h.example/x/l?y")] {
      do throws(PlaylistError) {
        let list = try Playlist(parsing: input.span, as: kind, from: origin, limits: limits)
        check(list, input, origin)
      } catch {
        precondition(!error.description.isEmpty)
      }
    }
  }
  return 0
}

private func check(_ list: Playlist, _ input: [UInt8], _ origin: PlaylistOrigin) {
  precondition(list.entries.count <= min(100, input.count))
  for entry in list.entries {
    precondition(entry.line >= 1 && entry.line <= input.count + 1, "no such line")
    // Windows-1252 grows by up to three times.
    precondition(entry.written.utf8.count <= input.count * 3)
    precondition(entry.durationNanoseconds != 0)
    switch entry.target {
    case .failure(let error): precondition(!error.description.isEmpty)
    case .success(.web(let url)):
      precondition(url.hasPrefix("http://") || url.hasPrefix("https://"), "another scheme")
      guard case .web = PlaylistOrigin(location: url) else { fatalError("not read as a URL") }
    case .success(.file(let path, let alternatives)):
      guard case .file = origin else { fatalError("a server's list leads to a file") }
      for path in [path] + alternatives {
        precondition(!path.isEmpty && path != "-" && !path.utf8.contains(0))
        precondition(PlaylistOrigin(location: path) == .file(path: path), "not read as a path")
      }
    }
  }
}
