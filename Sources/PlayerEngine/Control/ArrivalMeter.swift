// SPDX-License-Identifier: MIT

/// The rate at which bytes arrived in the last three seconds, measured from a growing byte count.
struct ArrivalMeter {
  private var samples: [(nanoseconds: UInt64, byteCount: UInt64)] = []
  private static let window: UInt64 = 3_000_000_000
  private static let step: UInt64 = 100_000_000

  /// Records a byte count. A count that shrinks belongs to another source and restarts the measurement.
  mutating func note(byteCount: UInt64, at nanoseconds: UInt64) {
    if let last = samples.last {
      if byteCount < last.byteCount {
        samples = []
      } else if nanoseconds < last.nanoseconds + Self.step {
        return
      }
    }
    samples.append((nanoseconds, byteCount))
    while samples.count > 2, samples[1].nanoseconds + Self.window <= nanoseconds {
      samples.removeFirst()
    }
  }

  /// Bytes per second; nil until two samples exist.
  var bytesPerSecond: Double? {
    guard let first = samples.first, let last = samples.last, last.nanoseconds > first.nanoseconds
    else { return nil }
    return Double(last.byteCount - first.byteCount) * 1e9
      / Double(last.nanoseconds - first.nanoseconds)
  }
}
