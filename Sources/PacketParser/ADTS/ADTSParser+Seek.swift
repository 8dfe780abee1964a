// SPDX-License-Identifier: MIT

import AudioModel

extension ADTSParser {
  /// Exact for packets already parsed; beyond them, estimated by their mean size.
  func seekTarget(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    if let target = index.target(packet: packet) { return target }
    if packet == 0 {
      return AudioFileStreamSeekTarget(packet: 0, byteOffset: 0, isEstimated: false)
    }
    guard let format, let average = facts.averageBytesPerPacket else {
      throw AudioFileStreamError(
        .dataUnavailable, at: facts.dataOffset ?? 0,
        "the packet's byte offset cannot be estimated before some packets are parsed")
    }
    let range = format.frameByteRange
    let most = max(range.upperBound, Int64(facts.largestPacketSeen))
    let estimate = SeekEstimate(
      bytesPerPacket: range.lowerBound...most, average: average, knownPacket: index.packetCount,
      knownByteOffset: index.byteCount, packetCount: facts.isWhole ? facts.packetsSeen : nil,
      byteCount: totalByteCount.map { max(0, $0 - (facts.dataOffset ?? 0)) })
    return estimate.target(packet: packet)
  }

  func packet(atByte byteOffset: Int64) -> AudioBytePacketTranslation? {
    guard let average = facts.averageBytesPerPacket, average > 0 else { return nil }
    let known = index.entry(atByte: byteOffset)
    let place = known ?? (index.packetCount, index.byteCount)
    let ahead = byteOffset - place.byteOffset
    if known != nil, index.stride == 1 {
      return AudioBytePacketTranslation(
        byte: byteOffset, packet: place.packet, byteOffsetInPacket: ahead, isEstimated: false)
    }
    return AudioBytePacketTranslation(
      byte: byteOffset, packet: place.packet + Int64(Double(ahead) / average),
      byteOffsetInPacket: 0, isEstimated: true)
  }

  /// Nil unless the index holds every packet.
  func packet(atFrame frame: Int64) -> AudioFramePacketTranslation? {
    guard let entry = index.entry(atFrame: frame), index.stride == 1 else { return nil }
    return AudioFramePacketTranslation(
      frame: frame, packet: entry.packet, frameOffsetInPacket: frame - entry.firstFrame)
  }

  func firstFrame(ofPacket packet: Int64) -> Int64? {
    guard let entry = index.entry(ofPacket: packet), entry.packet == packet else { return nil }
    return entry.firstFrame
  }

  /// For a packet already parsed, one header suffices at the target, so packet numbers stay exact.
  mutating func reposition(to target: AudioFileStreamSeekTarget) {
    nextPacket = target.firstPacket
    isExact = !target.isEstimated
    resynchronize(at: (facts.dataOffset ?? 0) + target.byteOffset)
    // Among packets of another format, the search finds that format.
    guard isExact, format != nil else { return }
    state = .locked
    if let indexedFormat, indexedFormat.key != format?.key { change(to: indexedFormat) }
  }

  mutating func loseContinuity(at offset: Int64) {
    isExact = false
    facts.isWhole = false
    resynchronize(at: offset)
  }

  private mutating func resynchronize(at offset: Int64) {
    isUnbroken = false
    gap = StreamGap(arrival: offset)
    mayPad = false
    state = .searching
  }
}
