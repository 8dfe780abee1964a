// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import RenderCore

/// A stream whose packets are all in its ring, pulled cycle by cycle.
@safe
private struct PulledStream: ~Copyable {
  private var source: RingPacketSource
  private let converter: UnsafeMutablePointer<StreamConverter>
  private let buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private let period: Int

  init(_ parsed: ParsedStream, outputRate: Int, period: Int) throws {
    self.period = period
    // Its ends are made one by one here, for a pair cannot be taken apart outside of its module.
    let storage = UnsafeMutablePointer<PacketRingStorage>.allocate(capacity: 1)
    unsafe storage.initialize(to: PacketRingStorage(byteCapacity: 1 << 20, entryCapacity: 4096))
    var producer = unsafe PacketRingProducer(storage: storage)
    for (index, packet) in parsed.packets.enumerated() {
      let isWritten = unsafe packet.bytes.withUnsafeBytes {
        unsafe producer.write(
          packet: $0,
          history: PacketHistory(
            generation: 0, packetIndex: Int64(index), firstFrame: 0,
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

  /// A cycle's samples of the first output, as many as there are.
  mutating func pull() -> [Float] {
    let (converter, buffers, period) = unsafe (converter, buffers, period)
    let (frames, _) = unsafe converter.pointee.fill(
      buffers, offset: 0, frameCount: period, from: &source)
    return (0..<frames).map { unsafe buffers[0][$0] }
  }

  /// Whether a packet was decoded.
  mutating func decodeEarly() -> Bool {
    let (converter, before) = unsafe (converter, packetCount)
    _ = unsafe converter.pointee.decodeEarly(from: &source)
    return packetCount > before
  }
}

@Suite("Decoding early")
struct EarlyDecodingTests {
  private let stream = ParsedStream(Fixtures.path("mp3-cbr128-44100-2.mp3"))

  @Test("No cycle both decodes a packet and resamples a block", arguments: [32, 64, 128, 256])
  func staggered(_ period: Int) throws {
    var pulled = try PulledStream(stream, outputRate: 48000, period: period)
    var (early, late) = (0, 0)
    let packets = 200
    for cycle in 0..<packets * 1152 * 480 / 441 / period {
      let before = pulled.packetCount
      #expect(pulled.pull().count == period)
      // The first blocks need several packets at once.
      if cycle > 4096 / period, pulled.packetCount > before { late += 1 }
      if pulled.decodeEarly() { early += 1 }
    }
    #expect(late == 0)
    #expect(early > packets - 5)
  }

  @Test("It changes no sample, and reads no further ahead than a block", arguments: [64, 1024])
  func same(_ period: Int) throws {
    var early = try PulledStream(stream, outputRate: 48000, period: period)
    var late = try PulledStream(stream, outputRate: 48000, period: period)
    while true {
      let samples = late.pull()
      #expect(early.pull() == samples)
      if samples.count < period { break }
      _ = early.decodeEarly()
      #expect(early.packetCount <= late.packetCount + 1)
    }
    #expect(early.packetCount == late.packetCount)
  }

  @Test("At one rate nothing is decoded before it is needed")
  func sameRate() throws {
    var pulled = try PulledStream(stream, outputRate: 44100, period: 64)
    for _ in 0..<1000 {
      _ = pulled.pull()
      let isEarly = pulled.decodeEarly()
      #expect(!isEarly)
    }
  }
}
