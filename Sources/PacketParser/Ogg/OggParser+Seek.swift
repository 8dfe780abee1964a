// SPDX-License-Identifier: MIT

extension OggParser {
  /// Uses the pages seen, else the mean size of a packet with its share of page headers.
  func seekTarget(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    if let seen = pages.target(packet: packet) { return seen }
    if packet == 0 {
      return AudioFileStreamSeekTarget(packet: 0, byteOffset: 0, isEstimated: false)
    }
    guard pages.packetCount > 0 else {
      throw AudioFileStreamError(
        .dataUnavailable, at: facts.dataOffset ?? 0,
        "the packet's byte offset cannot be estimated before some packets are parsed")
    }
    let total = totalByteCount.map { max(0, $0 - (facts.dataOffset ?? 0)) }
    let most = Int64(facts.packetSizeUpperBound ?? Self.maximumPacketBytes)
    let average = Double(pages.byteCount) / Double(pages.packetCount)
    var estimate = SeekEstimate(
      bytesPerPacket: 1...most, average: average, knownPacket: pages.packetCount,
      knownByteOffset: pages.byteCount, packetCount: packetCount, byteCount: total)
    if let total, let packetCount, packetCount > pages.packetCount, total > pages.byteCount {
      let bytes = Double(total - pages.byteCount)
      estimate.average = bytes / Double(packetCount - pages.packetCount)
    }
    return estimate.target(packet: packet)
  }

  /// The packets of the whole stream, estimated from frames and the packets so far if they are not
  /// stated.
  private var packetCount: Int64? {
    if facts.isWhole { return facts.packetsSeen }
    if let stated = facts.statedPacketCount { return stated }
    guard let frames = facts.statedFrameCount, facts.framesSeen > 0 else { return nil }
    return Int64(Double(frames) * Double(facts.packetsSeen) / Double(facts.framesSeen))
  }

  func packet(atByte byteOffset: Int64) -> AudioBytePacketTranslation? {
    guard pages.packetCount > 0 else { return nil }
    let average = Double(pages.byteCount) / Double(pages.packetCount)
    let packet = frameIndex.entry(atByte: byteOffset)?.packet
    return AudioBytePacketTranslation(
      byte: byteOffset, packet: packet ?? Int64(Double(byteOffset) / max(1, average)),
      byteOffsetInPacket: 0, isEstimated: true)
  }

  /// Exact for the packets seen, or if all packets so far had one duration.
  func packet(atFrame frame: Int64) -> AudioFramePacketTranslation? {
    if let seen = frameIndex.packet(atFrame: frame) { return seen }
    guard linkCount == 1, let duration = framesOfEachPacket else { return nil }
    return AudioFramePacketTranslation(
      frame: frame, packet: frame / duration, frameOffsetInPacket: frame % duration)
  }

  func firstFrame(ofPacket packet: Int64) -> Int64? {
    if let seen = frameIndex.firstFrame(ofPacket: packet) { return seen }
    guard linkCount == 1, let duration = framesOfEachPacket else { return nil }
    let (frame, overflow) = packet.multipliedReportingOverflow(by: duration)
    return overflow ? nil : frame
  }

  mutating func reposition(to target: AudioFileStreamSeekTarget) {
    nextPacket = target.firstPacket
    isNumberGuessed = target.isEstimated
    isCovering = !target.isEstimated
    isPlaceGuessed = target.isEstimated
    let place = (facts.dataOffset ?? 0) + target.byteOffset
    selectLink(at: place)
    resynchronize(at: place)
  }

  /// Returns the last exact page if an estimate led to a page of an unknown link, whose headers and
  /// position in time are missing. From that page on the stream is read through.
  func wayBack(from page: OggPage, at offset: Int64) -> AudioFileStreamSeekTarget? {
    guard isPlaceGuessed, let link else { return nil }
    let isKnown =
      page.isFirst
      ? pastLinks.contains { $0.byteOffset == offset }
      : page.serial == link.serial || link.companions.contains(page.serial)
    return isKnown ? nil : pages.target(packet: pages.packetCount - 1)
  }

  mutating func loseContinuity(at offset: Int64) {
    isNumberGuessed = true
    isCovering = false
    isPlaceGuessed = false
    facts.isWhole = false
    resynchronize(at: offset)
  }

  private mutating func resynchronize(at offset: Int64) {
    isUnbroken = false
    hasEnded = false
    outbox = []
    gap = StreamGap(arrival: offset)
    partial.removeAll(keepingCapacity: true)
    openPacket = .none
    isAdrift = true
    isAmongFirstPages = false
    nextFrame = nil
  }
}
