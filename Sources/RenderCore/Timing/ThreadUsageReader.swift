// SPDX-License-Identifier: MIT

internal import CRealtimeScope
internal import Glibc
internal import Synchronization

/// Asks the kernel what a thread of this process has used, again and again: what it is asked through stays open.
/// Any thread but the render thread.
package final class ThreadUsageReader: Sendable {
  private struct Opened {
    var threadID: UInt
    var descriptor: Int32
  }

  private let opened = Mutex<Opened?>(nil)

  package init() {}

  deinit { close() }

  /// Lets go of what is open, until the next reading.
  package func close() {
    opened.withLock { Self.close(&$0) }
  }

  /// - Returns: nil when there is no such thread, or the kernel does not count.
  package func usage(of threadID: Int32) -> ThreadUsage? {
    // The clock's name is made of the thread's as pthread_getcpuclockid(3) makes it.
    usage(
      of: UInt(UInt32(bitPattern: threadID)), path: "/proc/self/task/\(threadID)/schedstat",
      clock: ~threadID << 3 | 6)
  }

  /// Which thread calls, and what it has used; see ``usage(of:)``.
  package func usageOfCallingThread() -> (thread: UInt, usage: ThreadUsage?) {
    let thread = UInt(pthread_self())
    return (
      thread,
      usage(of: thread, path: "/proc/thread-self/schedstat", clock: CLOCK_THREAD_CPUTIME_ID)
    )
  }

  private func usage(of threadID: UInt, path: String, clock: clockid_t) -> ThreadUsage? {
    opened.withLock { opened in
      if opened?.threadID != threadID {
        Self.close(&opened)
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        opened = Opened(threadID: threadID, descriptor: descriptor)
      }
      guard let descriptor = opened?.descriptor, let wait = Self.waitNanoseconds(descriptor),
        let cpu = Self.cpuNanoseconds(clock)
      else {
        Self.close(&opened)
        return nil
      }
      return ThreadUsage(
        cpuNanoseconds: cpu, waitNanoseconds: wait,
        timeNanoseconds: drawbar_monotonic_nanoseconds())
    }
  }

  private static func close(_ opened: inout Opened?) {
    if let descriptor = opened?.descriptor { _ = Glibc.close(descriptor) }
    opened = nil
  }

  /// The second number of the file.
  private static func waitNanoseconds(_ descriptor: Int32) -> UInt64? {
    var text = [UInt8](repeating: 0, count: 128)
    let count = unsafe pread(descriptor, &text, text.count, 0)
    guard count > 0 else { return nil }
    let numbers = text.prefix(count).split(whereSeparator: { !(0x30...0x39).contains($0) })
    guard numbers.count >= 2 else { return nil }
    return UInt64(String(decoding: numbers[1], as: UTF8.self))
  }

  /// The file has what a thread has used up to its last sleep; its clock is right while it runs, too.
  private static func cpuNanoseconds(_ clock: clockid_t) -> UInt64? {
    var time = timespec()
    guard unsafe clock_gettime(clock, &time) == 0 else { return nil }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
