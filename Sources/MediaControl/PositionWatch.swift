// SPDX-License-Identifier: MIT

/// Extrapolates a position from its last announcement, as a client does, and detects jumps from it: then `Seeked` is
/// due (MPRIS 2.2). A value without a clock.
struct PositionWatch {
  /// The largest error that may be late delivery. An output's position moves in cycles, of at most 8192 frames (186 ms
  /// at 44100 Hz).
  private static let toleranceNanoseconds: UInt64 = 250_000_000

  private var track: Int?
  private var status = NowPlaying.Status.stopped
  /// The last announced position, and its time.
  private var positionNanoseconds: UInt64 = 0
  private var timeNanoseconds: UInt64 = 0

  /// Compares a new state with the extrapolated position.
  ///
  /// - Parameter now: nanoseconds of a monotonic clock.
  /// - Returns: whether the position differs from the extrapolated one.
  mutating func hasJumped(to state: NowPlaying, now: UInt64) -> Bool {
    let here = state.positionNanoseconds
    // A new track, and one that was stopped, are expected at their start.
    let isNew = state.track?.index != track || status == .stopped
    let elapsed = status == .playing ? now - timeNanoseconds : 0
    let expected = isNew ? 0 : positionNanoseconds &+ elapsed
    let error = here > expected ? here - expected : expected - here
    let isJump =
      state.status != .stopped && state.track != nil && error > Self.toleranceNanoseconds
    if isJump || isNew || state.status != status {
      (track, status) = (state.track?.index, state.status)
      (positionNanoseconds, timeNanoseconds) = (here, now)
    }
    return isJump
  }
}
