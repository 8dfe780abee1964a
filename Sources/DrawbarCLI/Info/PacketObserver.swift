// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import PlayerEngine

/// A listener that collects a stream's properties and packets for `drawbar info`.
struct PacketObserver: StreamDriverListener {
  /// The properties known before the first packet; nil until they are complete.
  private(set) var head: StreamSummary?
  /// The packets since this was last emptied; nil if they are not listed.
  var packets: PacketList?
  /// The counts of parsed packets and losses so far.
  private(set) var account = TrackAccount()
  private let digestsPackets: Bool
  /// Whether a digest is requested and meaningful: each packet has its own byte offset and size.
  private(set) var needsDigest = false
  /// The digest of the packets so far; nil if none is needed or libcrypto is not installed.
  private(set) var digest: PacketDigest?

  private var format = AudioStreamBasicDescription(sampleRate: 0, formatID: .linearPCM)
  private var isOgg = false
  /// Frames from the start of the stream to the next packet.
  private var nextFrame: Int64 = 0
  /// Whether the packets' duration or rate has changed: frames then do not follow from a packet's number.
  private var hasChanged = false

  init(listsPackets: Bool, digestsPackets: Bool) {
    packets = listsPackets ? PacketList() : nil
    self.digestsPackets = digestsPackets
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {
    switch property {
    case .dataFormat:
      if let found = try? stream.dataFormat { change(to: found) }
    case .readyToProducePackets:
      let summary = StreamSummary(stream)
      head = summary
      isOgg = summary.fileFormat == .ogg
      // Ogg packets are not contiguous, and the byte offsets of packets of one size are known anyway.
      needsDigest = digestsPackets && !isOgg && format.bytesPerPacket == 0
      if needsDigest { digest = PacketDigest() }
    default: break
    }
  }

  /// Continues with packets of another format, counting frames at its rate.
  private mutating func change(to format: AudioStreamBasicDescription) {
    defer { self.format = format }
    guard head != nil, self.format.sampleRate > 0,
      self.format.sampleRate != format.sampleRate
        || self.format.framesPerPacket != format.framesPerPacket
    else { return }
    hasChanged = true
    let frames = Double(nextFrame) / self.format.sampleRate * format.sampleRate
    nextFrame = Int64(max(0, min(frames.rounded(), 0x1p60)))
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, skipped gap: AudioFileStreamGap
  ) {
    if let loss = SoundLoss(gap, sampleRate: format.sampleRate) { account.add(loss) }
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    account.parsedPacketCount &+= Int64(packets.packetCount)
    let framesPerPacket = Int64(format.framesPerPacket)
    if let firstFrame = packets.firstFrame {
      nextFrame = firstFrame
    } else if framesPerPacket > 0, !hasChanged {
      nextFrame = packets.firstPacketIndex &* framesPerPacket
    }
    guard !descriptions.isEmpty else {
      let first = PacketList.Packet(
        index: packets.firstPacketIndex, frame: nextFrame, byteOffset: packets.byteOffset,
        byteCount: Int64(format.bytesPerPacket))
      self.packets?.append(
        first, framesPerPacket: framesPerPacket, count: Int64(packets.packetCount))
      nextFrame &+= framesPerPacket &* Int64(packets.packetCount)
      return
    }
    for index in descriptions.indices {
      let description = descriptions[index]
      let frames =
        framesPerPacket > 0 ? framesPerPacket : Int64(description.variableFramesInPacket)
      let packet = PacketList.Packet(
        index: packets.firstPacketIndex + Int64(index), frame: nextFrame,
        byteOffset: packets.byteOffset + (isOgg ? 0 : description.startOffset),
        byteCount: Int64(description.dataByteSize))
      self.packets?.append(packet, framesPerPacket: frames, count: 1)
      digest?.add(byteOffset: packet.byteOffset, byteCount: packet.byteCount)
      nextFrame &+= frames
    }
  }
}
