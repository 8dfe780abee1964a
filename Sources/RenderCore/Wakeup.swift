// SPDX-License-Identifier: MIT

internal import Glibc

/// A signal that ends another thread's wait. A signal before the wait is not lost.
@safe
package final class Wakeup: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// Protected by `mutex`.
  private var isRung = false

  /// Creates a signal that has not been sent.
  package init() {
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

  /// Ends a wait, or the next one. Any thread but the render thread.
  package func ring() {
    unsafe pthread_mutex_lock(mutex)
    isRung = true
    unsafe pthread_cond_signal(condition)
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Waits for the signal; at most `nanoseconds`, unless that is nil.
  package func wait(nanoseconds: UInt64?) {
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
