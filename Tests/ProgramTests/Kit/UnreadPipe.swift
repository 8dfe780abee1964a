// SPDX-License-Identifier: MIT

import Glibc
import TestKit

/// A named pipe of the least size that nobody reads, though it is open for reading.
struct UnreadPipe: ~Copyable {
  let path: String
  private let descriptor: Int32

  init(_ path: String) {
    self.path = path
    precondition(unsafe mkfifo(path, 0o600) == 0, "no pipe at \(path)")
    descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
    precondition(fcntl(descriptor, 1031 /* F_SETPIPE_SZ */, 4096) >= 4096)
  }

  deinit { close(descriptor) }

  /// Nothing can be written without waiting.
  var isFull: Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&polled, 1, 0) == 0
  }

  /// Starts the program with the pipe as its standard output.
  func start(_ arguments: [String]) -> Subprocess {
    Subprocess(
      ["sh", "-c", "exec \"$@\" >'\(path)'", "sh", Program.path] + arguments,
      environment: Program.environment)
  }
}
