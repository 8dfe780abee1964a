// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import ByteSources

@Suite("A spooled source with its first bytes put back")
struct SpooledPrefixTests {
  private let directory = TemporaryDirectory()
  private static let station = SyntheticSource.Manner(byteCount: nil, isRepositionable: false)

  /// A spooled source with its first bytes put back before it.
  private func source(
    _ plain: SyntheticSource, reading count: Int = 1000, maximumBytes: UInt64 = 4 << 20,
    blockBytes: UInt64? = nil
  ) throws -> PrefixedByteSource {
    let spooled = SpooledByteSource(
      plain, directoryPath: directory.path, maximumBytes: maximumBytes, blockBytes: blockBytes)
    return PrefixedByteSource(try spooled.read(count).bytes, followedBy: spooled)
  }

  @Test("reports spooled bytes once it is read, like an unread source")
  func tells() throws {
    let source = try source(SyntheticSource(Self.station))
    #expect(source.spooledByteRanges.isEmpty && source.spoolState == .active)
    #expect(throws: ByteSourceError(.notRepositionable, at: "synthetic")) {
      try source.reposition(to: 0)
    }
    #expect(try source.read(10).bytes == Pattern.bytes(0, 10))
    #expect(source.spooledByteRanges == [0..<1000])
    #expect(try source.read(990).bytes == Pattern.bytes(10, 990))
    _ = try source.read(2000)
    #expect(source.spooledByteRanges == [0..<3000])
    #expect(!source.information.isRepositionable)
  }

  @Test("seeks to every spooled byte, before the start's end and behind it")
  func spooled() throws {
    let plain = SyntheticSource(Self.station)
    let source = try source(plain)
    for offset in [500, 0, 999, 1000] as [UInt64] {
      _ = try source.read(1)
      try source.reposition(to: offset)
    }
    #expect(plain.offset == 1000)
    #expect(try source.read(2000).bytes == Pattern.bytes(1000, 2000))
    for offset in [0, 999, 1000, 1001, 2999, 500, 3000] as [UInt64] {
      try source.reposition(to: offset)
      var place = offset
      while place < 4000 {
        let bytes = try source.read(400).bytes
        #expect(bytes == Pattern.bytes(place, bytes.count))
        place += UInt64(bytes.count)
      }
      #expect(source.spooledByteRanges == [0..<plain.offset])
    }
    #expect(plain.repositions.isEmpty)
  }

  @Test("reads on after each seek that is impossible")
  func refused() throws {
    let plain = SyntheticSource(Self.station)
    let source = try source(plain, maximumBytes: 10_000, blockBytes: 4096)
    var place: UInt64 = 0
    while place < 100_000 { place += UInt64(try source.read(1000).bytes.count) }
    let kept = try #require(source.spooledByteRanges.first)
    #expect(kept.lowerBound > 1000 && kept.upperBound == place)
    for offset in [0, 1000, kept.lowerBound - 1, place + 10_000] {
      #expect(throws: ByteSourceError(.notRepositionable, at: "synthetic")) {
        try source.reposition(to: offset)
      }
      let bytes = try source.read(100).bytes
      #expect(bytes == Pattern.bytes(place, bytes.count))
      place += UInt64(bytes.count)
    }
    // The same holds within the start.
    let short = try self.source(SyntheticSource(Self.station))
    _ = try short.read(10)
    #expect(throws: ByteSourceError.self) { try short.reposition(to: 5000) }
    #expect(try short.read(2000).bytes == Pattern.bytes(10, 990))
  }

  @Test(
    "random reads and seeks deliver the plain source's bytes",
    arguments: [
      SyntheticSource.Manner(isUnsteady: true),
      SyntheticSource.Manner(isRepositionable: false, isUnsteady: true),
      SyntheticSource.Manner(tellsByteCount: false, isRepositionable: false, isUnsteady: true),
      SyntheticSource.Manner(byteCount: nil, isRepositionable: false, isUnsteady: true),
    ], [(4 << 20, 65_536), (40_000, 4096), (3000, 4096)])
  func random(_ manner: SyntheticSource.Manner, _ sizes: (UInt64, UInt64)) throws {
    for seed in 0..<UInt64(8) {
      var random = SplitMix(state: seed)
      let plain = SyntheticSource(manner)
      let source = try source(
        plain, reading: 5000, maximumBytes: sizes.0, blockBytes: sizes.1)
      defer { source.close() }
      _ = try source.read(1)
      var place: UInt64 = 1
      for _ in 0..<150 {
        if Int.random(in: 0..<3, using: &random) == 0 {
          let limit: UInt64 = Bool.random(using: &random) ? 10_000 : plain.offset + 100
          let target = UInt64.random(in: 0..<limit, using: &random)
          let isKept = source.spooledByteRanges.contains {
            $0.contains(target) && $0.upperBound == plain.offset
          }
          let isSure = isKept || source.information.isRepositionable
          do throws(ByteSourceError) {
            try source.reposition(to: target)
            place = target
          } catch {
            #expect(error.reason == .notRepositionable && !isSure)
          }
        } else {
          let bytes = try source.read(Int.random(in: 1...4000, using: &random), timeout: 0).bytes
          let isPlain = bytes == Pattern.bytes(place, bytes.count)
          #expect(isPlain)
          place += UInt64(bytes.count)
        }
      }
    }
  }
}
