// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import ByteSources

@Suite("Ranges of spooled bytes")
struct DisjointRangesTests {
  @Test("inserted and not removed bytes are present, in sorted ranges that do not touch")
  func model() {
    var random = SplitMix(state: 3)
    for _ in 0..<200 {
      var ranges = DisjointRanges()
      var model: Set<UInt64> = []
      for _ in 0..<40 {
        let start = UInt64.random(in: 0..<64, using: &random)
        let range = start..<(start + UInt64.random(in: 0..<16, using: &random))
        if Bool.random(using: &random) {
          ranges.insert(range)
          model.formUnion(range)
        } else {
          ranges.remove(range)
          model.subtract(range)
        }
        let present = ranges.ranges
        #expect(present.allSatisfy { !$0.isEmpty })
        let isSorted = zip(present, present.dropFirst()).allSatisfy {
          $0.upperBound < $1.lowerBound
        }
        #expect(isSorted)
        #expect(Set(present.joined()) == model)
        for byte in UInt64(0)..<80 {
          #expect(ranges.range(containing: byte) == present.first { $0.contains(byte) })
        }
      }
    }
  }

  @Test("ranges that touch become one")
  func touching() {
    var ranges = DisjointRanges()
    ranges.insert(10..<20)
    ranges.insert(30..<40)
    ranges.insert(20..<30)
    #expect(ranges.ranges == [10..<40])
  }

  @Test("if there are too many, the shortest is removed, but never the newest")
  func limit() {
    var ranges = DisjointRanges()
    for index in 0..<UInt64(DisjointRanges.limit) {
      ranges.insert(index * 100..<index * 100 + (index == 7 ? 5 : 10))
    }
    #expect(ranges.ranges.count == DisjointRanges.limit)
    let last = UInt64(DisjointRanges.limit) * 100
    ranges.insert(last..<last + 1)
    #expect(ranges.ranges.count == DisjointRanges.limit)
    #expect(ranges.range(containing: 700) == nil)
    #expect(ranges.range(containing: last) != nil)
  }
}
