// SPDX-License-Identifier: MIT

/// The kernel's counts for a thread since it began: its processor time clock (clock_gettime(2)), and its waits
/// (`/proc/PID/task/TID/schedstat`).
public struct ThreadUsage: Sendable, Equatable {
  /// Time of the thread on a processor, in nanoseconds.
  public var cpuNanoseconds: UInt64
  /// Time in which the thread was ready to run and waited for a processor, in nanoseconds.
  public var waitNanoseconds: UInt64
  /// The time of the reading, on the clock of ``CycleRecord/entryNanoseconds``.
  public var timeNanoseconds: UInt64

  /// Creates a usage with these times.
  public init(cpuNanoseconds: UInt64, waitNanoseconds: UInt64, timeNanoseconds: UInt64) {
    self.cpuNanoseconds = cpuNanoseconds
    self.waitNanoseconds = waitNanoseconds
    self.timeNanoseconds = timeNanoseconds
  }
}
