// SPDX-License-Identifier: MIT

internal import AudioModel
internal import BarePeers
internal import PacketParser

/// A file's audio packets in memory, parsed once, with their format.
@safe
final class PacketTable {
  let name: String
  let format: AudioStreamBasicDescription
  let packets: UnsafeMutableBufferPointer<bare_packet>
  let byteCount: Int
  private let bytes: UnsafeMutableBufferPointer<UInt8>

  var framesPerPacket: Int { Int(format.framesPerPacket) }
  var channels: Int { Int(format.channelsPerFrame) }

  init(path: String) throws(BenchmarkFailure) {
    let file = try WholeFile.bytes(path)
    var collector = Collector()
    var stream = AudioFileStream()
    do throws(AudioFileStreamError) {
      try stream.parse(file.span, listener: &collector)
      try stream.finish(listener: &collector)
    } catch {
      throw BenchmarkFailure("\(path): \(error)")
    }
    guard let format = collector.format, format.formatID.isMPEGAudio, format.framesPerPacket > 0,
      collector.ranges.count >= 64
    else {
      throw BenchmarkFailure("\(path): not an MPEG audio file of at least 64 packets")
    }
    name = path.split(separator: "/").last.map(String.init) ?? path
    self.format = format
    let collected = collector.bytes
    byteCount = collected.count
    unsafe bytes = .allocate(capacity: collected.count)
    _ = unsafe bytes.initialize(from: collected)
    unsafe packets = .allocate(capacity: collector.ranges.count)
    for (index, range) in collector.ranges.enumerated() {
      unsafe packets.initializeElement(
        at: index,
        to: bare_packet(bytes: bytes.baseAddress! + range.lowerBound, count: range.count))
    }
  }

  deinit {
    unsafe packets.deallocate()
    unsafe bytes.deallocate()
  }

  /// The packets one after the other, again and again, until they are at least so many bytes.
  func repeated(byteCount wanted: Int) -> [UInt8] {
    var all: [UInt8] = []
    all.reserveCapacity(wanted + byteCount)
    while all.count < wanted { unsafe all.append(contentsOf: bytes) }
    return all
  }
}

private struct Collector: AudioFileStreamListener {
  var format: AudioStreamBasicDescription?
  var bytes: [UInt8] = []
  var ranges: [Range<Int>] = []

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {
    if property == .dataFormat, format == nil { format = try? stream.dataFormat }
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes slice: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    for index in descriptions.indices {
      let first = Int(descriptions[index].startOffset)
      let count = Int(descriptions[index].dataByteSize)
      ranges.append(bytes.count..<bytes.count + count)
      for place in first..<first + count { bytes.append(slice[place]) }
    }
  }
}
