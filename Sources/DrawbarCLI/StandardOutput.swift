// SPDX-License-Identifier: MIT

import Glibc

/// Standard output, written to in large pieces.
struct StandardOutput: TextOutputStream {
  /// What messages call it.
  static let name = "standard output"

  private static let pieceBytes = 64 << 10

  private var pending = ""

  mutating func write(_ text: String) {
    pending += text
    if pending.utf8.count >= Self.pieceBytes { flush() }
  }

  /// Hands over what is still here.
  mutating func flush() {
    Failure.write(pending, to: STDOUT_FILENO)
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
    "cannot write \(StandardOutput.name): \(unsafe String(cString: strerror(code)))"
  }
}
