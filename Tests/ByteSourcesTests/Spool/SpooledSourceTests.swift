// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import ByteSources

@Suite("A spooled source")
struct SpooledSourceTests {
  private let directory = TemporaryDirectory()

  private func spooled(
    _ source: SyntheticSource, maximumBytes: UInt64 = 4 << 20, blockBytes: UInt64? = nil
  ) -> SpooledByteSource {
    SpooledByteSource(
      source, directoryPath: directory.path, maximumBytes: maximumBytes, blockBytes: blockBytes)
  }

  @Test(
    "random reads and seeks deliver the plain source's bytes, and kept bytes need no request",
    arguments: [
      SyntheticSource.Manner(isUnsteady: true),
      SyntheticSource.Manner(isRepositionable: false, isUnsteady: true),
      SyntheticSource.Manner(tellsByteCount: false, isUnsteady: true),
      SyntheticSource.Manner(tellsByteCount: false, isRepositionable: false, isUnsteady: true),
      SyntheticSource.Manner(byteCount: nil, isRepositionable: false, isUnsteady: true),
    ], [(4 << 20, 65_536), (200_000, 8192), (40_000, 4096), (5000, 4096), (3000, 4096)])
  func random(_ manner: SyntheticSource.Manner, _ sizes: (UInt64, UInt64)) throws {
    for seed in 0..<UInt64(8) {
      var random = SplitMix(state: seed)
      let plain = SyntheticSource(manner)
      let source = spooled(plain, maximumBytes: sizes.0, blockBytes: sizes.1)
      defer { source.close() }
      var place: UInt64 = 0
      for _ in 0..<150 {
        if Int.random(in: 0..<4, using: &random) == 0 {
          try goSomewhere(source, plain, &place, &random)
        } else {
          try readSome(source, plain, manner, &place, &random)
        }
        let kept = source.spooledByteRanges
        #expect(kept.reduce(0) { $0 + UInt64($1.count) } <= sizes.0)
        #expect(kept.allSatisfy { $0.upperBound <= manner.byteCount ?? .max })
      }
      #expect(source.spoolState == .active)
    }
    #expect(directory.names.isEmpty)
  }

  private func goSomewhere(
    _ source: SpooledByteSource, _ plain: SyntheticSource, _ place: inout UInt64,
    _ random: inout SplitMix
  ) throws {
    let kept = source.spooledByteRanges
    var target = UInt64.random(in: 0..<1_000_000, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: target = kept.randomElement(using: &random)?.randomElement(using: &random) ?? target
    case 1: target = plain.offset + UInt64.random(in: 0..<100_000, using: &random)
    case 2: target = plain.offset - min(target % 100_000, plain.offset)
    default: break
    }
    let isRepositionable = source.information.isRepositionable
    let isKept = kept.contains { $0.contains(target) && $0.upperBound == plain.offset }
    do throws(ByteSourceError) {
      try source.reposition(to: target)
      place = target
      #expect(isRepositionable || isKept || target == plain.offset)
    } catch {
      #expect(error.reason == .notRepositionable)
      #expect(!isRepositionable && !isKept)
    }
  }

  private func readSome(
    _ source: SpooledByteSource, _ plain: SyntheticSource, _ manner: SyntheticSource.Manner,
    _ place: inout UInt64, _ random: inout SplitMix
  ) throws {
    let isKept = source.spooledByteRanges.contains { $0.contains(place) }
    let (reads, repositions) = (plain.readCount, plain.repositions.count)
    let (answer, bytes) = try source.read(Int.random(in: 1...40_000, using: &random), timeout: 0)
    switch answer {
    case .bytes(let count):
      let isPlain = bytes == Pattern.bytes(place, count)
      #expect(count > 0 && isPlain)
      place += UInt64(count)
    case .end: #expect(try place >= #require(manner.byteCount))
    case .wait: #expect(!isKept)
    case .discontinuity: Issue.record("there is none")
    }
    if isKept {
      #expect(!bytes.isEmpty)
      #expect(plain.readCount == reads && plain.repositions.count == repositions)
    }
  }

  @Test("a byte offset shortly ahead is read up to, a far one is sought")
  func ahead() throws {
    let plain = SyntheticSource()
    let source = spooled(plain)
    _ = try source.read(1000)
    try source.reposition(to: 1000 + 65_535)
    #expect(try source.read(10).bytes == Pattern.bytes(66_535, 10))
    #expect(plain.repositions.isEmpty)
    #expect(source.spooledByteRanges == [0..<66_545])
    try source.reposition(to: 66_545 + 65_536)
    #expect(try source.read(10).bytes == Pattern.bytes(132_081, 10))
    #expect(plain.repositions == [132_081])
    #expect(source.spooledByteRanges == [0..<66_545, 132_081..<132_091])
  }

