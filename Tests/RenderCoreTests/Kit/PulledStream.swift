// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import RenderCore

/// A stream whose packets are all in its ring, pulled cycle by cycle.
@safe
struct PulledStream: ~Copyable {
  private var source: RingPacketSource
  private let converter: UnsafeMutablePointer<StreamConverter>
  private let buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private let period: Int

  init(_ parsed: ParsedStream, outputRate: Int, period: Int) throws {
    self.period = period
    // The ring's ends are made separately, since a pair cannot be taken apart outside its module.
    let storage = UnsafeMutablePointer<PacketRingStorage>.allocate(capacity: 1)
    unsafe storage.initialize(to: PacketRingStorage(byteCapacity: 1 << 20, entryCapacity: 4096))
    var producer = unsafe PacketRingProducer(storage: storage)
    for (index, packet) in parsed.packets.enumerated() {
      let isWritten = unsafe packet.bytes.withUnsafeBytes {
        unsafe producer.write(
          packet: $0,
          metadata: PacketMetadata(
            flushSerial: 0, packetIndex: Int64(index), firstFrame: 0,
            frameCount: Int32(packet.frames), trimStartFrames: 0, trimEndFrames: 0, byteOffset: 0,
            durationNanoseconds: 26_122_449))
      }
      #expect(isWritten)
    }
    source = unsafe RingPacketSource(consumer: PacketRingConsumer(storage: storage))
    unsafe converter = try parsed.packets[0].bytes.withUnsafeBytes {
      try unsafe StreamConverter.make(
        StreamConverter.Configuration(
          streamID: 0, stream: parsed.stream, outputRate: outputRate, outputChannels: 2),
        firstPacket: $0)
    }
    unsafe buffers = .allocate(capacity: 2)
    for channel in 0..<2 {
      unsafe buffers.initializeElement(at: channel, to: .allocate(capacity: period))
    }
  }

  deinit {
    unsafe StreamConverter.destroy(converter)
    for channel in 0..<2 { unsafe buffers[channel].deallocate() }
    unsafe buffers.deallocate()
  }

  var packetCount: UInt64 { unsafe converter.pointee.packetCount }

  /// Renders a cycle and returns the first output's samples, as many as are available.
  mutating func pull() -> [Float] {
    let (converter, buffers, period) = unsafe (converter, buffers, period)
    let (frames, _) = unsafe converter.pointee.fill(
      buffers, offset: 0, frameCount: period, from: &source)
    return (0..<frames).map { unsafe buffers[0][$0] }
  }

  /// Decodes a packet early if the cycle had no other work, and returns whether it did.
  mutating func decodeEarly() -> Bool {
    if takePieces().total > 0 { return false }
    return workAhead(resamples: false).decodes > 0
  }

  /// Works ahead and returns the work done: at most one piece, or one of each kind.
  mutating func workAhead(resamples: Bool = true, both: Bool = false) -> WorkPieces {
    let converter = unsafe converter
    _ = unsafe converter.pointee.workAhead(
      from: &source, decodes: true, resamples: resamples, both: both)
    return takePieces()
  }

  /// The work per output frame.
  var workRate: WorkRate { unsafe converter.pointee.workRate }

  mutating func takePieces() -> WorkPieces { unsafe converter.pointee.takePieces() }
}
