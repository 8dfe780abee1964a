// SPDX-License-Identifier: MIT

internal import RenderCore

/// A detector of stops of the whole process, by a signal, a freezer or a debugger.
///
/// A stopped thread neither runs nor waits for its processor, and the kernel keeps no count of the time. So the thread
/// that reads the cycles is the witness: it was stopped for the time in which it neither slept on purpose, nor ran,
/// nor waited. A server that stands still does not stop it.
struct ProcessStops {
  /// A shorter time comes from the kernel's timer, or from a page fault.
  private static let shortestNanoseconds: UInt64 = 5_000_000
  /// The maximum time from the witness's return to a cycle that the stop delayed.
  private static let afterNanoseconds: UInt64 = 20_000_000

  private var last: (thread: UInt, usage: ThreadUsage)?
  /// The times of the checks before and after the last stop, and its maximum length.
  private var stop: (begin: UInt64, end: UInt64, longest: UInt64)?

  /// Checks whether the process stood still since the last check.
  ///
  /// - Parameters:
  ///   - thread: the calling thread.
  ///   - usage: the thread's usage; nil if the kernel does not report it.
  ///   - pausedNanoseconds: the time that it slept on purpose; nil if that is not known.
  mutating func look(thread: UInt, usage: ThreadUsage?, pausedNanoseconds: UInt64?) {
    defer { last = usage.map { (thread, $0) } }
    guard let usage, let last, last.thread == thread, let paused = pausedNanoseconds,
      usage.cpuNanoseconds >= last.usage.cpuNanoseconds,
      usage.waitNanoseconds >= last.usage.waitNanoseconds,
      usage.timeNanoseconds > last.usage.timeNanoseconds
    else { return }
    let busy =
      usage.cpuNanoseconds - last.usage.cpuNanoseconds
      + usage.waitNanoseconds - last.usage.waitNanoseconds
    let gap = usage.timeNanoseconds - last.usage.timeNanoseconds
    guard gap > busy + paused + Self.shortestNanoseconds else { return }
    // The intended pause may have passed during the stop.
    stop = (last.usage.timeNanoseconds, usage.timeNanoseconds, gap - busy)
  }

  /// Returns the time that the process may have stood still before or in a cycle; 0 if it did not.
  func nanoseconds(at record: CycleRecord) -> UInt64 {
    guard let stop, record.entryNanoseconds &+ record.durationNanoseconds >= stop.begin,
      record.entryNanoseconds <= stop.end + Self.afterNanoseconds
    else { return 0 }
    return stop.longest
  }
}
