// SPDX-License-Identifier: MIT

import Glibc

/// Standard output, written to in large pieces.
struct StandardOutput: TextOutputStream {
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
}
