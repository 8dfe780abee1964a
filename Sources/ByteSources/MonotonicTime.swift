// SPDX-License-Identifier: MIT

import Glibc

/// Returns the nanoseconds of a clock that only goes forward and stands still while the machine sleeps.
package func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Converts a wait for poll(2) and the like to milliseconds, rounded up, so that a short wait does not become a
/// busy loop.
func pollMilliseconds(_ nanoseconds: UInt64) -> Int32 {
  let milliseconds = nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1)
  return Int32(clamping: milliseconds)
}
