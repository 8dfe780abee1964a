// SPDX-License-Identifier: MIT

import Glibc
import RenderCore
import Testing

@Suite("The kernel's count of a thread's time")
struct ThreadUsageTests {
  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Returns the kernel's number of this thread.
  private static func threadID() throws -> pid_t {
    var path = [CChar](repeating: 0, count: 64)
    let count = unsafe readlink("/proc/thread-self", &path, path.count)
    let characters = path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    let text = String(decoding: characters, as: UTF8.self)
    return try #require(text.split(separator: "/").last.flatMap { pid_t($0) })
  }

  @Test("includes all time up to the reading, also while the thread runs")
  func upToNow() throws {
    let (reader, threadID) = (ThreadUsageReader(), try Self.threadID())
    for _ in 0..<100 {
      // The kernel's file is out of date by now: a thread that computes has not slept since.
      let begin = Self.nanoseconds(CLOCK_MONOTONIC_RAW)
      while Self.nanoseconds(CLOCK_MONOTONIC_RAW) < begin + 100_000 {}
      let before = (
        cpu: Self.nanoseconds(CLOCK_THREAD_CPUTIME_ID), time: Self.nanoseconds(CLOCK_MONOTONIC_RAW)
      )
      let usage = try #require(reader.usage(of: threadID))
      let after = (
        cpu: Self.nanoseconds(CLOCK_THREAD_CPUTIME_ID), time: Self.nanoseconds(CLOCK_MONOTONIC_RAW)
      )
      #expect((before.cpu...after.cpu).contains(usage.cpuNanoseconds))
      #expect((before.time...after.time).contains(usage.timeNanoseconds))
    }
  }

  @Test("is not known for a thread that does not exist")
  func noThread() throws {
    let (reader, threadID) = (ThreadUsageReader(), try Self.threadID())
    #expect(reader.usage(of: .max) == nil)
    // A missing thread does not affect the reading of an existing one.
    #expect(reader.usage(of: threadID) != nil)
    #expect(reader.usage(of: .max) == nil)
  }
}
