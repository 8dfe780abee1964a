// SPDX-License-Identifier: MIT

/// How fast bytes came in the last seconds: a value that is told a growing count now and then.
struct ArrivalMeter {
  private var samples: [(nanoseconds: UInt64, byteCount: UInt64)] = []
  private static let window: UInt64 = 3_000_000_000
  private static let step: UInt64 = 100_000_000

  /// Takes the count of this moment. A count that has shrunk is another source's.
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

  /// Bytes per second; nil before two moments are known.
  var bytesPerSecond: Double? {
    guard let first = samples.first, let last = samples.last, last.nanoseconds > first.nanoseconds
    else { return nil }
    return Double(last.byteCount - first.byteCount) * 1e9
      / Double(last.nanoseconds - first.nanoseconds)
  }
}
