// SPDX-License-Identifier: MIT

internal import AudioModel
internal import BarePeers
internal import PacketParser

/// A file's audio packets in memory, parsed once, with their format.
@safe
final class PacketTable {
  let name: String
  let stream: CodedStreamDescription
  let packets: UnsafeMutableBufferPointer<bare_packet>
  let byteCount: Int
  private let bytes: UnsafeMutableBufferPointer<UInt8>

  var format: AudioStreamBasicDescription { stream.format }
  var framesPerPacket: Int { Int(format.framesPerPacket) }
  var channels: Int { Int(format.channelsPerFrame) }

  init(path: String) throws(BenchmarkFailure) {
    let file = try WholeFile.bytes(path)
    var collector = Collector()
    var parser = AudioFileStream()
    do throws(AudioFileStreamError) {
      try parser.parse(file.span, listener: &collector)
      try parser.finish(listener: &collector)
    } catch {
      throw BenchmarkFailure("\(path): \(error)")
    }
    guard let description = collector.stream, collector.ranges.count >= 64 else {
      throw BenchmarkFailure("\(path): not an audio file of at least 64 packets")
    }
    name = path.split(separator: "/").last.map(String.init) ?? path
    stream = description
    let collected = collector.bytes
    byteCount = collected.count
    unsafe bytes = .allocate(capacity: collected.count)
    _ = unsafe bytes.initialize(from: collected)
    unsafe packets = .allocate(capacity: collector.ranges.count)
    for (index, range) in collector.ranges.enumerated() {
      unsafe packets.initializeElement(
        at: index,
        to: bare_packet(
          bytes: bytes.baseAddress! + range.lowerBound, count: range.count,
          frames: collector.frames[index]))
    }
  }

  deinit {
    unsafe packets.deallocate()
    unsafe bytes.deallocate()
  }

  /// The concatenated packets, repeated until they have at least `byteCount` bytes.
  func repeated(byteCount wanted: Int) -> [UInt8] {
    var all: [UInt8] = []
    all.reserveCapacity(wanted + byteCount)
    while all.count < wanted { unsafe all.append(contentsOf: bytes) }
    return all
  }
}

private struct Collector: AudioFileStreamListener {
  /// Frames of a run of small packets, as in the player.
  private static let runFrames = 1024

  var stream: CodedStreamDescription?
  var bytes: [UInt8] = []
  var ranges: [Range<Int>] = []
  var frames: [Int] = []

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {
    guard property == .readyToProducePackets, let format = try? stream.dataFormat else { return }
    self.stream = CodedStreamDescription(
      format: format, layout: try? stream.channelLayout,
      magicCookie: (try? stream.magicCookieData) ?? [],
      freeFormatFrameByteCount: try? stream.freeFormatFrameByteCount)
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes slice: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    guard let format = self.stream?.format else { return }
    for index in descriptions.indices {
      let description = descriptions[index]
      let frames =
        format.framesPerPacket > 0 ? format.framesPerPacket : description.variableFramesInPacket
      let first = Int(description.startOffset)
      append(slice.extracting(first..<first + Int(description.dataByteSize)), Int(frames))
    }
    guard descriptions.isEmpty, format.bytesPerPacket > 0, format.framesPerPacket > 0 else {
      return
    }
    let (size, frames) = (Int(format.bytesPerPacket), Int(format.framesPerPacket))
    let run = Self.runFrames / frames
    for first in stride(from: 0, to: packets.packetCount, by: run) {
      let end = min(first + run, packets.packetCount)
      append(slice.extracting(first * size..<end * size), (end - first) * frames)
    }
  }

  private mutating func append(_ packet: Span<UInt8>, _ frames: Int) {
    ranges.append(bytes.count..<bytes.count + packet.count)
    for place in packet.indices { bytes.append(packet[place]) }
    self.frames.append(frames)
  }
}
