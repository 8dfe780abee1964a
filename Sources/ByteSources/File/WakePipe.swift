// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// Ends a poll(2) from another thread: a pipe whose reading end is polled too. (An eventfd would be
/// one descriptor fewer, but its header is not part of Swift's Glibc module.)
final class WakePipe: Sendable {
  /// The reading end, for poll(2); valid until `close()`.
  let readEnd: Int32
  /// Protects the writing end's number: once closed it may belong to another file.
  private let writeEnd: Mutex<Int32?>

  /// Makes the pipe; nil when the process has no descriptors left, with errno set.
  init?() {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    readEnd = ends[0]
    writeEnd = Mutex(ends[1])
  }

  /// Makes `readEnd` readable. Any thread. A full pipe is a wake already.
  func wake() {
    writeEnd.withLock { end in
      guard let end else { return }
      var byte: UInt8 = 0
      _ = unsafe write(end, &byte, 1)
    }
  }

  /// Makes `readEnd` unreadable again. The reader's thread.
  func drain() {
    var bytes: [UInt8] = Array(repeating: 0, count: 64)
    while unsafe read(readEnd, &bytes, bytes.count) == bytes.count {}
  }

  /// Closes both ends; wakes from now on do nothing. The reader's thread, once.
  func close() {
    writeEnd.withLock { end in
      if let end { _ = Glibc.close(end) }
      end = nil
    }
    _ = Glibc.close(readEnd)
  }
}
