// SPDX-License-Identifier: MIT

/// Where the tracks of a list begin on a transport's time line, as far as is known: the first one at 0, each
/// of the others where the one before it ends. Nanoseconds.
struct TrackStarts {
  private(set) var starts: [UInt64] = [0]

  /// Notes where a track begins. What was known of those behind it counts no more, if this is new.
  mutating func note(_ nanoseconds: UInt64, of track: Int) {
    guard track > 0, track <= starts.count else { return }
    if track < starts.count {
      guard starts[track] != nanoseconds else { return }
      starts.removeSubrange(track...)
    }
    // A track that is empty, or could not be played, has no length.
    starts.append(max(nanoseconds, starts[track - 1]))
  }

  /// Where a track begins, or the last one before it of which that is known.
  func start(of track: Int) -> UInt64 {
    starts[min(max(0, track), starts.count - 1)]
  }

  /// Whether it is known where a track begins.
  func isKnown(_ track: Int) -> Bool { starts.indices.contains(track) }

  /// The track to look in for a time, and the time in it: it may be longer than the track, when it is not
  /// known yet where the next one begins.
  func place(at nanoseconds: UInt64) -> (track: Int, nanoseconds: UInt64) {
    let track = starts.lastIndex { $0 <= nanoseconds } ?? 0
    return (track, nanoseconds - starts[track])
  }
}
