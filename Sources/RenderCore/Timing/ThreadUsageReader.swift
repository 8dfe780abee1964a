// SPDX-License-Identifier: MIT

internal import CRealtimeScope
internal import Glibc
internal import Synchronization

/// A reader of the kernel's counts for a thread of this process, for repeated use: its file stays open. Any thread but
/// the render thread.
package final class ThreadUsageReader: Sendable {
  private struct Opened {
    var threadID: UInt
    var descriptor: Int32
  }

  private let opened = Mutex<Opened?>(nil)

  package init() {}

  deinit { close() }

  /// Closes the open file, until the next reading.
  package func close() {
    opened.withLock { Self.close(&$0) }
  }

  /// - Returns: nil if there is no such thread, or the kernel does not count.
  package func usage(of threadID: Int32) -> ThreadUsage? {
    // The clock's id is computed from the thread's number like in pthread_getcpuclockid(3).
    usage(
      of: UInt(UInt32(bitPattern: threadID)), path: "/proc/self/task/\(threadID)/schedstat",
      clock: ~threadID << 3 | 6)
  }

  /// Returns the calling thread, and its usage; see ``usage(of:)``.
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

  /// Returns the second number of the file.
  private static func waitNanoseconds(_ descriptor: Int32) -> UInt64? {
    var text = [UInt8](repeating: 0, count: 128)
    let count = unsafe pread(descriptor, &text, text.count, 0)
    guard count > 0 else { return nil }
    let numbers = text.prefix(count).split(whereSeparator: { !(0x30...0x39).contains($0) })
    guard numbers.count >= 2 else { return nil }
    return UInt64(String(decoding: numbers[1], as: UTF8.self))
  }

  /// Reads the processor time from the thread's clock. The file's value is as of the thread's last sleep; the clock
  /// is also right while the thread runs.
  private static func cpuNanoseconds(_ clock: clockid_t) -> UInt64? {
    var time = timespec()
    guard unsafe clock_gettime(clock, &time) == 0 else { return nil }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
