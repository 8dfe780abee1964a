// SPDX-License-Identifier: MIT

extension Span where Element == UInt8 {
  /// The big-endian integer at `offset`; traps beyond the end.
  @inline(__always)
  func bigEndian16(at offset: Int) -> UInt16 {
    UInt16(self[offset]) << 8 | UInt16(self[offset + 1])
  }

  @inline(__always)
  func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16
      | UInt32(self[offset + 2]) << 8 | UInt32(self[offset + 3])
  }

  /// The little-endian integer at `offset`; traps beyond the end.
  func littleEndian16(at offset: Int) -> UInt16 {
    bigEndian16(at: offset).byteSwapped
  }

  func littleEndian32(at offset: Int) -> UInt32 {
    bigEndian32(at: offset).byteSwapped
  }

  @inline(__always)
  func bigEndian64(at offset: Int) -> UInt64 {
    let eight = extracting(offset..<offset + 8)
    let high = UInt64(eight.bigEndian32(at: 0))
    return high << 32 | UInt64(eight.bigEndian32(at: 4))
  }

  func littleEndian64(at offset: Int) -> UInt64 {
    bigEndian64(at: offset).byteSwapped
  }

  /// Whether these ASCII characters are at `offset`; false if they would not fit.
  func has(_ text: String, at offset: Int) -> Bool {
    guard offset >= 0, count - offset >= text.utf8.count else { return false }
    var index = offset
    for character in text.utf8 {
      if self[index] != character { return false }
      index += 1
    }
    return true
  }
}
