// SPDX-License-Identifier: MIT

internal import AudioModel
internal import BarePeers

@testable internal import RenderCore

/// The converter of the render callback, which reads packets from a ring and returns planar floats, a
/// packet's frames at a time. The feeder's writing to the ring is not timed.
@safe
final class ConverterPath: DecodePath {
  let name = "converter"
  let rewinds = false
  let packetsPerRun: Int
  private(set) var lastFrames = 0
  private let table: PacketTable
  private let producer: UnsafeMutablePointer<PacketRingProducer>
  private let source: UnsafeMutablePointer<RingPacketSource>
  private let converter: UnsafeMutablePointer<StreamConverter>
  private let output: PlanarOutput
  private var missing = 0

  init(_ table: PacketTable) throws(BenchmarkFailure) {
    self.table = table
    packetsPerRun = unsafe table.packets.count / DecodeBatch.packets * DecodeBatch.packets
    let first = unsafe table.packets[0]
    let made: UnsafeMutablePointer<StreamConverter>
    do throws(AudioConverterError) {
      unsafe made = try StreamConverter.make(
        StreamConverter.Configuration(
          streamID: 0, stream: table.stream, outputRate: Int(table.format.sampleRate),
          outputChannels: table.channels),
        firstPacket: UnsafeRawBufferPointer(start: first.bytes, count: first.count))
    } catch {
      throw BenchmarkFailure("\(table.name): \(error)")
    }
    unsafe converter = made
    unsafe producer = .allocate(capacity: 1)
    unsafe source = .allocate(capacity: 1)
    unsafe Self.makeRing(producer, source)
    unsafe output = PlanarOutput(
      channels: table.channels, frames: table.packets.map(\.frames).max() ?? 0)
  }

  deinit {
    unsafe StreamConverter.destroy(converter)
    unsafe producer.deinitialize(count: 1)
    unsafe producer.deallocate()
    unsafe source.deinitialize(count: 1)
    unsafe source.deallocate()
  }

  /// Makes the two ends of a ring, which free the storage. (PacketRing.makePair returns them as one value, which
  /// cannot be split outside its module.)
  private static func makeRing(
    _ producer: UnsafeMutablePointer<PacketRingProducer>,
    _ source: UnsafeMutablePointer<RingPacketSource>
  ) {
    let storage = UnsafeMutablePointer<PacketRingStorage>.allocate(capacity: 1)
    unsafe storage.initialize(to: PacketRingStorage(byteCapacity: 2 << 20, entryCapacity: 1024))
    unsafe producer.initialize(to: PacketRingProducer(storage: storage))
    unsafe source.initialize(
      to: RingPacketSource(consumer: PacketRingConsumer(storage: storage)))
  }

  func run() -> Timing {
    var total: UInt64 = 0
    for first in stride(from: 0, to: packetsPerRun, by: DecodeBatch.packets) {
      for index in first..<first + DecodeBatch.packets { write(index) }
      total += Timing.of { decode(first..<first + DecodeBatch.packets) }
    }
    return Timing(nanoseconds: total)
  }

  private func write(_ index: Int) {
    let packet = unsafe table.packets[index]
    let isWritten = unsafe producer.pointee.write(
      packet: UnsafeRawBufferPointer(start: packet.bytes, count: packet.count),
      metadata: PacketMetadata(
        flushSerial: 0, packetIndex: Int64(index), firstFrame: 0, frameCount: Int32(packet.frames),
        trimStartFrames: 0, trimEndFrames: 0, byteOffset: 0, durationNanoseconds: 0))
    precondition(isWritten, "the ring holds more than one batch")
  }

  private func decode(_ range: Range<Int>) {
    let (packets, converter, source) = unsafe (table.packets, self.converter, self.source)
    let buffers = unsafe output.buffers
    for index in range {
      let wanted = unsafe packets[index].frames
      lastFrames = unsafe converter.pointee.fill(
        buffers, offset: 0, frameCount: wanted, from: &source.pointee
      ).frames
      missing += wanted - lastFrames
    }
  }

  func lastSample(_ channel: Int, _ frame: Int) -> Float { unsafe output.buffers[channel][frame] }

  var objection: String? {
    let failed = unsafe converter.pointee.failedPacketCount
    if failed > 0 { return "\(failed) packets could not be decoded" }
    return missing > 0 ? "\(missing) frames were missing" : nil
  }
}
