// SPDX-License-Identifier: MIT

internal import Glibc
internal import RenderCore
internal import Synchronization

/// Makes a queue's calls to the caller: in order, one at a time, and without holding a lock that any function
/// of the queue needs.
///
/// The calling thread holds the mutex `turn`. It is recursive: a called function may request that further calls
/// be made at once.
@safe
final class CallbackDelivery: @unchecked Sendable {
  /// Runs a piece of work soon: on a thread, a run loop, an executor.
  typealias Executor = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

  private let turn = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let executor: Executor
  /// Removes and returns the oldest pending call.
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

  /// Submits the pending calls to the executor.
  func schedule() {
    guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    executor { [self] in
      isScheduled.store(false, ordering: .releasing)
      deliver()
    }
  }

  /// Makes the pending calls on this thread, once no other thread is in a call.
  func deliver() {
    unsafe pthread_mutex_lock(turn)
    while let call = next() { call() }
    unsafe pthread_mutex_unlock(turn)
  }
}

/// A thread for calls, for a queue whose owner supplies none. It ends with this object.
final class CallbackThread: Sendable {
  private struct State {
    var work: [@Sendable () -> Void] = []
    var isEnding = false
  }

  /// The state that the thread retains; not this object itself, whose end ends the thread.
  private final class Shared: Sendable {
    let state = POSIXMutex(State())
  }

  private let shared = Shared()
  private let thread = StepThread()

  /// nil when the system has no thread.
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
