// SPDX-License-Identifier: MIT

/// Finds by the time that has passed how many frames no cycle had, where the server's frame clock does not
/// tell: a server that was stopped (SIGSTOP) goes on where it was, and the next server begins anew.
struct OutageMeter {
  /// Entry and length of the cycle before; none at first.
  private var last: (microseconds: UInt64, frameCount: UInt32)?
  /// The cycle before was another server's.
  private var isOfOtherServer = false

  /// Cycles that come later than this after the one before are no jitter.
  private static var longestMicroseconds: UInt64 { @_noLocks get { 500_000 } }

  @_noLocks
  init() {}

  /// Takes in that the next cycle is another server's.
  mutating func changeServer() { isOfOtherServer = last != nil }

  /// Takes in a cycle.
  ///
  /// - Parameters:
  ///   - missedFrames: frames that the frame clock has told before this cycle.
  ///   - isFreewheeling: cycles keep no time.
  /// - Returns: the frames before this cycle that no cycle had.
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
