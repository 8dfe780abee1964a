// SPDX-License-Identifier: MIT

internal import AudioModel
internal import BarePeers
internal import PacketParser

@testable internal import RenderCore

extension Comparison {
  /// Bytes in memory to packets in the ring, in slices like those read from a file, against memcpy of the
  /// same slices. The reader only removes the packets.
  static func parser(_ table: PacketTable) -> Comparison {
    let path = ParserPath(table)
    return Comparison(
      name: "parse-ring", input: table.name, operations: path.packetCount, operation: "packet",
      bytes: path.byteCount, isJudgedByThroughput: true,
      baseline: Scenario("memcpy") { path.copy() },
      subject: Scenario("parser and ring") { path.run() }, objection: { path.objection })
  }
}

@safe
private final class ParserPath {
  /// More bytes than any cache holds, so that they are read from memory.
  private static let minimumByteCount = 96 << 20
  private static let sliceBytes = 64 << 10

  let byteCount: Int
  let packetCount: Int
  private let input: [UInt8]
  private let slice: UnsafeMutablePointer<UInt8>
  private(set) var objection: String?

  init(_ table: PacketTable) {
    input = table.repeated(byteCount: Self.minimumByteCount)
    byteCount = input.count
    packetCount = unsafe input.count / table.byteCount * table.packets.count
    unsafe slice = .allocate(capacity: Self.sliceBytes)
    unsafe slice.initialize(repeating: 0, count: Self.sliceBytes)
  }

  deinit {
    unsafe slice.deallocate()
  }

  func copy() -> Timing {
    let time = Timing.of {
      unsafe input.withUnsafeBytes { bytes in
        for start in stride(from: 0, to: bytes.count, by: Self.sliceBytes) {
          let count = min(Self.sliceBytes, bytes.count - start)
          unsafe UnsafeMutableRawPointer(slice).copyMemory(
            from: bytes.baseAddress! + start, byteCount: count)
        }
      }
    }
    return Timing(nanoseconds: time)
  }

  func run() -> Timing {
    var listener = RingListener()
    let start = bare_thread_nanoseconds()
    do throws(AudioFileStreamError) {
      try Self.parse(input, listener: &listener)
    } catch {
      objection = "\(error)"
    }
    let time = bare_thread_nanoseconds() - start
    if listener.packetCount != packetCount {
      objection = "\(listener.packetCount) packets came out, not \(packetCount)"
    }
    return Timing(nanoseconds: time)
  }

  private static func parse(
    _ input: [UInt8], listener: inout RingListener
  ) throws(AudioFileStreamError) {
    let bytes = input.span
    var stream = AudioFileStream(hint: .mpegLayer3)
    for start in stride(from: 0, to: bytes.count, by: sliceBytes) {
      let end = min(bytes.count, start + sliceBytes)
      try stream.parse(bytes.extracting(start..<end), listener: &listener)
      listener.takeOut()
    }
    try stream.finish(listener: &listener)
    listener.takeOut()
  }
}

/// A ring at a fixed address.
@safe
private final class PacketRingBox {
  let ends: UnsafeMutablePointer<PacketRingEnds>

  init() {
    unsafe ends = .allocate(capacity: 1)
    unsafe ends.initialize(to: PacketRing.makePair(byteCapacity: 2 << 20, entryCapacity: 8192))
  }

  deinit {
    unsafe ends.deinitialize(count: 1)
    unsafe ends.deallocate()
  }
}

/// Writes each packet to a ring.
private struct RingListener: AudioFileStreamListener {
  private let box = PacketRingBox()
  private(set) var packetCount = 0

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {}

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    let ends = unsafe box.ends
    unsafe bytes.withUnsafeBytes { bytes in
      for index in descriptions.indices {
        let start = Int(descriptions[index].startOffset)
        let end = start + Int(descriptions[index].dataByteSize)
        let packetIndex = packets.firstPacketIndex + Int64(index)
        let isWritten = unsafe ends.pointee.producer.write(
          packet: UnsafeRawBufferPointer(rebasing: bytes[start..<end]),
          metadata: PacketMetadata(
            flushSerial: 0, packetIndex: packetIndex, firstFrame: packetIndex * 1152,
            frameCount: 1152, trimStartFrames: 0, trimEndFrames: 0,
            byteOffset: packets.byteOffset + Int64(start), durationNanoseconds: 26_122_449))
        precondition(isWritten, "the ring holds more than one slice")
      }
    }
    packetCount += descriptions.count
  }

  /// Empties the ring, as the render thread would.
  func takeOut() {
    let ends = unsafe box.ends
    while unsafe ends.pointee.consumer.peek() != nil {
      unsafe ends.pointee.consumer.release()
    }
  }
}
