// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import Testing

@testable import RenderCore

/// A packet whose bytes and metadata follow from its number.
private struct NumberedPacket {
  let number: Int
  let size: Int

  var bytes: [UInt8] { (0..<size).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) } }

  var metadata: PacketMetadata {
    PacketMetadata(
      flushSerial: 0, packetIndex: Int64(number), firstFrame: Int64(number) * 10, frameCount: 10,
      trimStartFrames: 0, trimEndFrames: 0, byteOffset: Int64(number) * 100,
      durationNanoseconds: UInt64(size))
  }

  func write(to producer: inout PacketRingProducer, ample: UInt64 = .max) -> Bool {
    let bytes = bytes
    let metadata = metadata
    return unsafe bytes.withUnsafeBytes {
      unsafe producer.write(packet: $0, metadata: metadata, ampleNanoseconds: ample)
    }
  }

  /// Reads the front packet and returns whether it is this one, whole.
  func isNext(in consumer: inout PacketRingConsumer) -> Bool {
    guard let entry = unsafe consumer.peek(), case .packet = unsafe entry.pointee.kind else {
      return false
    }
    let start = unsafe consumer.bytes(of: entry)
    let read = unsafe [UInt8](
      UnsafeRawBufferPointer(start: start, count: entry.pointee.byteCount))
    let isSame = unsafe read == bytes && entry.pointee.metadata == metadata
    consumer.release()
    return isSame
  }
}

/// Both ends of a ring, used by one thread.
private final class Ring {
  var ends: PacketRingEnds

  init(byteCapacity: Int, entryCapacity: Int) {
    ends = PacketRing.makePair(byteCapacity: byteCapacity, entryCapacity: entryCapacity)
  }

  var entryCount: Int { ends.producer.entryCount }

  func write(_ number: Int, size: Int, ample: UInt64 = .max) -> Bool {
    NumberedPacket(number: number, size: size).write(to: &ends.producer, ample: ample)
  }

  /// The byte offset at which the front packet ends in the memory.
  var frontEnd: Int {
    guard let entry = unsafe ends.consumer.peek() else { return 0 }
    return unsafe entry.pointee.offset + entry.pointee.byteCount
  }

  func readsNext(_ number: Int, size: Int) -> Bool {
    NumberedPacket(number: number, size: size).isNext(in: &ends.consumer)
  }
}

@Suite("Packet ring")
struct PacketRingTests {
  @Test(
    "Every head position, packet size and fill of a small ring keeps packets in order",
    arguments: [UInt64.max, 0, 6, 12])
  func everyLayout(_ ample: UInt64) {
    let capacity = 24
    for first in 1...capacity / 2 {
      for second in 1...capacity / 2 {
        for entries in [1, 2, 4, 8] {
          let ring = Ring(byteCapacity: capacity, entryCapacity: entries)
          var written = 0
          var read = 0
          // Alternating sizes walk the head over every position; each round fills the ring.
          while read < 3 * capacity {
            while ring.write(written, size: written % 2 == 0 ? first : second, ample: ample) {
              written += 1
            }
            #expect(ring.entryCount == written - read)
            #expect(written > read, "an empty ring takes a packet of half its memory")
            #expect(ring.readsNext(read, size: read % 2 == 0 ? first : second))
            read += 1
          }
        }
      }
    }
  }

  @Test("A packet of more than half the memory, or of no bytes, is refused")
  func refusesWhatNeverFits() {
    let ring = Ring(byteCapacity: 100, entryCapacity: 4)
    #expect(!ring.write(0, size: 51))
    #expect(!ring.write(0, size: 0))
    #expect(ring.write(0, size: 50))
  }

  @Test("Memory beyond a quarter of the ring is not used while the ring holds ample sound")
  func goesBackEarly() {
    let packetBytes = 64
    for heldPackets in [4, 12, 30] {
      let ring = Ring(byteCapacity: 4096, entryCapacity: 64)
      var furthest = 0
      for number in 0..<1000 {
        #expect(ring.write(number, size: packetBytes, ample: UInt64(heldPackets * packetBytes)))
        guard number >= heldPackets else { continue }
        furthest = max(furthest, ring.frontEnd)
        #expect(ring.readsNext(number - heldPackets, size: packetBytes))
      }
      #expect(furthest == max(1024, (heldPackets + 1) * packetBytes))
    }
  }

