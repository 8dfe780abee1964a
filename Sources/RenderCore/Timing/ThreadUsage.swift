// SPDX-License-Identifier: MIT

/// What the kernel has counted for a thread since it began: its processor time clock (clock_gettime(2)), and its
/// waits (`/proc/PID/task/TID/schedstat`).
public struct ThreadUsage: Sendable, Equatable {
  /// Time that it has run on a processor, in nanoseconds.
  public var cpuNanoseconds: UInt64
  /// Time that it has waited for one although it was ready to run, in nanoseconds.
  public var waitNanoseconds: UInt64
  /// When that was read, on the clock of ``CycleRecord/entryNanoseconds``.
  public var timeNanoseconds: UInt64

  /// These times.
  public init(cpuNanoseconds: UInt64, waitNanoseconds: UInt64, timeNanoseconds: UInt64) {
    self.cpuNanoseconds = cpuNanoseconds
    self.waitNanoseconds = waitNanoseconds
    self.timeNanoseconds = timeNanoseconds
  }
}
