// SPDX-License-Identifier: MIT

/// Reads numbers of any width, the highest bit first.
struct BitReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Bits not read yet.
  var left: Int { bytes.count * 8 - place }

  /// The next bits as a number; nil if too few are left.
  mutating func read(_ width: Int) -> Int? {
    guard left >= width else { return nil }
    var value = 0
    for _ in 0..<width {
      value = value << 1 | Int(bytes[place >> 3] >> UInt8(7 - place & 7) & 1)
      place += 1
    }
    return value
  }

  mutating func skip(_ width: Int) -> Bool {
    guard left >= width else { return false }
    place += width
    return true
  }

  mutating func alignToByte() -> Bool { skip(-place & 7) }
}

extension Span where Element == UInt8 {
  /// A copy of the bytes.
  var bytes: [UInt8] { (0..<count).map { self[$0] } }
}
