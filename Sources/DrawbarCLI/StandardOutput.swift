// SPDX-License-Identifier: MIT

import Glibc

/// Standard output, written in large pieces.
struct StandardOutput: TextOutputStream {
  /// The name in messages.
  static let name = "standard output"

  private static let pieceBytes = 64 << 10

  /// Signals that end the wait for a reader that does not read, in a program that blocks them.
  var signals: TerminationSignals?
  private var pending = ""
  private var failure: StandardOutputFailure?

  mutating func write(_ text: String) {
    pending += text
    if pending.utf8.count >= Self.pieceBytes { handOver() }
  }

  /// Writes the pending text.
  ///
  /// - Throws: the error of this or an earlier write; none if the reader has gone, as with `head`, or if a signal
  ///   ended the wait.
  mutating func flush() throws(StandardOutputFailure) {
    handOver()
    if let failure, failure.code != EPIPE, failure.code != EINTR { throw failure }
  }

  private mutating func handOver() {
    // A piece after a missing one would be worse than none.
    if failure == nil, !Failure.write(pending, to: STDOUT_FILENO, until: signals) {
      failure = StandardOutputFailure(code: errno)
    }
    pending = ""
  }

  /// Returns a duplicate of the descriptor, which may be closed without closing standard output. Opening it by its
  /// name would empty a file, and is impossible for a socket.
  static func duplicate() throws(StandardOutputFailure) -> Int32 {
    let descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0 else { throw StandardOutputFailure(code: errno) }
    return descriptor
  }
}

/// An error of writing to standard output.
struct StandardOutputFailure: Error, CustomStringConvertible {
  /// The system's error number.
  var code: Int32

  var description: String {
    "cannot write \(StandardOutput.name): \(Failure.reason(code))"
  }
}
