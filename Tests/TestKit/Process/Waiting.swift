// SPDX-License-Identifier: MIT

import Glibc

/// Polls a condition without a notification: a file of another process, or a count that a real-time thread raises.
///
/// - Returns: whether the condition held before `seconds` had passed.
public func eventually(seconds: Double = 20, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = monotonicSeconds() + seconds
  while try !condition() {
    if monotonicSeconds() >= end { return try condition() }
    usleep(2000)
  }
  return true
}

/// Returns the seconds of the monotonic clock.
public func monotonicSeconds() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
