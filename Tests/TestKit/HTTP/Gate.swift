// SPDX-License-Identifier: MIT

import Glibc

/// A gate that a test opens once, and that a server thread waits for together with its connection.
public final class Gate: Sendable {
  let readEnd: Int32
  private let writeEnd: Int32

  /// A closed gate.
  public init() {
    var ends: [Int32] = [-1, -1]
    let result = unsafe pipe(&ends)
    precondition(result == 0, "no descriptors left")
    (readEnd, writeEnd) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Opens the gate, for good.
  public func open() {
    var byte: UInt8 = 0
    _ = unsafe write(writeEnd, &byte, 1)
  }
}
