// SPDX-License-Identifier: MIT

/// Computes from the elapsed time how many frames no cycle covered, where the server's frame clock does not
/// count them: after a stop (SIGSTOP) the clock goes on where it was, and the next server's begins anew.
struct OutageMeter {
  /// Start time and length of the previous cycle; nil at first.
  private var last: (microseconds: UInt64, frameCount: UInt32)?
  /// Whether the previous cycle was another server's.
  private var isOfOtherServer = false

  /// The longest interval between cycles that counts as jitter.
  private static var longestMicroseconds: UInt64 { @_noLocks get { 500_000 } }

  @_noLocks
  init() {}

  /// Records that the next cycle is another server's.
  mutating func changeServer() { isOfOtherServer = last != nil }

  /// Records a cycle.
  ///
  /// - Parameters:
  ///   - missedFrames: missed frames before this cycle, according to the frame clock.
  ///   - isFreewheeling: whether the server freewheels, so that cycles keep no time.
  /// - Returns: the frames before this cycle that no cycle covered.
  @_noLocks @inline(__always)
  mutating func missedFrames(
    toldByClock missedFrames: UInt32, microseconds: UInt64, frameCount: UInt32, sampleRate: UInt32,
    isFreewheeling: Bool
  ) -> UInt32 {
    defer { last = (microseconds, frameCount) }
    guard let last, !isFreewheeling,
      isOfOtherServer || microseconds &- last.microseconds > Self.longestMicroseconds
    else { return missedFrames }
    isOfOtherServer = false
    return max(missedFrames, Self.frames(since: last, until: microseconds, sampleRate))
  }

  @_noLocks @inline(never)
  private static func frames(
    since last: (microseconds: UInt64, frameCount: UInt32), until microseconds: UInt64,
    _ sampleRate: UInt32
  ) -> UInt32 {
    // A clock that went back is another computer's.
    guard microseconds > last.microseconds else { return 0 }
    let (seconds, rest) = (microseconds &- last.microseconds).quotientAndRemainder(
      dividingBy: 1_000_000)
    let frames = seconds &* UInt64(sampleRate) &+ rest &* UInt64(sampleRate) / 1_000_000
    return UInt32(clamping: frames &- min(frames, UInt64(last.frameCount)))
  }
}
