// SPDX-License-Identifier: MIT

import CRealtimeScope
import Glibc
import Synchronization
import TestKit
import Testing

/// Detects when a whole processor stops: its thread has the highest priority there and is woken four times a
/// millisecond, so the tests' own faults cannot delay it.
final class StallWitness {
  private let thread: JoinableThread
  private let progress = Progress()

  /// Nearly half a period of 64 frames at 48 kHz. The thread itself is woken some 0.05 ms late.
  private static let stallNanoseconds: UInt64 = 600_000

  private final class Progress: Sendable {
    let isRealtime = OneTimeEvent()
    let isEnded = Atomic<Bool>(false)
    let lastNanoseconds = Atomic<UInt64>(0)
    let longestGapNanoseconds = Atomic<UInt64>(0)
  }

  init(processor: Int) throws {
    let before = Set(ProcessResources.threads(of: getpid()))
    let progress = progress
    thread = JoinableThread {
      var parameters = sched_param(sched_priority: 99)
      unsafe pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters)
      progress.lastNanoseconds.store(drawbar_monotonic_nanoseconds(), ordering: .relaxed)
      progress.isRealtime.signal()
      while !progress.isEnded.load(ordering: .relaxed) {
        usleep(250)
        let now = drawbar_monotonic_nanoseconds()
        let gap = now - progress.lastNanoseconds.exchange(now, ordering: .relaxed)
        progress.longestGapNanoseconds.max(gap, ordering: .relaxed)
      }
    }
    try #require(progress.isRealtime.wait(seconds: 5))
    for new in ProcessResources.threads(of: getpid())
    where !before.contains(new) && sched_getscheduler(new) & 0xFF == SCHED_FIFO {
      try Processors.pin(thread: new, to: processor)
    }
  }

  /// Discards previous stalls.
  func begin() { progress.longestGapNanoseconds.store(0, ordering: .relaxed) }

  /// Whether the processor has stopped since ``begin()``, or is stopped now.
  var hasStalled: Bool {
    let now = drawbar_monotonic_nanoseconds()
    let last = progress.lastNanoseconds.load(ordering: .relaxed)
    return progress.longestGapNanoseconds.load(ordering: .relaxed) > Self.stallNanoseconds
      || now > last + Self.stallNanoseconds
  }

  func end() {
    progress.isEnded.store(true, ordering: .relaxed)
    thread.join()
  }
}
