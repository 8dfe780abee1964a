// SPDX-License-Identifier: MIT

import Glibc

/// Looks again and again whether something has come to pass that no one tells of: a file of another
/// process, a count that a real-time thread raises.
///
/// - Returns: whether it did, before `seconds` had gone by.
public func eventually(seconds: Double = 20, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = monotonicSeconds() + seconds
  while try !condition() {
    if monotonicSeconds() >= end { return try condition() }
    usleep(2000)
  }
  return true
}

/// Seconds on the monotonic clock.
public func monotonicSeconds() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
