// SPDX-License-Identifier: MIT

import Glibc
import TestKit

/// A named pipe of the smallest size that is open for reading but never read.
final class UnreadPipe {
  let path: String
  private let descriptor: Int32

  init(_ path: String) {
    self.path = path
    precondition(unsafe mkfifo(path, 0o600) == 0, "no pipe at \(path)")
    descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
    precondition(fcntl(descriptor, 1031 /* F_SETPIPE_SZ */, 4096) >= 4096)
  }

  deinit { close(descriptor) }

  /// Waits until the pipe is full and has not grown for a second: its writer is blocked.
  ///
  /// - Parameter action: causes further output; called repeatedly.
  func waitUntilStuck(_ action: () throws -> Void) rethrows -> Bool {
    var (count, since) = (0, monotonicSeconds())
    return try eventually {
      try action()
      if isFull, byteCount == count { return monotonicSeconds() - since > 1 }
      (count, since) = (byteCount, monotonicSeconds())
      return false
    }
  }

  /// Whether poll(2) reports that a write would block. Bytes that fit behind the last write may still be added.
  private var isFull: Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&polled, 1, 0) == 0
  }

  private var byteCount: Int {
    var count: Int32 = 0
    return unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }

  /// Starts the program with the pipe as its standard output.
  func start(_ arguments: [String]) -> Subprocess {
    Subprocess(
      ["sh", "-c", "exec \"$@\" >'\(path)'", "sh", Program.path] + arguments,
      environment: Program.environment)
  }
}
