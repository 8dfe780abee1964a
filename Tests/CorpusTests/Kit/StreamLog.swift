// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser

/// Records a parser's reports, with packets by a hash of their bytes.
struct StreamLog: AudioFileStreamListener {
  struct Packet: Equatable {
    var index: Int64
    var offset: Int64
    var size: Int
    var hash: UInt64
    /// The packet's own frame count, if packets differ in duration.
    var frames: UInt32
    /// The packet's first frame, if the container states it.
    var firstFrame: Int64?

    var end: Int64 { offset + Int64(size) }
  }

  enum Event: Equatable {
    /// A property with its value.
    case property(String, String)
    /// The next packet of `packets`.
    case packet(Packet)
    case skipped(byteCount: Int64, offset: Int64)
  }

  /// Whether the packets' bytes are read. Their offsets alone are quicker.
  var looksAtBytes = true
  var events: [Event] = []
  var packets: [Packet] = []
  /// The missing parts, in order.
  var gaps: [AudioFileStreamGap] = []
  /// The packets in the stream, without the silence that replaces lost frames.
  var packetsOfStream: [Packet] {
    let losses = Set(gaps.filter(\.isLoss).map(\.byteOffset))
    return packets.filter { !losses.contains($0.offset) }
  }
  /// All bytes of packets of one size.
  var data: [UInt8] = []
  /// The byte ranges of these packets in the file.
  var extents: [Range<Int64>] = []
  var packetsOfData: Int64 = 0
  /// Violations of the listener's rules.
  var failures: [String] = []

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {
    if property == .readyToProducePackets, !stream.isReadyToProducePackets {
      failures.append("ready is told, but not set")
    }
    let isFirst = !events.contains { if case .property = $0 { true } else { false } }
    if isFirst && property != .fileFormat { failures.append("the file type is not first") }
    let value = looksAtBytes ? describe(stream, property) : ""
    events.append(.property(property.description, value))
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, skipped gap: AudioFileStreamGap
  ) {
    events.append(.skipped(byteCount: gap.byteCount, offset: gap.byteOffset))
    gaps.append(gap)
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced run: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    if !stream.isReadyToProducePackets { failures.append("packets before ready") }
    if run.packetCount < 1 { failures.append("a call without packets") }
    if descriptions.isEmpty {
      if run.firstPacketIndex != packetsOfData { failures.append("packets are out of order") }
      packetsOfData += Int64(run.packetCount)
      if looksAtBytes { for index in 0..<bytes.count { data.append(bytes[index]) } }
      let extent = run.byteOffset..<run.byteOffset + Int64(bytes.count)
      if extents.last?.upperBound == extent.lowerBound {
        extents[extents.count - 1] = extents[extents.count - 1].lowerBound..<extent.upperBound
      } else {
        extents.append(extent)
      }
      return
    }
    if descriptions.count != run.packetCount { failures.append("descriptions are missing") }
    let bound = (try? stream.packetSizeUpperBound) ?? 0
    let framesPerPacket = Int64((try? stream.dataFormat.framesPerPacket) ?? 0)
    var frame = run.firstFrame
    for index in 0..<descriptions.count {
      let description = descriptions[index]
      let start = Int(description.startOffset)
      let size = Int(description.dataByteSize)
      if size > bound { failures.append("a packet of \(size) bytes, more than the bound \(bound)") }
      if (framesPerPacket == 0) != (description.variableFramesInPacket > 0),
        framesPerPacket > 0
      {
        failures.append("a packet with frames of its own, where all have \(framesPerPacket)")
      }
      let packet = Packet(
        index: run.firstPacketIndex + Int64(index), offset: run.byteOffset + Int64(start),
        size: size, hash: looksAtBytes ? hash(bytes, start..<start + size) : 0,
        frames: description.variableFramesInPacket, firstFrame: frame)
      if let last = packets.last, last.index + 1 != packet.index {
        failures.append("packet \(packet.index) follows packet \(last.index)")
      }
      packets.append(packet)
      events.append(.packet(packet))
      let frames = framesPerPacket > 0 ? framesPerPacket : Int64(packet.frames)
      if let first = frame { frame = first + frames }
    }
  }

  /// The number of bytes of packets of one size.
  var dataByteCount: Int64 { extents.reduce(0) { $0 + Int64($1.count) } }

  /// The FNV-1a hash, which is good enough to distinguish packets.
  private func hash(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in range { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
    return hash
  }
}

/// A property's value as text.
private func describe(
  _ stream: borrowing AudioFileStream, _ property: AudioFileStreamPropertyID
) -> String {
  do {
    return switch property {
    case .fileFormat: try stream.fileFormat.description
    case .dataFormat: "\(try stream.dataFormat)"
    case .audioDataByteCount: "\(try stream.audioDataByteCount)"
    case .audioDataPacketCount: "\(try stream.audioDataPacketCount)"
    case .maximumPacketSize: "\(try stream.maximumPacketSize)"
    case .dataOffset: "\(try stream.dataOffset)"
    case .channelLayout: "\(try stream.channelLayout)"
    case .packetTableInfo: "\(try stream.packetTableInfo)"
    case .packetSizeUpperBound: "\(try stream.packetSizeUpperBound)"
    case .formatList: "\(try stream.formatList)"
    case .magicCookieData: "\(try stream.magicCookieData)"
    case .infoDictionary: "\(try stream.infoDictionary)"
    case .bitRate: "\(try stream.bitRate)"
    default: "\(stream.isReadyToProducePackets)"
    }
  } catch {
    return "\(error)"
  }
}
