// SPDX-License-Identifier: MIT

import Glibc

/// A plan's body, read piece by piece.
final class BodyReader {
  let byteCount: UInt64
  private let source: ResponsePlan.Body
  private var descriptor: Int32 = -1

  /// Opens a body; nil for a file that cannot be opened.
  init?(_ source: ResponsePlan.Body) {
    self.source = source
    switch source {
    case .bytes(let bytes):
      byteCount = UInt64(bytes.count)
    case .generated(let count, _):
      byteCount = count
    case .file(let path):
      descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
      var status = stat()
      guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else { return nil }
      byteCount = UInt64(status.st_size)
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Returns exactly `count` bytes at an offset; the body must have them.
  func read(at offset: UInt64, _ count: Int) -> [UInt8] {
    switch source {
    case .bytes(let bytes):
      return Array(bytes[Int(offset)..<(Int(offset) + count)])
    case .generated(_, let generate):
      let bytes = generate(offset, count)
      precondition(bytes.count == count, "a generated body must have as many bytes as asked for")
      return bytes
    case .file(let path):
      var bytes = [UInt8](repeating: 0, count: count)
      let read = unsafe pread(descriptor, &bytes, count, off_t(offset))
      precondition(read > 0, "\(path) became shorter while it was served")
      return Array(bytes[..<read])
    }
  }
}
