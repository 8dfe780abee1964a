// SPDX-License-Identifier: MIT

extension OggParser {
  /// By the pages seen, else by the mean size of a packet with its share of pages' headers.
  func seekTarget(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    if let seen = pages.target(packet: packet) { return seen }
    if packet == 0 {
      return AudioFileStreamSeekTarget(packet: 0, byteOffset: 0, isEstimated: false)
    }
    guard pages.packetCount > 0 else {
      throw AudioFileStreamError(
        .dataUnavailable, at: facts.dataOffset ?? 0,
        "the packet's place cannot be estimated before some packets are parsed")
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

  /// Packets of the whole stream, as far as frames and the packets so far tell.
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

  /// Among the packets seen, or where all had one duration so far.
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

  /// Where to go back to when a guess has led to a page of a link that was never seen, whose headers are
  /// needed, and its place in time: the last page that is certain. From there on the stream is read through.
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
