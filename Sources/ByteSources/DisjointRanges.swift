// SPDX-License-Identifier: MIT

/// The present bytes of a stream, or times of a track: sorted ranges that neither overlap nor touch, limited in
/// number.
package struct DisjointRanges: Hashable {
  /// The ranges, in ascending order; none is empty.
  package private(set) var ranges: [Range<UInt64>] = []

  /// The most ranges kept. A reader that seeks this often needs few of them again.
  static var limit: Int { 1024 }

  /// Creates an empty set.
  package init() {}

  /// Returns the range that holds a byte.
  func range(containing byteOffset: UInt64) -> Range<UInt64>? {
    let index = firstIndex(endingBehind: byteOffset)
    guard index < ranges.count, ranges[index].lowerBound <= byteOffset else { return nil }
    return ranges[index]
  }

  /// Adds bytes. If there are then too many ranges, the shortest of the others is removed.
  package mutating func insert(_ range: Range<UInt64>) {
    guard !range.isEmpty else { return }
    // Including those that touch it.
    let first = range.lowerBound == 0 ? 0 : firstIndex(endingBehind: range.lowerBound - 1)
    var end = first
    var joined = range
    while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
      joined =
        min(
          joined.lowerBound, ranges[end].lowerBound)..<max(
          joined.upperBound, ranges[end].upperBound)
      end += 1
    }
    ranges.replaceSubrange(first..<end, with: CollectionOfOne(joined))
    guard ranges.count > Self.limit else { return }
    let others = ranges.indices.filter { $0 != first }
    if let shortest = others.min(by: { ranges[$0].count < ranges[$1].count }) {
      ranges.remove(at: shortest)
    }
  }

  /// Removes bytes, as far as they are present.
  mutating func remove(_ range: Range<UInt64>) {
    guard !range.isEmpty else { return }
    let first = firstIndex(endingBehind: range.lowerBound)
    var end = first
    var rest: [Range<UInt64>] = []
    while end < ranges.count, ranges[end].lowerBound < range.upperBound {
      let present = ranges[end]
      if present.lowerBound < range.lowerBound {
        rest.append(present.lowerBound..<range.lowerBound)
      }
      if present.upperBound > range.upperBound {
        rest.append(range.upperBound..<present.upperBound)
      }
      end += 1
    }
    ranges.replaceSubrange(first..<end, with: rest)
  }

  /// Returns the index of the first range that ends behind this byte's start, by binary search.
  private func firstIndex(endingBehind byteOffset: UInt64) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = low + (high - low) / 2
      if ranges[middle].upperBound > byteOffset { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
