// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc

/// A counting semaphore (sem_overview(7)).
@safe
final class WakeSemaphore: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    unsafe semaphore = .allocate(capacity: 1)
    unsafe sem_init(semaphore, 0, 0)
  }

  deinit {
    unsafe sem_destroy(semaphore)
    unsafe semaphore.deallocate()
  }

  func post() {
    unsafe sem_post(semaphore)
  }

  func wait() {
    while unsafe sem_wait(semaphore) != 0, errno == EINTR {}
  }

  /// Waits for a post until the deadline.
  func wait(until deadline: Deadline) {
    var time = deadline.absoluteTime
    while unsafe sem_clockwait(semaphore, CLOCK_MONOTONIC, &time) != 0, errno == EINTR {}
  }
}
