// SPDX-License-Identifier: MIT

internal import Glibc

/// A bell that ends another thread's wait: an eventfd. A ring before the wait is not lost.
struct Wakeup: ~Copyable, Sendable {
  private let descriptor: Int32

  init() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC.rawValue) | Int32(EFD_NONBLOCK.rawValue))
    precondition(descriptor >= 0, "the process has no file descriptor left")
  }

  deinit {
    close(descriptor)
  }

  /// Ends a wait, or the next one. Any thread.
  func ring() {
    var one: UInt64 = 1
    _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Waits until it is rung, at most so long.
  func wait(nanoseconds: UInt64) {
    var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // Rounded up, so that a wait of less than a millisecond does not become a busy loop.
    let milliseconds = Int32(clamping: (nanoseconds + 999_999) / 1_000_000)
    if unsafe poll(&item, 1, milliseconds) > 0 {
      var count: UInt64 = 0
      _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
  }
}
