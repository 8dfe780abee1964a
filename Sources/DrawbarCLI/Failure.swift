// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc

/// How the program says that something failed: one line on standard error, exit code 1.
enum Failure {
  static func report(_ error: some Error) {
    report("\(error)")
  }

  static func report(_ message: String) {
    // One line, whatever a file name or a server put into it.
    let line = String(message.map { $0.isNewline ? " " : $0 })
    write("drawbar: \(line)\n", to: STDERR_FILENO)
  }

  /// Writes all of a text, as far as the descriptor takes it.
  ///
  /// - Returns: whether it took all.
  @discardableResult
  static func write(_ text: String, to descriptor: Int32) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }
}
