// SPDX-License-Identifier: MIT

extension FLACParser {
  /// The most packets that are read and skipped from an exact position to the wanted packet, instead of
  /// estimating its byte offset.
  private static let maximumLeadingPackets: Int64 = 64

  /// Uses the packets seen, the seek table, or the mean between its points, in this order.
  func seekTarget(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    if let seen = index.target(packet: packet) { return targetBeforeSilence(seen) }
    if packet == 0 {
      return AudioFileStreamSeekTarget(packet: 0, byteOffset: 0, isEstimated: false)
    }
    guard let info else { preconditionFailure("a seek before the audio is reached") }
    let fewest = Int64(info.minimumFrameBytes ?? FLACFrameHeader.minimumFrameBytes)
    // The stated size: the bound of the error relies on the stream's statements.
    let most = max(fewest, Int64(facts.statedMaximumPacketSize ?? info.frameByteUpperBound))
    var estimate = SeekEstimate(
      bytesPerPacket: fewest...most, average: average(info), knownPacket: index.packetCount,
      knownByteOffset: index.byteCount, packetCount: facts.statedPacketCount,
      byteCount: audioByteCount)
    guard numbering.isOneStream else { return estimate.target(packet: packet) }
    if packet - estimate.knownPacket <= Self.maximumLeadingPackets {
      return estimate.exactTarget(packet: packet)
    }
    guard let frame = numbering.statedFrame(ofPacket: packet) else {
      return estimate.target(packet: packet)
    }
    let (before, after) = seekTable.points(around: frame)
    if let before, let point = numbering.packet(atStatedFrame: before.firstFrame),
      point >= estimate.knownPacket
    {
      estimate.knownPacket = point
      estimate.knownByteOffset = before.byteOffset
      if packet - point <= Self.maximumLeadingPackets {
        return estimate.exactTarget(packet: packet)
      }
    }
    if let after, let point = numbering.packet(atStatedFrame: after.firstFrame),
      point > estimate.knownPacket, after.byteOffset > estimate.knownByteOffset
    {
      let bytes = Double(after.byteOffset - estimate.knownByteOffset)
      estimate.average = bytes / Double(point - estimate.knownPacket)
      estimate.byteCount = after.byteOffset
      estimate.packetCount = point - estimate.knownPacket
    } else if let total = audioByteCount, let packets = facts.statedPacketCount,
      packets > estimate.knownPacket, total > estimate.knownByteOffset
    {
      let bytes = Double(total - estimate.knownByteOffset)
      estimate.average = bytes / Double(packets - estimate.knownPacket)
    }
    return estimate.target(packet: packet)
  }

  /// Moves a target among silence to the frame before the silence, from which the parser recomputes the
  /// lost frames.
  private func targetBeforeSilence(
    _ target: AudioFileStreamSeekTarget
  ) -> AudioFileStreamSeekTarget {
    var target = target
    while let silence = silentPackets.last(where: { $0.contains(target.firstPacket) }),
      let before = index.target(packet: max(0, silence.lowerBound - 1)),
      before.firstPacket < target.firstPacket
    {
      target = AudioFileStreamSeekTarget(
        packet: target.packet, byteOffset: before.byteOffset, isEstimated: false,
        leadingPacketCount: target.packet - before.firstPacket)
    }
    return target
  }

  /// Bytes of audio, if the stream's length is known.
  private var audioByteCount: Int64? {
    guard let totalByteCount, let dataOffset = facts.dataOffset, totalByteCount > dataOffset else {
      return nil
    }
    return totalByteCount - dataOffset
  }

  /// Mean bytes of a packet; before the first packet, half the size of the uncompressed samples.
  private func average(_ info: FLACStreamInfo) -> Double {
    facts.averageBytesPerPacket
      ?? Double(info.maximumBlockSize * info.channels * info.bitsPerSample) / 16
  }

  func packet(atFrame frame: Int64) -> AudioFramePacketTranslation? { index.packet(atFrame: frame) }

  func firstFrame(ofPacket packet: Int64) -> Int64? { index.firstFrame(ofPacket: packet) }

  mutating func reposition(to target: AudioFileStreamSeekTarget) {
    var frame: Int64?
    // Packets found by the seek table do not enter the index.
    isCovering = !target.isEstimated && target.packet < max(1, index.packetCount)
    if isCovering {
      let framesPerPacket = numbering.framesPerPacket
      frame =
        framesPerPacket > 0
        ? target.firstPacket * framesPerPacket : index.firstFrame(ofPacket: target.firstPacket)
    }
    numbering.jump(to: target.firstPacket, frame: frame)
    let place = (facts.dataOffset ?? 0) + target.byteOffset
    resynchronize(at: place, isTrusted: !target.isEstimated)
  }

  mutating func loseContinuity(at offset: Int64) {
    isCovering = false
    facts.isWhole = false
    numbering.jump()
    resynchronize(at: offset, isTrusted: false)
  }

  private mutating func resynchronize(at offset: Int64, isTrusted: Bool) {
    guard let info else { return }
    isUnbroken = false
    gap = StreamGap(arrival: offset)
    silence = LostFrames()
    hasShortPacket = false
    notices = []
    search = FLACFrameSearch(info, isTrusted: isTrusted)
    state = .frames
  }
}

extension SeekEstimate {
  /// The last exact position, and the packets from there to the target.
  fileprivate func exactTarget(packet: Int64) -> AudioFileStreamSeekTarget {
    AudioFileStreamSeekTarget(
      packet: packet, byteOffset: knownByteOffset, isEstimated: false,
      leadingPacketCount: packet - knownPacket)
  }
}
