// SPDX-License-Identifier: MIT

import AudioModel
import TestKit
import Testing

@testable import PacketParser

/// The index of packets seen: exact, without gaps, and of bounded size.
@Suite struct PacketIndexTests {
  /// Packets whose sizes, gaps and durations depend on their number alone.
  private struct Packets {
    var starts: [Int64] = []
    var frames: [Int64] = []
    private(set) var end: Int64 = 0
    private(set) var frameEnd: Int64 = 0

    static func size(_ packet: Int64) -> Int64 { 10 + packet * 7 % 23 }
    static func gap(_ packet: Int64) -> Int64 { packet % 5 == 0 ? 3 : 0 }
    static func duration(_ packet: Int64) -> Int64 { packet % 11 == 0 ? 0 : 100 + packet % 3 }

    init(_ count: Int64) {
      for packet in 0..<count {
        end += Self.gap(packet)
        starts.append(end)
        frames.append(frameEnd)
        end += Self.size(packet)
        frameEnd += Self.duration(packet)
      }
    }

    func run(_ range: Range<Int64>, hasFrames: Bool) -> (Int64, [AudioStreamPacketDescription]) {
      let start = starts[Int(range.lowerBound)]
      return (
        start,
        range.map {
          AudioStreamPacketDescription(
            startOffset: starts[Int($0)] - start,
            variableFramesInPacket: hasFrames ? UInt32(Self.duration($0)) : 0,
            dataByteSize: UInt32(Self.size($0)))
        }
      )
    }
  }

  @Test("Every target is right while the index grows coarser", arguments: [false, true])
  func targets(_ hasFrames: Bool) {
    let count = Int64(PacketIndex.maximumEntries) * 5 + 77
    let packets = Packets(count)
    var index = PacketIndex()
    var first: Int64 = 0
    var random = SplitMix(state: 4)
    while first < count {
      let end = min(count, first + 1 + Int64(random.next() % 900))
      let (start, descriptions) = packets.run(first..<end, hasFrames: hasFrames)
      index.add(first: first, byteOffset: start, descriptions, hasFrames: hasFrames)
      first = end
      #expect(index.packetCount == end)
      for _ in 0..<20 { check(index, packets, Int64(random.next() % UInt64(end)), hasFrames) }
    }
    #expect(index.stride == 8)
    #expect(index.byteCount == packets.end)
    #expect(index.frameCount == (hasFrames ? packets.frameEnd : 0))
    for packet in 0..<count where packet % 97 == 0 { check(index, packets, packet, hasFrames) }
    let beyond = (index.target(packet: count), index.target(packet: -1))
    #expect(beyond.0 == nil && beyond.1 == nil)
    #expect(index.entry(atByte: packets.end) == nil && index.entry(atByte: -1) == nil)
    #expect(index.entry(atFrame: index.frameCount) == nil)
  }

  private func check(
    _ index: PacketIndex, _ packets: Packets, _ packet: Int64, _ hasFrames: Bool
  ) {
    let target = index.target(packet: packet)
    #expect(target?.packet == packet && target?.isEstimated == false)
    guard let target else { return }
    #expect(target.leadingPacketCount < index.stride)
    #expect(target.byteOffset == packets.starts[Int(target.firstPacket)])
    let byte = packets.starts[Int(packet)] + 4
    let entry = index.entry(atByte: byte)
    #expect(entry?.packet == target.firstPacket && entry?.byteOffset == target.byteOffset)
    guard hasFrames, Packets.duration(packet) > 0 else { return }
    let frame = packets.frames[Int(packet)] + 1
    let byFrame = index.entry(atFrame: frame)
    #expect(byFrame?.packet == target.firstPacket && byFrame?.byteOffset == target.byteOffset)
    #expect(byFrame?.firstFrame == packets.frames[Int(target.firstPacket)])
    let ofPacket = index.entry(ofPacket: packet)
    #expect(ofPacket?.packet == target.firstPacket)
    #expect(ofPacket?.firstFrame == packets.frames[Int(target.firstPacket)])
  }

  @Test("A run that overlaps the index adds its rest; one behind a gap adds nothing")
  func overlaps() {
    let packets = Packets(1000)
    for hasFrames in [false, true] {
      var index = PacketIndex()
      func add(_ range: Range<Int64>) {
        let (start, descriptions) = packets.run(range, hasFrames: hasFrames)
        index.add(first: range.lowerBound, byteOffset: start, descriptions, hasFrames: hasFrames)
      }
      add(0..<100)
      add(101..<200)
      #expect(index.packetCount == 100)
      add(20..<90)
      add(20..<100)
      #expect(index.packetCount == 100 && index.byteCount == packets.starts[99] + Packets.size(99))
      add(50..<300)
      #expect(index.packetCount == 300)
      index.add(first: -5, byteOffset: 0, packets.run(0..<600, hasFrames: hasFrames).1)
      index.add(first: 300, byteOffset: 0, [])
      #expect(index.packetCount == 300)
      add(300..<1000)
      for packet in 0..<Int64(1000) { check(index, packets, packet, hasFrames) }
      #expect(index.byteCount == packets.end)
    }
  }

  @Test("Ten million packets stay within the memory bound, and every target is right")
  func endless() {
    let size: UInt32 = 417
    let run = (0..<512).map {
      AudioStreamPacketDescription(
        startOffset: Int64($0) * Int64(size), variableFramesInPacket: 0, dataByteSize: size)
    }
    var index = PacketIndex()
    while index.packetCount < 10_000_000 {
      index.add(
        first: index.packetCount, byteOffset: index.packetCount * Int64(size), run)
    }
    #expect(index.entryCount <= PacketIndex.maximumEntries)
    #expect(index.stride == 1024)
    for packet in stride(from: Int64(0), to: 10_000_000, by: 99_991) {
      let target = index.target(packet: packet)
      #expect(target?.byteOffset == packet / 1024 * 1024 * Int64(size))
      #expect(target?.leadingPacketCount == packet % 1024)
    }
  }
}
