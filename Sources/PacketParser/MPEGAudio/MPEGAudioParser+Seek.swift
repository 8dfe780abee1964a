// SPDX-License-Identifier: MIT

extension MPEGAudioParser {
  /// Exact by the constant bit rate or by the packets seen; otherwise estimated by the bit rate, the
  /// tag's table or the mean packet, in this order.
  func seekTarget(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    if packet == 0 {
      return AudioFileStreamSeekTarget(packet: 0, byteOffset: 0, isEstimated: false)
    }
    let map = heldBitRateMap
    if let map, isExact, isGapless {
      let place = map.byteOffset(packet: packet)
      // In joined files the padding restarts.
      if place.isExact, place.bytes < facts.tableByteCount ?? .max {
        return AudioFileStreamSeekTarget(
          packet: packet, byteOffset: place.bytes, isEstimated: false)
      }
    }
    if let target = index.target(packet: packet) { return target }
    if let map { return target(packet: packet, map) }
    if let tag, let byte = tag.estimatedByte(packet: packet) {
      return estimate(average: 0).target(
        packet: packet, byteOffset: max(0, byte - tagFrameBytes),
        statedBound: tag.errorBound(packet: packet, byte: byte, tagFrameBytes: tagFrameBytes))
    }
    guard let average = facts.averageBytesPerPacket else {
      throw AudioFileStreamError(
        .dataUnavailable, at: facts.dataOffset ?? 0,
        "the packet's byte offset cannot be estimated before some packets are parsed")
    }
    return estimate(average: average).target(packet: packet)
  }

  /// The map of the constant bit rate, unless the stream contradicts it.
  private var heldBitRateMap: ConstantBitRateMap? {
    guard let bitRateMap, bitRateMap.holds, constantBitRateIndex != nil else { return nil }
    // A stream of variable bit rate may begin with many equal packets, but is unlikely to end where a
    // packet of constant bit rate would.
    if tag == nil, isGapless, let audioEnd, let dataOffset = facts.dataOffset,
      !bitRateMap.hasPacketEnd(at: audioEnd - dataOffset)
    {
      return nil
    }
    return bitRateMap
  }

  /// Estimates a packet's offset by the bit rate, from the last packet seen on.
  private func target(
    packet: Int64, _ map: ConstantBitRateMap
  ) -> AudioFileStreamSeekTarget {
    let known = index.packetCount
    let place = map.byteRange(packet: packet)
    let knownPlace = map.byteRange(packet: known)
    let low = index.byteCount + place.lowerBound - knownPlace.upperBound
    let high = index.byteCount + place.upperBound - knownPlace.lowerBound
    let guess =
      index.byteCount + map.byteOffset(packet: packet).bytes - map.byteOffset(packet: known).bytes
    let bound = max(1, (max(high - guess, guess - low) + map.unpaddedBytes - 1) / map.unpaddedBytes)
    return estimate(average: 0).target(packet: packet, byteOffset: guess, statedBound: bound)
  }

  /// Returns the possible packet sizes after the last packet seen.
  private func estimate(average: Double) -> SeekEstimate {
    var sizes: ClosedRange<Int64> = 1...Int64(facts.packetSizeUpperBound ?? 1)
    if let lock, let indexedLock {
      let (present, first) = (lock.frameByteRange, indexedLock.frameByteRange)
      sizes =
        min(present.lowerBound, first.lowerBound)...max(present.upperBound, first.upperBound)
    }
    let dataOffset = facts.dataOffset ?? 0
    return SeekEstimate(
      bytesPerPacket: sizes, average: average, knownPacket: index.packetCount,
      knownByteOffset: index.byteCount, packetCount: facts.statedPacketCount,
      byteCount: facts.statedByteCount ?? audioEnd.map { max(0, $0 - dataOffset) })
  }

  /// Exact if seeks are exact; otherwise the packet whose estimated offset is the last one at or before
  /// the byte.
  func packet(atByte byteOffset: Int64) -> AudioBytePacketTranslation? {
    func translation(
      _ packet: Int64, _ start: Int64, isEstimated: Bool
    ) -> AudioBytePacketTranslation {
      AudioBytePacketTranslation(
        byte: byteOffset, packet: packet,
        byteOffsetInPacket: isEstimated ? 0 : byteOffset - start, isEstimated: isEstimated)
    }
    if let entry = index.entry(atByte: byteOffset), index.stride == 1 {
      return translation(entry.packet, entry.byteOffset, isEstimated: false)
    }
    // Packets below `low` begin at or before the byte, those from `end` on after it.
    let sizes = estimate(average: 0).bytesPerPacket
    var low: Int64 = 0
    var end = min(byteOffset / sizes.lowerBound, (1 << 40) - 2) + 1
    if let packetCount = facts.isWhole ? facts.packetsSeen : facts.statedPacketCount {
      end = min(end, max(1, packetCount))
    }
    while low + 1 < end {
      let middle = low + (end - low) / 2
      guard let start = start(ofPacket: middle) else { return nil }
      if start.byteOffset <= byteOffset { low = middle } else { end = middle }
    }
    guard let found = start(ofPacket: low) else { return nil }
    // The next packet's offset must be certain, too.
    let next = start(ofPacket: low + 1)
    let isExact = !found.isEstimated && next?.isEstimated == false
    return translation(low, found.byteOffset, isEstimated: !isExact)
  }

  /// Returns the byte offset of a packet, with the size of leading packets estimated by their mean.
  private func start(ofPacket packet: Int64) -> (byteOffset: Int64, isEstimated: Bool)? {
    guard let target = try? seekTarget(packet: packet) else { return nil }
    let leading = Double(target.leadingPacketCount) * (facts.averageBytesPerPacket ?? 0)
    return (
      target.byteOffset + Int64(leading), target.isEstimated || target.leadingPacketCount > 0
    )
  }

  mutating func reposition(to target: AudioFileStreamSeekTarget) {
    nextPacket = target.firstPacket
    let isSeen =
      !target.isEstimated && (target.packet == 0 || target.firstPacket < index.packetCount)
    isExact = isSeen || (isExact && !target.isEstimated)
    resynchronize(at: (facts.dataOffset ?? 0) + target.byteOffset)
    guard isSeen, let indexedLock, let lock else { return }
    // A frame was parsed there, so it is accepted without confirmation by others.
    state = .locked
    isIndexedFormat = true
    if !lock.isSameFormat(as: indexedLock) { change(to: indexedLock) }
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