  @Test("behind kept bytes it reads on from the other source, which it repositions if needed")
  func goingOn() throws {
    let plain = SyntheticSource()
    let source = spooled(plain)
    _ = try source.read(1000)
    try source.reposition(to: 500_000)
    _ = try source.read(1000)
    try source.reposition(to: 500_500)
    #expect(try source.read(4000).bytes.count == 500)
    #expect(try source.read(4000).bytes == Pattern.bytes(501_000, 4000))
    #expect(plain.repositions == [500_000])
    try source.reposition(to: 100)
    #expect(try source.read(4000).bytes == Pattern.bytes(100, 900))
    #expect(try source.read(4000).bytes == Pattern.bytes(1000, 4000))
    #expect(plain.repositions == [500_000, 1000])
  }

  @Test("the end is kept, too: reading a stream to its end again needs no request")
  func again() throws {
    let plain = SyntheticSource(SyntheticSource.Manner(isRepositionable: false))
    let source = spooled(plain)
    let body = Pattern.body(1_000_000)
    #expect(source.readAll().bytes == body)
    for start in [0, 999_999, 500_000] {
      let reads = plain.readCount
      try source.reposition(to: UInt64(start))
      #expect(source.readAll().bytes == Array(body[start...]))
      #expect(plain.readCount <= reads + 1)
    }
    #expect(source.spooledByteRanges == [0..<1_000_000])
  }

  @Test("a source without repositioning gets it if its length is known and it fits in the spool")
  func roomForAll() throws {
    var manner = SyntheticSource.Manner(isRepositionable: false)
    let source = spooled(SyntheticSource(manner))
    #expect(!source.information.isRepositionable)
    _ = try source.read(10)
    #expect(source.information.isRepositionable)
    try source.reposition(to: 999_990)
    while case .wait = try source.read(5).answer {}
    #expect(source.readAll().bytes == Pattern.bytes(999_995, 5))
    try source.reposition(to: 1_000_000)
    #expect(try source.read().answer == .end)
    try source.reposition(to: 2_000_000)
    #expect(try source.read().answer == .end)
    source.close()
    manner.byteCount = 5 << 20
    let large = spooled(SyntheticSource(manner))
    _ = try large.read(10)
    #expect(!large.information.isRepositionable)
    #expect(throws: ByteSourceError(.notRepositionable, at: "synthetic")) {
      try large.reposition(to: 11)
    }
    try large.reposition(to: 3)
    #expect(try large.read(100).bytes == Pattern.bytes(3, 7))
  }

  @Test("an endless stream's newest bytes are kept, and older ones are refused")
  func ring() throws {
    let plain = SyntheticSource(
      SyntheticSource.Manner(byteCount: nil, isRepositionable: false))
    let source = spooled(plain, maximumBytes: 1 << 20)
    for _ in 0..<200 { _ = try source.read(50_000) }
    let kept = try #require(source.spooledByteRanges.first)
    #expect(source.spooledByteRanges.count == 1)
    #expect(kept.upperBound == 10_000_000)
    #expect((700_000...1 << 20).contains(kept.count))
    #expect(throws: ByteSourceError(.notRepositionable, at: "synthetic")) {
      try source.reposition(to: kept.lowerBound - 1)
    }
    // A refusal changes nothing.
    #expect(try source.read(10).bytes == Pattern.bytes(10_000_000, 10))
    try source.reposition(to: kept.lowerBound)
    var place = kept.lowerBound
    while place < 11_000_000 {
      let bytes = try source.read(30_000).bytes
      #expect(bytes == Pattern.bytes(place, bytes.count))
      place += UInt64(bytes.count)
    }
    #expect(source.spoolState == .active)
  }

  @Test("the other source's error is thrown and stays, and the kept bytes are removed")
  func changed() throws {
    let source = spooled(SyntheticSource(SyntheticSource.Manner(failureElsewhere: .changed)))
    _ = try source.read(1000)
    try source.reposition(to: 500_000)
    let error = ByteSourceError(.changed, at: "synthetic")
    #expect(throws: error) { try source.read() }
    #expect(source.spooledByteRanges.isEmpty)
    #expect(directory.names.isEmpty)
    #expect(throws: error) { try source.reposition(to: 0) }
    #expect(throws: error) { try source.read() }
  }

  @Test("closing removes the file and releases its room and descriptors, and so does deinit")
  func closing() throws {
    func use(isClosed: Bool) throws {
      let plain = SyntheticSource()
      do {
        let source = SpooledByteSource(
          plain, directoryPath: directory.path, maximumBytes: 1 << 20)
        _ = try source.read()
        withExtendedLifetime(source) {
          #expect(directory.names.count == 1)
          // One for the directory and one for the file.
          #expect(openDescriptorCount(under: directory.path) == 2)
        }
        if isClosed {
          source.close()
          source.close()
          #expect(directory.names.isEmpty)
          try source.reposition(to: 0)
          #expect(try source.read().answer == .end)
        }
      }
      #expect(plain.isClosed)
      #expect(directory.names.isEmpty)
      #expect(openDescriptorCount(under: directory.path) == 0)
    }
    for isClosed in [true, false, true] { try use(isClosed: isClosed) }
  }
}
