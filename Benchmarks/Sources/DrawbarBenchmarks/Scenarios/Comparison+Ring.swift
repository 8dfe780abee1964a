// SPDX-License-Identifier: MIT

internal import BarePeers

@testable internal import RenderCore

extension Comparison {
  /// A packet written to the ring and read from it, against memcpy of the same bytes into memory of the same
  /// size. The ring's reader does not copy, so each side makes one copy.
  static func ring(_ table: PacketTable) -> Comparison {
    let path = RingPath(table)
    return Comparison(
      name: "ring", input: table.name, operations: RingPath.packetsPerRun, operation: "packet",
      baseline: Scenario("memcpy") { path.copy() },
      subject: Scenario("ring write and read") { path.run() })
  }
}

@safe
private final class RingPath {
  static let packetsPerRun = 1 << 15
  private static let byteCapacity = 2 << 20
  private static let batch = 32

  private let table: PacketTable
  private let ends: UnsafeMutablePointer<PacketRingEnds>
  private let memory: UnsafeMutablePointer<UInt8>
  private var position = 0
  private var bytesSeen = 0

  init(_ table: PacketTable) {
    self.table = table
    unsafe ends = .allocate(capacity: 1)
    unsafe ends.initialize(
      to: PacketRing.makePair(byteCapacity: Self.byteCapacity, entryCapacity: 8192))
    unsafe memory = .allocate(capacity: Self.byteCapacity)
    unsafe memory.initialize(repeating: 0, count: Self.byteCapacity)
  }

  deinit {
    unsafe ends.deinitialize(count: 1)
    unsafe ends.deallocate()
    unsafe memory.deallocate()
  }

  func copy() -> Timing {
    let packets = unsafe table.packets
    let time = Timing.of {
      var left = Self.packetsPerRun
      while left > 0 {
        let count = min(left, packets.count)
        unsafe bare_copy_packets(
          packets.baseAddress, count, memory, Self.byteCapacity, &position)
        left -= count
      }
    }
    return Timing(nanoseconds: time)
  }

  func run() -> Timing {
    let packets = unsafe table.packets
    let ends = unsafe self.ends
    var next = 0
    var seen = 0
    let time = Timing.of {
      for _ in 0..<Self.packetsPerRun / Self.batch {
        for index in 0..<Self.batch {
          let packet = unsafe packets[next]
          next = next + 1 == packets.count ? 0 : next + 1
          let isWritten = unsafe ends.pointee.producer.write(
            packet: UnsafeRawBufferPointer(start: packet.bytes, count: packet.count),
            metadata: PacketMetadata(
              flushSerial: 0, packetIndex: Int64(index), firstFrame: 0, frameCount: 1152,
              trimStartFrames: 0, trimEndFrames: 0, byteOffset: 0,
              durationNanoseconds: 26_122_449))
          precondition(isWritten, "the ring holds more than one batch")
        }
        while let entry = unsafe ends.pointee.consumer.peek() {
          seen &+= unsafe Int(ends.pointee.consumer.bytes(of: entry).load(as: UInt8.self))
          unsafe ends.pointee.consumer.release()
        }
      }
    }
    bytesSeen &+= seen
    return Timing(nanoseconds: time)
  }
}
