// SPDX-License-Identifier: MIT

import Glibc

/// Standard output, written to in large pieces.
struct StandardOutput: TextOutputStream {
  /// What messages call it.
  static let name = "standard output"

  private static let pieceBytes = 64 << 10

  /// End the wait for one who does not read, in a program that blocks them.
  var signals: TerminationSignals?
  private var pending = ""
  private var failure: StandardOutputFailure?

  mutating func write(_ text: String) {
    pending += text
    if pending.utf8.count >= Self.pieceBytes { handOver() }
  }

  /// Hands over what is still here.
  ///
  /// - Throws: why what was written until now was not taken; not where nobody reads it any longer, as with `head`,
  ///   and where a signal has ended it.
  mutating func flush() throws(StandardOutputFailure) {
    handOver()
    if let failure, failure.code != EPIPE, failure.code != EINTR { throw failure }
  }

  private mutating func handOver() {
    // A piece behind one that is missing would be worse than none.
    if failure == nil, !Failure.write(pending, to: STDOUT_FILENO, until: signals) {
      failure = StandardOutputFailure(code: errno)
    }
    pending = ""
  }

  /// Another descriptor of what it leads to: it may be closed without closing this. Opened anew by its name,
  /// a file would lose what is in it, and a socket could not be opened.
  static func duplicate() throws(StandardOutputFailure) -> Int32 {
    let descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0 else { throw StandardOutputFailure(code: errno) }
    return descriptor
  }
}

/// Why standard output does not take what is written.
struct StandardOutputFailure: Error, CustomStringConvertible {
  /// The system's error number.
  var code: Int32

  var description: String {
    "cannot write \(StandardOutput.name): \(Failure.reason(code))"
  }
}
