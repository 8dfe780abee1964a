// SPDX-License-Identifier: MIT

/// When cycles should begin, by the earliest ones: the server's times scatter to the late side only.
///
/// The last two seconds count, so that it follows a sound card whose clock is not the machine's: at 50
/// parts in a million these are 100 µs.
struct CycleGrid {
  /// Nanoseconds of cycles after which the older earliest one is forgotten.
  private static let windowNanoseconds = 1_000_000_000.0

  private var frames: UInt64 = 0
  private var firstStart: UInt64 = 0
  private var windowBegin = 0.0
  /// Start times less the time that the frames before them take: of this window, and of the one before.
  private var earliest = Double.infinity
  private var earlierEarliest = Double.infinity

  /// Takes in a cycle.
  ///
  /// - Parameters:
  ///   - start: when it began.
  ///   - clockFrames: frames of the clock since the last one began; nil for the first on a new grid.
  /// - Returns: nanoseconds after its time.
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
