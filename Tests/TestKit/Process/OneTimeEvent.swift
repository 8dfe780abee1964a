// SPDX-License-Identifier: MIT

import Glibc

/// An event that happens once and that any number of threads can wait for.
@safe
public final class OneTimeEvent: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var hasHappened = false

  /// An event that has not happened.
  public init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Signals the event.
  public func signal() {
    unsafe pthread_mutex_lock(mutex)
    hasHappened = true
    unsafe pthread_cond_broadcast(condition)
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Waits for the event.
  ///
  /// - Returns: whether the event has happened; false after `seconds` without it.
  @discardableResult
  public func wait(seconds: Double = 3600) -> Bool {
    var deadline = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
    let nanoseconds = deadline.tv_nsec + Int(seconds * 1_000_000_000)
    deadline.tv_sec += nanoseconds / 1_000_000_000
    deadline.tv_nsec = nanoseconds % 1_000_000_000
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while !hasHappened {
      if unsafe pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { break }
    }
    return hasHappened
  }
}

/// Runs a function on a detached thread.
public func startThread(_ body: @escaping @Sendable () -> Void) {
  let start = unsafe Unmanaged.passRetained(ThreadStart(body)).toOpaque()
  var handle = pthread_t()
  let result = unsafe pthread_create(&handle, nil, runThread, start)
  precondition(result == 0, "no more threads")
  pthread_detach(handle)
}

private final class ThreadStart: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runThread(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  unsafe Unmanaged<ThreadStart>.fromOpaque(start!).takeRetainedValue().body()
  return nil
}
