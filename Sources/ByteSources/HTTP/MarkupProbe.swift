// SPDX-License-Identifier: MIT

/// Detects a web page that a server sends in place of sound. A value without I/O.
enum MarkupProbe {
  /// Returns whether a body begins as an HTML or XML document does, by its available bytes. Live sound that is
  /// joined anywhere may begin with any byte: a single `<` proves nothing.
  static func isPage(_ bytes: Span<UInt8>) -> Bool {
    var start = 0
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { start = 3 }
    while start < bytes.count, [0x09, 0x0A, 0x0D, 0x20].contains(bytes[start]) { start += 1 }
    return ["<!doctype", "<html", "<head", "<body", "<?xml", "<!--"].contains { beginning in
      let wanted = Array(beginning.utf8)
      return wanted.count <= bytes.count - start
        && wanted.indices.allSatisfy { index in
          let byte = bytes[start + index]
          return (0x41...0x5A).contains(byte) ? byte | 0x20 == wanted[index] : byte == wanted[index]
        }
    }
  }
}