  @Test("The level in nanoseconds is the written duration less the released one")
  func level() {
    let ring = Ring(byteCapacity: 100, entryCapacity: 4)
    #expect(ring.write(0, size: 7))
    #expect(ring.write(1, size: 9))
    #expect(ring.ends.producer.bufferedNanoseconds == 16)
    #expect(ring.ends.consumer.bufferedNanoseconds == 16)
    #expect(ring.readsNext(0, size: 7))
    #expect(ring.ends.producer.bufferedNanoseconds == 9)
  }

  @Test("A mark takes no bytes and keeps its position")
  func marks() {
    let ring = Ring(byteCapacity: 100, entryCapacity: 4)
    #expect(ring.write(0, size: 7))
    let isWritten = unsafe ring.ends.producer.write(mark: .endOfStream, flushSerial: 3)
    #expect(isWritten)
    #expect(ring.readsNext(0, size: 7))
    let entry = unsafe ring.ends.consumer.peek()
    let flushSerial = unsafe entry?.pointee.metadata.flushSerial
    #expect(flushSerial == 3)
    var isEnd = false
    if let entry = unsafe entry, case .endOfStream = unsafe entry.pointee.kind { isEnd = true }
    #expect(isEnd)
    ring.ends.consumer.release()
    let isEmpty = unsafe ring.ends.consumer.peek() == nil
    #expect(isEmpty)
  }

  @Test("Ten million packets pass between two threads whole and in order")
  func soak() async {
    let packetCount = 10_000_000
    let ends = PacketRing.makePair(byteCapacity: 4096, entryCapacity: 64)
    let failures = RingSoak.run(ends, packetCount: packetCount)
    #expect(failures == 0)
  }
}

/// Two threads at full speed on one ring. Packets carry their number; sizes vary.
private enum RingSoak {
  @safe
  struct Shared: ~Copyable {
    var ends: PacketRingEnds
    let packetCount: Int
  }

  static func run(_ ends: consuming PacketRingEnds, packetCount: Int) -> Int {
    let shared = UnsafeMutablePointer<Shared>.allocate(capacity: 1)
    unsafe shared.initialize(to: Shared(ends: ends, packetCount: packetCount))
    // Each thread uses a pointer to its own end: reaching it through the whole pair would be two threads' writes
    // to one value.
    let consumer = unsafe withUnsafeMutablePointer(to: &shared.pointee.ends.consumer) { unsafe $0 }
    var thread = pthread_t()
    let status = unsafe pthread_create(
      &thread, nil,
      { argument in
        unsafe RingSoak.produce(argument!.assumingMemoryBound(to: Shared.self))
        return nil
      }, shared)
    guard status == 0 else { return packetCount }
    var failures = 0
    var number = 0
    while number < packetCount {
      guard let entry = unsafe consumer.pointee.peek() else {
        sched_yield()
        continue
      }
      let bytes = unsafe consumer.pointee.bytes(of: entry)
      let size = unsafe entry.pointee.byteCount
      let isRight =
        unsafe size == Self.size(number)
        && bytes.loadUnaligned(as: UInt64.self) == UInt64(number)
        && bytes.load(fromByteOffset: size - 1, as: UInt8.self) == UInt8(truncatingIfNeeded: number)
        && entry.pointee.metadata.packetIndex == Int64(number)
      if !isRight { failures += 1 }
      unsafe consumer.pointee.release()
      number += 1
    }
    pthread_join(thread, nil)
    unsafe shared.deinitialize(count: 1)
    unsafe shared.deallocate()
    return failures
  }

  static func size(_ number: Int) -> Int { 9 + (number &* 2_654_435_761 >> 7) % 150 }

  static func produce(_ shared: UnsafeMutablePointer<Shared>) {
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 8)
    defer { unsafe scratch.deallocate() }
    let producer = unsafe withUnsafeMutablePointer(to: &shared.pointee.ends.producer) { unsafe $0 }
    for number in 0..<(unsafe shared.pointee.packetCount) {
      let size = Self.size(number)
      unsafe scratch.storeBytes(of: UInt64(number), as: UInt64.self)
      unsafe scratch[size - 1] = UInt8(truncatingIfNeeded: number)
      let packet = unsafe UnsafeRawBufferPointer(rebasing: scratch[0..<size])
      let metadata = PacketMetadata(
        flushSerial: 0, packetIndex: Int64(number), firstFrame: 0, frameCount: 1,
        trimStartFrames: 0, trimEndFrames: 0, byteOffset: 0, durationNanoseconds: 1)
      while unsafe !producer.pointee.write(packet: packet, metadata: metadata) {
        sched_yield()
      }
    }
  }
}
