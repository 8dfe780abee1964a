// SPDX-License-Identifier: MIT

/// The known starts of a list's tracks on a transport's time line, in nanoseconds: the first track at 0, each other one
/// at the end of the track before.
struct TrackStarts {
  private(set) var starts: [UInt64] = [0]

  /// Notes the start of a track. A new value discards the known starts of later tracks.
  mutating func note(_ nanoseconds: UInt64, of track: Int) {
    guard track > 0, track <= starts.count else { return }
    if track < starts.count {
      guard starts[track] != nanoseconds else { return }
      starts.removeSubrange(track...)
    }
    // A track that is empty, or could not be played, has no length.
    starts.append(max(nanoseconds, starts[track - 1]))
  }

  /// Returns the start of a track, or the last known start before it.
  func start(of track: Int) -> UInt64 {
    starts[min(max(0, track), starts.count - 1)]
  }

  /// Returns whether the start of a track is known.
  func isKnown(_ track: Int) -> Bool { starts.indices.contains(track) }

  /// Returns the track for a time, and the time in it, which may exceed the track while the next start is unknown.
  func position(at nanoseconds: UInt64) -> (track: Int, nanoseconds: UInt64) {
    let track = starts.lastIndex { $0 <= nanoseconds } ?? 0
    return (track, nanoseconds - starts[track])
  }
}
