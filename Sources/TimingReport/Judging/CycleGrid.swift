// SPDX-License-Identifier: MIT

/// The ideal starts of cycles, fitted to the earliest starts, because the server's times scatter only to the late side.
///
/// The last two seconds count, so that the grid follows a sound card whose clock is not the machine's: at 50 parts in
/// a million they differ by 100 µs in that time.
struct CycleGrid {
  /// Nanoseconds of cycles after which the older earliest start is dropped.
  private static let windowNanoseconds = 1_000_000_000.0

  private var frames: UInt64 = 0
  private var firstStart: UInt64 = 0
  private var windowBegin = 0.0
  /// The earliest start times, less the duration of the frames before them: in this window, and in the one before.
  private var earliest = Double.infinity
  private var earlierEarliest = Double.infinity

  /// Adds a cycle.
  ///
  /// - Parameters:
  ///   - start: the start of the cycle.
  ///   - clockFrames: frames of the clock since the start of the last cycle; nil for the first on a new grid.
  /// - Returns: the cycle's lateness in nanoseconds.
  mutating func add(
    start: UInt64, clockFrames: Int?, nanosecondsPerFrame: Double
  ) -> UInt64 {
    if let clockFrames {
      frames += UInt64(max(0, clockFrames))
    } else {
      self = CycleGrid()
      firstStart = start
    }
    let nominal = Double(frames) * nanosecondsPerFrame
    if nominal - windowBegin >= Self.windowNanoseconds {
      windowBegin = nominal
      earlierEarliest = earliest
      earliest = .infinity
    }
    let offset = Double(Int64(bitPattern: start &- firstStart)) - nominal
    earliest = min(earliest, offset)
    return UInt64(max(0, offset - min(earliest, earlierEarliest)))
  }
}
