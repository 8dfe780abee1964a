// SPDX-License-Identifier: MIT

internal import Glibc

/// What the kernel has counted for a thread since it began (`/proc/PID/task/TID/schedstat`).
public struct ThreadUsage: Sendable, Equatable {
  /// Time that it has run on a processor, in nanoseconds.
  public var cpuNanoseconds: UInt64
  /// Time that it has waited for one although it was ready to run, in nanoseconds.
  public var waitNanoseconds: UInt64

  /// These times.
  public init(cpuNanoseconds: UInt64, waitNanoseconds: UInt64) {
    self.cpuNanoseconds = cpuNanoseconds
    self.waitNanoseconds = waitNanoseconds
  }

  /// Asks the kernel for a thread of this process. System calls: not for the render thread.
  ///
  /// - Returns: nil when there is no such thread, or the kernel does not count.
  package init?(threadID: Int32) {
    let file = unsafe open("/proc/self/task/\(threadID)/schedstat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 128)
    let count = unsafe read(file, &text, text.count)
    guard count > 0 else { return nil }
    let numbers = String(decoding: text.prefix(count), as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).map { UInt64($0) }
    guard numbers.count >= 2, let cpu = numbers[0], let wait = numbers[1] else { return nil }
    self.init(cpuNanoseconds: cpu, waitNanoseconds: wait)
  }
}
