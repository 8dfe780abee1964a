// SPDX-License-Identifier: MIT

import Glibc

/// Spreads bytes evenly over time.
struct Pace {
  private let bytesPerSecond: UInt64?
  private let start: UInt64
  private var spent: UInt64 = 0

  init(_ bytesPerSecond: UInt64?) {
    self.bytesPerSecond = bytesPerSecond.map { max($0, 1) }
    start = Self.now()
  }

  /// Returns the bytes that may be sent now, at most `limit`.
  func allowance(_ limit: UInt64) -> UInt64 {
    guard let bytesPerSecond else { return limit }
    let seconds = Double(Self.now() - start) / 1e9
    let earned = UInt64(seconds * Double(bytesPerSecond))
    return min(earned - min(earned, spent), limit)
  }

  /// The wait for the next allowance: a hundredth of a second, or the time of one byte if that is longer.
  var nanosecondsToNext: UInt64 {
    guard let bytesPerSecond else { return 0 }
    return max(1_000_000_000 / bytesPerSecond, 10_000_000)
  }

  mutating func spend(_ bytes: UInt64) {
    spent += bytes
  }

  private static func now() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
