// SPDX-License-Identifier: MIT

internal import Glibc
internal import RenderCore
internal import Synchronization

/// Brings a queue's calls to the caller: in order, one at a time, and with no lock held that any function
/// of the queue needs.
///
/// Whoever is calling has the turn, which one thread may take several times over: what is called may ask
/// for more calls to be made at once.
@safe
final class CallbackDelivery: @unchecked Sendable {
  /// Runs a piece of work soon: on a thread, a run loop, an executor.
  typealias Executor = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

  private let turn = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let executor: Executor
  /// Takes the oldest call that has not been made.
  private let next: @Sendable () -> (() -> Void)?
  private let isScheduled = Atomic<Bool>(false)

  init(executor: @escaping Executor, next: @escaping @Sendable () -> (() -> Void)?) {
    self.executor = executor
    self.next = next
    var attributes = pthread_mutexattr_t()
    unsafe pthread_mutexattr_init(&attributes)
    unsafe pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
    unsafe pthread_mutex_init(turn, &attributes)
    unsafe pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_mutex_destroy(turn)
    unsafe turn.deallocate()
  }

  /// Has the executor make the calls that there are.
  func schedule() {
    guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    executor { [self] in
      isScheduled.store(false, ordering: .releasing)
      deliver()
    }
  }

  /// Makes the calls that there are, on this thread, once no other thread is in a call.
  func deliver() {
    unsafe pthread_mutex_lock(turn)
    while let call = next() { call() }
    unsafe pthread_mutex_unlock(turn)
  }
}

/// A thread for calls, for a queue whose owner has none to offer. It ends when it is let go of.
final class CallbackThread: Sendable {
  private struct State {
    var work: [@Sendable () -> Void] = []
    var isEnding = false
  }

  /// What the thread keeps alive; not this object itself, whose end ends the thread.
  private final class Shared: Sendable {
    let state = GuardedState(State())
  }

  private let shared = Shared()
  private let thread = StepThread()

  /// Nil when the system has no thread.
  init?() {
    let isStarted = thread.start { [shared] in
      let (work, isEnding) = shared.state.withLock { state in
        let work = state.work
        state.work.removeAll()
        return (work, state.isEnding)
      }
      for item in work { item() }
      if !work.isEmpty { return .again }
      return isEnding ? .finished : .rest(nanoseconds: nil)
    }
    if !isStarted { return nil }
  }

  deinit {
    shared.state.withLock { $0.isEnding = true }
    thread.ring()
  }

  func run(_ work: @escaping @Sendable () -> Void) {
    shared.state.withLock { $0.work.append(work) }
    thread.ring()
  }
}
