// SPDX-License-Identifier: MIT

import Glibc

/// Ends a poll from another thread: a pipe whose reading end is polled too. It lives as long as any thread that
/// may wake holds it, so that a wake needs no lock against closing. (An eventfd would be one descriptor fewer,
/// but its header is not part of Swift's Glibc module.)
final class WakePipe: Sendable {
  /// The reading end, to be polled.
  let readEnd: Int32
  private let writeEnd: Int32

  /// Makes the pipe; nil when the process has no descriptors left, with errno set.
  init?() {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Makes `readEnd` readable. Any thread. A full pipe counts as a wake.
  func wake() {
    var byte: UInt8 = 0
    _ = unsafe write(writeEnd, &byte, 1)
  }

  /// Waits for a wake, at most this long; returns whether there was one. On the reader's thread.
  func wait(nanoseconds: UInt64) -> Bool {
    var entry = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&entry, 1, pollMilliseconds(nanoseconds)) > 0 else { return false }
    drain()
    return true
  }

  /// Makes `readEnd` unreadable again. On the reader's thread.
  func drain() {
    var bytes: [UInt8] = Array(repeating: 0, count: 64)
    while unsafe read(readEnd, &bytes, bytes.count) == bytes.count {}
  }
}
