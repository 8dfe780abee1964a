// SPDX-License-Identifier: MIT

/// A reader of a text's lines. Each ends at CR LF, CR or LF.
package struct LineReader {
  private let bytes: [UInt8]
  private var place = 0
  /// The number of the last line that was returned, from 1.
  package private(set) var number = 0

  /// Creates a reader at the start of a text.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Returns the next line without its end; nil after the last one.
  package mutating func next() -> ArraySlice<UInt8>? {
    guard place < bytes.count else { return nil }
    number += 1
    var end = place
    while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
    let line = bytes[place..<end]
    let isPair = end + 1 < bytes.count && bytes[end] == 0x0D && bytes[end + 1] == 0x0A
    place = end + (isPair ? 2 : 1)
    return line
  }
}
