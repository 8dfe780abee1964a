// SPDX-License-Identifier: MIT

/// How long a reader has found nothing to read while nothing arrived. A value that is told the
/// time: while the reader is away or has bytes to read, and so while the transfer is paused for
/// it, the clock does not run.
struct StallClock {
  private var since: UInt64?
  private var lastProgress: UInt64 = 0

  /// The reader found bytes.
  mutating func reset() {
    since = nil
  }

  /// The reader found nothing.
  ///
  /// - Parameters:
  ///   - progress: a count that grows with everything that brings the transfer on.
  ///   - now: the time in nanoseconds.
  /// - Returns: nanoseconds since the first such look without progress in between.
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
