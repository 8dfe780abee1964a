// SPDX-License-Identifier: MIT

/// Bytes of earlier slices that have not been consumed: at most as many as a parser requested, so a few
/// frames.
struct CarryBuffer {
  /// The bytes held begin at `start`.
  private(set) var storage: [UInt8] = []
  private(set) var start = 0

  /// Bytes held.
  var count: Int { storage.count - start }
  var isEmpty: Bool { storage.count == start }

  /// Appends bytes `range` of `slice`.
  mutating func append(_ slice: Span<UInt8>, _ range: Range<Int>) {
    if start > 0 {
      storage.removeFirst(start)
      start = 0
    }
    for index in range { storage.append(slice[index]) }
  }

  /// Removes the oldest bytes.
  mutating func removeFirst(_ byteCount: Int) {
    start += byteCount
    precondition(start <= storage.count, "a parser used more bytes than it was shown")
    if start == storage.count { removeAll() }
  }

  mutating func removeAll() {
    storage.removeAll(keepingCapacity: true)
    start = 0
  }
}
