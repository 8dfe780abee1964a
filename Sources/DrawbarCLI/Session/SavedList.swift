// SPDX-License-Identifier: MIT

import PlayerEngine
import SessionManagement

/// A player's list for saving: without standard input, which cannot be read twice.
struct SavedList {
  private(set) var tracks: [SavedTrack] = []
  /// For each of the player's tracks, the index of the saved track to resume with.
  private var places: [Int] = []

  /// The number of the player's tracks.
  var count: Int { places.count }

  init(_ items: [PlaylistItem]) {
    for item in items { append(item) }
  }

  init(_ tracks: [SavedTrack]) {
    self.tracks = tracks
    places = Array(tracks.indices)
  }

  mutating func append(_ item: PlaylistItem) {
    places.append(tracks.count)
    if item.location != "-" { tracks.append(SavedTrack(item)) }
  }

  /// Returns the state at a position in the player's list; nil if nothing can be saved.
  func playback(track: Int, seconds: Double, isPaused: Bool) -> PlaybackState? {
    guard !tracks.isEmpty else { return nil }
    let index = places.indices.contains(track) ? places[track] : 0
    let isKept =
      index < tracks.count && (track + 1 == places.count || places[track + 1] > index)
    return PlaybackState(
      tracks: tracks, track: min(index, tracks.count - 1),
      // Rounded to the millisecond.
      positionSeconds: isKept ? (seconds * 1000).rounded() / 1000 : 0, isPaused: isPaused)
  }
}

extension SavedTrack {
  init(_ item: PlaylistItem) {
    self.init(
      location: item.location.absoluteLocation, title: item.title, creator: item.creator,
      album: item.album,
      durationSeconds: item.durationNanoseconds.map { Double($0) / 1_000_000_000 })
  }

  var item: PlaylistItem {
    var item = PlaylistItem(location: location)
    (item.title, item.creator, item.album) = (title, creator, album)
    item.durationNanoseconds = durationSeconds.map { UInt64($0 * 1_000_000_000) }
    return item
  }
}

extension Player {
  /// Makes a player that has not started begin at a saved position.
  func begin(at playback: PlaybackState) {
    play(track: playback.track)
    if playback.positionSeconds > 0 {
      seek(toNanoseconds: UInt64(playback.positionSeconds * 1_000_000_000))
    }
    if playback.isPaused { pause() }
  }
}

/// The position in a player's list to save: the last one played, or else the one to begin at.
struct SavedPosition {
  private(set) var track = 0
  private(set) var seconds = 0.0

  init(seconds: Double = 0) {
    self.seconds = seconds
  }

  init(_ playback: PlaybackState) {
    (track, seconds) = (playback.track, playback.positionSeconds)
  }

  mutating func follow(_ snapshot: PlayerSnapshot) {
    guard let index = snapshot.trackIndex else { return }
    if index != track { (track, seconds) = (index, 0) }
    // A track that cannot seek, such as a station, begins anew.
    if snapshot.canSeek, snapshot.track?.durationNanoseconds != nil {
      seconds =
        Double(snapshot.seekTargetNanoseconds ?? snapshot.positionNanoseconds) / 1_000_000_000
    }
  }
}
