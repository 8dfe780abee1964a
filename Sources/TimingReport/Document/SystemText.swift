// SPDX-License-Identifier: MIT

internal import Glibc

/// Texts of the kernel and the system about themselves.
enum SystemText {
  /// The maximum bytes read from a file: these files state no size, and the wanted values come first.
  private static let maximumBytes = 256 << 10

  /// Returns the beginning of a file; nil if it cannot be read. Bytes that are not UTF-8 are replaced.
  static func read(_ path: String) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: maximumBytes)
    var filled = 0
    while filled < maximumBytes {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress! + filled, buffer.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0 { return nil }
      if count == 0 { break }
      filled += count
    }
    return String(decoding: bytes[..<filled], as: UTF8.self)
  }

  /// Returns the first line, without blanks around it; nil if it is empty.
  static func firstLine(_ text: String) -> String? {
    let line = text.prefix { !$0.isNewline }
    let trimmed = trim(line)
    return trimmed.isEmpty ? nil : trimmed
  }

  /// Returns the value in the first line `name : value`; nil if there is none.
  static func value(of name: String, in text: String) -> String? {
    for line in text.split(whereSeparator: \.isNewline) {
      guard let colon = line.firstIndex(of: ":"), trim(line[..<colon]) == name else { continue }
      let value = trim(line[line.index(after: colon)...])
      return value.isEmpty ? nil : value
    }
    return nil
  }

  private static func trim(_ text: Substring) -> String {
    let head = text.drop(while: \.isWhitespace)
    guard let last = head.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(head[...last])
  }
}
