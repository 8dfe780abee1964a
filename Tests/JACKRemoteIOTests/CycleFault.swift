// SPDX-License-Identifier: MIT

import CRealtimeScope
import Glibc
import RenderCore
import Synchronization
import TestKit
import Testing

/// The fault of a test callback's next cycle.
enum CycleFault: Int {
  case none
  /// The callback computes for 3 ms.
  case computing
  /// The callback wakes the ``Intruder``.
  case intruder

  /// The duration of a fault: two and a quarter periods of 64 frames at 48 kHz.
  static let nanoseconds: UInt64 = 3_000_000

  /// Occupies the processor for that duration.
  static func compute() {
    let end = drawbar_monotonic_nanoseconds() + nanoseconds
    while drawbar_monotonic_nanoseconds() < end {}
  }
}

/// The state of a callback with faults on request, at a fixed address.
@safe
final class FaultyCallback: @unchecked Sendable {
  @safe
  struct State: ~Copyable {
    let wanted = Atomic<Int>(0)
    /// The semaphore that wakes the intruder.
    let wake = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { unsafe sem_init(wake, 0, 0) }

    deinit {
      unsafe sem_destroy(wake)
      unsafe wake.deallocate()
    }
  }

  let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

  init() { unsafe state.initialize(to: State()) }

  deinit {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// Requests a fault for the callback's next cycle.
  func ask(for fault: CycleFault) {
    unsafe state.pointee.wanted.store(fault.rawValue, ordering: .releasing)
  }

  /// Wakes the intruder at once.
  func intrude() { unsafe sem_post(state.pointee.wake) }
}

func renderFaulty(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let state = unsafe context?.assumingMemoryBound(to: FaultyCallback.State.self) else {
    return -1
  }
  let wanted = unsafe state.pointee.wanted.exchange(0, ordering: .acquiringAndReleasing)
  switch CycleFault(rawValue: wanted) {
  case .computing: CycleFault.compute()
  case .intruder: unsafe sem_post(state.pointee.wake)
  case .some(.none), nil: break
  }
  return 0
}

/// A real-time thread of higher priority than the process thread, which computes for 3 ms when woken.
final class Intruder {
  private let callback: FaultyCallback
  private let thread: JoinableThread
  private let progress = Progress()

  private final class Progress: Sendable {
    let isRealtime = OneTimeEvent()
    let isEnded = Atomic<Bool>(false)
  }

  init(_ callback: FaultyCallback) throws {
    self.callback = callback
    let progress = progress
    thread = JoinableThread {
      var parameters = sched_param(sched_priority: 90)
      unsafe pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters)
      progress.isRealtime.signal()
      while true {
        unsafe sem_wait(callback.state.pointee.wake)
        if progress.isEnded.load(ordering: .acquiring) { return }
        CycleFault.compute()
      }
    }
    try #require(progress.isRealtime.wait(seconds: 5))
  }

  func end() {
    progress.isEnded.store(true, ordering: .releasing)
    callback.intrude()
    thread.join()
  }
}

/// The assignment of threads to processors.
enum Processors {
  /// Restricts all or only the real-time threads of a process to one processor.
  static func pin(process: pid_t, isRealtimeOnly: Bool, to processor: Int) throws {
    for thread in ProcessResources.threads(of: process) {
      // SCHED_RESET_ON_FORK sets another bit in the policy.
      if isRealtimeOnly, sched_getscheduler(thread) & 0xFF != SCHED_FIFO { continue }
      try pin(thread: thread, to: processor)
    }
  }

  static func pin(thread: pid_t, to processor: Int) throws {
    let result = Subprocess.run(["taskset", "-p", "-c", "\(processor)", "\(thread)"])
    try #require(result.exit == .status(0), "\(result.errors)")
  }
}
