// SPDX-License-Identifier: MIT

internal import Glibc

/// Files that are read or written in one go.
enum WholeFile {
  static func text(_ path: String) throws(BenchmarkFailure) -> String {
    String(decoding: try bytes(path), as: UTF8.self)
  }

  static func bytes(_ path: String) throws(BenchmarkFailure) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0 { throw failure(path) }
      if count == 0 { return all }
      all.append(contentsOf: buffer[..<count])
    }
  }

  static func write(_ text: String, to path: String) throws(BenchmarkFailure) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    guard write(text, toDescriptor: descriptor) else { throw failure(path) }
  }

  /// Writes to an open file. Returns false and sets `errno` on failure.
  static func write(_ text: String, toDescriptor descriptor: Int32) -> Bool {
    var left = Array(text.utf8)[...]
    while !left.isEmpty {
      let count = unsafe left.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return false }
      left = left.dropFirst(count)
    }
    return true
  }

  private static func failure(_ path: String) -> BenchmarkFailure {
    BenchmarkFailure("\(path): \(unsafe String(cString: strerror(errno)))")
  }
}
