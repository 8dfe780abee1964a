// SPDX-License-Identifier: MIT

internal import ByteSources
internal import Glibc
internal import Playlists

/// Walks a list and the lists in it.
struct ListWalk {
  private(set) var expansion = PlaylistExpansion()
  private let loader: PlaylistLoader
  /// The present list and the lists that contain it.
  private var open: [String]
  private var listCount = 1
  private var isFull = false

  init(_ loader: PlaylistLoader, from location: String) {
    self.loader = loader
    open = [Self.identity(PlaylistOrigin(location: location))]
  }

  /// Adds the tracks of a list. Throws only `cancelled`.
  mutating func add(_ playlist: Playlist, named name: String) throws(PlaylistFailure) {
    for entry in playlist.entries where !isFull {
      switch entry.target {
      case .failure(let error): fail(.entry(entry.written, error), name, entry)
      case .success(let target): try add(target, entry, in: name)
      }
    }
  }

  private mutating func add(
    _ target: PlaylistTarget, _ entry: PlaylistEntry, in list: String
  ) throws(PlaylistFailure) {
    let location = target.location
    guard Playlist.kind(ofName: location) != nil else {
      take(PlaylistItem(location: location, entry: entry), list, entry)
      return
    }
    let identity = Self.identity(PlaylistOrigin(location: location))
    if open.contains(identity) { return fail(.cycle(entry.written), list, entry) }
    guard open.count <= PlaylistLoader.depthLimit else {
      return fail(.tooDeep(entry.written, limit: PlaylistLoader.depthLimit), list, entry)
    }
    guard listCount < PlaylistLoader.listLimit else {
      isFull = true
      return fail(.tooManyLists(limit: PlaylistLoader.listLimit), list, entry)
    }
    listCount += 1
    let content: PlaylistContent
    do throws(PlaylistFailure) {
      content = try loader.open(location)
    } catch {
      if error.reason == .cancelled { throw error }
      expansion.leaveOut(error)
      return
    }
    switch content {
    case .other(let source):
      source.close()
      take(PlaylistItem(location: location, entry: entry), list, entry)
    case .playlist(let playlist):
      open.append(identity)
      try add(playlist, named: PlaylistLoader.name(location))
      open.removeLast()
    }
  }

  private mutating func take(_ item: PlaylistItem, _ list: String, _ entry: PlaylistEntry) {
    guard expansion.items.count < loader.limits.entries else {
      isFull = true
      return fail(.tooManyTracks(limit: loader.limits.entries), list, entry)
    }
    expansion.items.append(item)
  }

  private mutating func fail(
    _ reason: PlaylistFailure.Reason, _ list: String, _ entry: PlaylistEntry
  ) {
    expansion.leaveOut(PlaylistFailure(reason, at: list, line: entry.line))
  }

  /// Returns the same identity for different spellings of one location.
  private static func identity(_ origin: PlaylistOrigin) -> String {
    switch origin {
    case .web(let url): return url
    case .file(let path):
      guard let resolved = unsafe realpath(path, nil) else { return path }
      defer { unsafe free(resolved) }
      return unsafe String(cString: resolved)
    }
  }
}
