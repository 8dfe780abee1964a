// SPDX-License-Identifier: MIT

import CRealtimeScope
import Glibc
import RenderCore
import Synchronization
import TestKit
import Testing

/// What a callback of the tests does in its next cycle.
enum CycleFault: Int {
  case none
  /// It computes for 3 ms.
  case computing
  /// It wakes the ``Intruder``.
  case intruder

  /// Two periods and a quarter of 64 frames at 48 kHz.
  static let nanoseconds: UInt64 = 3_000_000

  /// Has the processor for as long.
  static func compute() {
    let end = drawbar_monotonic_nanoseconds() + nanoseconds
    while drawbar_monotonic_nanoseconds() < end {}
  }
}

/// A callback that can go wrong: what it goes by, at a fixed address.
@safe
final class FaultyCallback: @unchecked Sendable {
  @safe
  struct State: ~Copyable {
    let wanted = Atomic<Int>(0)
    /// Wakes the intruder.
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

  /// Has it go wrong in its next cycle.
  func ask(for fault: CycleFault) {
    unsafe state.pointee.wanted.store(fault.rawValue, ordering: .releasing)
  }

  /// Wakes the intruder, now.
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

/// A real-time thread that goes before the process thread, and computes for 3 ms whenever it is woken.
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

/// Which processors threads run on.
enum Processors {
  /// Has threads of a process run on one processor only: all, or the real-time ones.
  static func pin(process: pid_t, isRealtimeOnly: Bool, to processor: Int) throws {
    for thread in ProcessResources.threads(of: process) {
      // With SCHED_RESET_ON_FORK the policy has another bit.
      if isRealtimeOnly, sched_getscheduler(thread) & 0xFF != SCHED_FIFO { continue }
      try pin(thread: thread, to: processor)
    }
  }

  static func pin(thread: pid_t, to processor: Int) throws {
    let result = Subprocess.run(["taskset", "-p", "-c", "\(processor)", "\(thread)"])
    try #require(result.exit == .status(0), "\(result.errors)")
  }
}
