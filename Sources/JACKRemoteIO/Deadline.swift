// SPDX-License-Identifier: MIT

internal import Glibc

/// A point on the monotonic clock at which a wait ends.
struct Deadline: Sendable {
  private let nanoseconds: UInt64

  /// Creates a deadline this far from now.
  init(nanosecondsFromNow: UInt64) {
    let (sum, isOverflow) = Self.now.addingReportingOverflow(nanosecondsFromNow)
    nanoseconds = isOverflow ? .max : sum
  }

  var hasPassed: Bool { Self.now >= nanoseconds }

  /// The moment on `CLOCK_MONOTONIC`.
  var absoluteTime: timespec {
    timespec(
      tv_sec: Int(clamping: nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }

  private static var now: UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
