// SPDX-License-Identifier: MIT

/// The time for which a reader has found nothing to read while nothing arrived. A value to which the time is
/// passed. It does not run while the reader is away or has bytes to read, and so while the transfer is paused
/// for it.
struct StallClock {
  private var since: UInt64?
  private var lastProgress: UInt64 = 0

  /// Records that the reader found bytes.
  mutating func reset() {
    since = nil
  }

  /// Records that the reader found nothing.
  ///
  /// - Parameters:
  ///   - progress: a count that grows with every step of the transfer.
  ///   - now: the time in nanoseconds.
  /// - Returns: nanoseconds since the first such call without progress in between.
  mutating func foundNothing(progress: UInt64, now: UInt64) -> UInt64 {
    if progress != lastProgress {
      lastProgress = progress
      since = nil
    }
    let start = since ?? now
    since = start
    return now - start
  }
}
