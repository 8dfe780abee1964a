// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import PlayerEngine

/// Listens to a parser for `drawbar info`: what the head tells, and which packets there are.
struct PacketObserver: StreamDriverListener {
  /// What was known before the first packet; nil until all of that is.
  private(set) var head: StreamSummary?
  /// The packets since this was last emptied, if they are to be listed.
  var packets: PacketList?
  /// What was parsed and lost so far.
  private(set) var account = TrackAccount()
  private let digestsPackets: Bool
  /// Each packet has a place and a size of its own, so that a digest says something, and one is wanted.
  private(set) var needsDigest = false
  /// The digest of the packets so far, if one is needed; nil, too, where libcrypto is not installed.
  private(set) var digest: PacketDigest?

  private var format = AudioStreamBasicDescription(sampleRate: 0, formatID: .linearPCM)
  private var isOgg = false
  /// Frames from the start of the stream to the next packet.
  private var nextFrame: Int64 = 0
  /// Packets of another duration or rate came before: frames do not follow from a packet's number.
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
      // The packets of Ogg are not in one piece, and those of one size lie where one expects them.
      needsDigest = digestsPackets && !isOgg && format.bytesPerPacket == 0
      if needsDigest { digest = PacketDigest() }
    default: break
    }
  }

  /// Packets of a format follow; frames are counted on at its rate.
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
