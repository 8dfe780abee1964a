// SPDX-License-Identifier: MIT

internal import RenderCore

/// Finds out that the whole process stood still: stopped by a signal, a freezer or a debugger.
///
/// A stopped thread neither runs nor waits for its processor, and the kernel keeps no count of the time. So the thread
/// that reads the cycles is the witness: time that it neither slept on purpose, nor ran, nor waited, it was stopped for.
/// A server that stands still does not stop it.
struct ProcessStops {
  /// A shorter time is the kernel's timer, or a fault of memory.
  private static let shortestNanoseconds: UInt64 = 5_000_000
  /// A cycle may come so long after the witness goes on.
  private static let afterNanoseconds: UInt64 = 20_000_000

  private var last: (thread: UInt, usage: ThreadUsage)?
  /// Between which looks the last stop was, and how long it was at most.
  private var stop: (begin: UInt64, end: UInt64, longest: UInt64)?

  /// Looks whether the process stood still since the last look.
  ///
  /// - Parameters:
  ///   - thread: the calling thread.
  ///   - usage: what it has used; nil when the kernel does not tell.
  ///   - pausedNanoseconds: how long it slept on purpose; nil when that is not known.
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
    // The pause may have gone by meanwhile.
    stop = (last.usage.timeNanoseconds, usage.timeNanoseconds, gap - busy)
  }

  /// How long the process may have stood still before or in a cycle; 0 when it did not.
  func nanoseconds(at record: CycleRecord) -> UInt64 {
    guard let stop, record.entryNanoseconds &+ record.durationNanoseconds >= stop.begin,
      record.entryNanoseconds <= stop.end + Self.afterNanoseconds
    else { return 0 }
    return stop.longest
  }
}
