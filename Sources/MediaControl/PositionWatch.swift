// SPDX-License-Identifier: MIT

/// Follows a position as a client does that was told of it once, and says when the client would be wrong:
/// then `Seeked` is due (MPRIS 2.2). A value without a clock.
struct PositionWatch {
  /// What a client cannot tell from late delivery. An output's position moves by its cycles, of at most
  /// 8192 frames (186 ms at 44100 Hz).
  private static let toleranceNanoseconds: UInt64 = 250_000_000

  private var track: Int?
  private var status = NowPlaying.Status.stopped
  /// What the client knows: this position at that time.
  private var positionNanoseconds: UInt64 = 0
  private var timeNanoseconds: UInt64 = 0

  /// Takes in a state.
  ///
  /// - Parameter now: nanoseconds of a monotonic clock.
  /// - Returns: whether the position is not the one that follows from what was known.
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
