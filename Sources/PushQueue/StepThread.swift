// SPDX-License-Identifier: MIT

internal import Glibc

/// A thread that repeats a step, and rests between two of them until it is rung or some time has passed.
@safe
final class StepThread: @unchecked Sendable {
  /// What follows a step.
  enum Step: Equatable {
    case again
    /// Nothing to do until it is rung or, if there is a number, so much later.
    case rest(nanoseconds: UInt64?)
    /// The thread ends.
    case finished
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// Protected by `mutex`.
  private var isRung = false

  init() {
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Ends a rest, or the next one. Any thread but the render thread.
  func ring() {
    unsafe pthread_mutex_lock(mutex)
    isRung = true
    unsafe pthread_cond_signal(condition)
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Starts the thread, which ends with the step that says so and keeps `step` alive until then. To be
  /// called once.
  ///
  /// - Returns: false when the system has no thread.
  func start(repeating step: @escaping @Sendable () -> Step) -> Bool {
    var thread = pthread_t()
    let work = unsafe Unmanaged.passRetained(ThreadWork(thread: self, step: step))
    let argument = unsafe work.toOpaque()
    guard unsafe pthread_create(&thread, nil, { unsafe runSteps($0) }, argument) == 0 else {
      unsafe work.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  fileprivate func rest(nanoseconds: UInt64?) {
    unsafe pthread_mutex_lock(mutex)
    if let nanoseconds {
      var deadline = timespec()
      unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
      let total = UInt64(deadline.tv_nsec) + nanoseconds
      deadline.tv_sec += Int(total / 1_000_000_000)
      deadline.tv_nsec = Int(total % 1_000_000_000)
      while !isRung, unsafe pthread_cond_timedwait(condition, mutex, &deadline) == 0 {}
    } else {
      while !isRung { unsafe pthread_cond_wait(condition, mutex) }
    }
    isRung = false
    unsafe pthread_mutex_unlock(mutex)
  }
}

private final class ThreadWork {
  let thread: StepThread
  let step: @Sendable () -> StepThread.Step

  init(thread: StepThread, step: @escaping @Sendable () -> StepThread.Step) {
    self.thread = thread
    self.step = step
  }
}

private func runSteps(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument = unsafe argument else { return nil }
  let work = unsafe Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue()
  while true {
    switch work.step() {
    case .again: continue
    case .rest(let nanoseconds): work.thread.rest(nanoseconds: nanoseconds)
    case .finished: return nil
    }
  }
}
