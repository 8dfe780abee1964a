// SPDX-License-Identifier: MIT

import AudioModel

/// Byte offsets of packets: exact from the movie's index and for fragments already parsed, else by the
/// segment index, else by the mean packet size.
extension MPEG4Parser {
  func seekTarget(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    let dataOffset = facts.dataOffset ?? 0
    if let track, packet < track.map.packetCount {
      return AudioFileStreamSeekTarget(
        packet: packet, byteOffset: track.map.place(of: packet).byteOffset - dataOffset,
        isEstimated: false)
    }
    if let place = placeInFirstFragment(packet) {
      return AudioFileStreamSeekTarget(
        packet: packet, byteOffset: place.byteOffset - dataOffset, isEstimated: false)
    }
    if let entry = fragments.index.entry(ofPacket: packet) {
      if entry.byteOffset < dataOffset {
        return AudioFileStreamSeekTarget(
          packet: packet, byteOffset: 0, isEstimated: false, leadingPacketCount: packet)
      }
      return AudioFileStreamSeekTarget(
        packet: packet, byteOffset: entry.byteOffset - dataOffset, isEstimated: false,
        leadingPacketCount: packet - entry.firstPacket)
    }
    return segmentTarget(packet: packet) ?? estimate(packet: packet)
  }

  /// Returns a packet's position in the first fragment. That fragment precedes the first packet, from
  /// which seeks count, so its lists are kept.
  private func placeInFirstFragment(_ packet: Int64) -> MovieFragment? {
    guard var fragment = fragments.first, packet < fragment.packetCount else { return nil }
    fragment.advance(to: packet)
    return fragment
  }

  /// Returns the segment that holds a packet, by the stream's own index.
  private func segmentTarget(packet: Int64) -> AudioFileStreamSeekTarget? {
    guard let segments = fragments.segments, let track, let dataOffset = facts.dataOffset,
      let framesPerPacket = meanFramesPerPacket
    else { return nil }
    let rate = track.scale.frameRate
    let time = TimeScale.scale(
      Int64(min(1e15, Double(packet) * framesPerPacket)), segments.unitsPerSecond, rate)
    guard let (segment, endTime) = segments.segment(at: time), segment.byteOffset >= dataOffset
    else { return nil }
    func packets(_ time: Int64) -> Int64 {
      Int64(
        (Double(TimeScale.scale(time, rate, segments.unitsPerSecond)) / framesPerPacket).rounded())
    }
    let first = min(packet, packets(segment.time))
    return AudioFileStreamSeekTarget(
      packet: packet, byteOffset: segment.byteOffset - dataOffset, isEstimated: true,
      leadingPacketCount: packet - first, errorBoundInPackets: max(1, packets(endTime) - first))
  }

  /// Estimates a packet's offset from the last fragment parsed.
  private func estimate(packet: Int64) -> AudioFileStreamSeekTarget {
    let bound = Int64(facts.packetSizeUpperBound ?? Self.maximumPacketBytes)
    let average = facts.averageBytesPerPacket ?? Double(bound)
    let last = fragments.index.entries.last
    let known = max(0, (last?.byteOffset ?? 0) - (facts.dataOffset ?? 0))
    let estimate = SeekEstimate(
      bytesPerPacket: 1...max(1, bound), average: average, knownPacket: last?.firstPacket ?? 0,
      knownByteOffset: known)
    var target = estimate.target(packet: packet)
    // Other data between packets, such as pictures, have no size limit.
    target.errorBoundInPackets = nil
    return target
  }

  private var meanFramesPerPacket: Double? {
    let constant = facts.dataFormat?.framesPerPacket ?? 0
    if constant > 0 { return Double(constant) }
    guard facts.packetsSeen > 0, facts.framesSeen > 0 else { return nil }
    return Double(facts.framesSeen) / Double(facts.packetsSeen)
  }

  func packet(atByte byteOffset: Int64) -> AudioBytePacketTranslation? {
    guard let track, let dataOffset = facts.dataOffset else { return nil }
    if let found = track.map.packet(atByte: dataOffset + byteOffset) {
      return AudioBytePacketTranslation(
        byte: byteOffset, packet: found.packet, byteOffsetInPacket: found.byteOffset,
        isEstimated: false)
    }
    guard fragments.isExpected, let average = facts.averageBytesPerPacket, average > 0 else {
      return nil
    }
    return AudioBytePacketTranslation(
      byte: byteOffset, packet: Int64(Double(byteOffset) / average), byteOffsetInPacket: 0,
      isEstimated: true)
  }

  func packet(atFrame frame: Int64) -> AudioFramePacketTranslation? {
    guard let track else { return nil }
    if let packet = track.packet(atFrame: frame) {
      return AudioFramePacketTranslation(
        frame: frame, packet: packet,
        frameOffsetInPacket: frame - track.firstFrame(ofPacket: packet))
    }
    guard var fragment = fragments.first, frame >= 0, frame < fragments.index.frameCount,
      frame < track.scale.frames(fragment.duration)
    else { return nil }
    // Binary search for the last packet that begins at this frame or before.
    var low: Int64 = 0
    var high = fragment.packetCount
    while low < high {
      let middle = low + (high - low) / 2
      fragment.advance(to: middle)
      if track.scale.frames(fragment.time) <= frame { low = middle + 1 } else { high = middle }
    }
    fragment.advance(to: max(0, low - 1))
    return AudioFramePacketTranslation(
      frame: frame, packet: fragment.packet,
      frameOffsetInPacket: frame - track.scale.frames(fragment.time))
  }

  func firstFrame(ofPacket packet: Int64) -> Int64? {
    guard let track else { return nil }
    if packet < track.map.packetCount { return track.firstFrame(ofPacket: packet) }
    if let place = placeInFirstFragment(packet) { return track.scale.frames(place.time) }
    guard let entry = fragments.index.entry(ofPacket: packet), entry.firstPacket == packet else {
      return nil
    }
    return entry.firstFrame
  }

  mutating func reposition(to target: AudioFileStreamSeekTarget) {
    isUnbroken = false
    cutPacket = nil
    open.removeAll()
    fragments.current = nil
    fragments.isPlaceUnknown = false
    fragments.needsNumber = false
    fragments.expectedFrame = nil
    fragments.stretch = nil
    nextPacket = target.firstPacket
    hasPassedPackets = false
    notices = []
    if let track, nextPacket < track.map.packetCount {
      mediaEnd = fragments.tableMediaEnd
      fragments.nextFrame = track.frameCount
      phase = .packets
    } else if let fragment = placeInFirstFragment(nextPacket),
      fragment.byteOffset - (facts.dataOffset ?? 0) == target.byteOffset
    {
      fragments.current = fragment
      fragments.firstPacket = 0
      fragments.firstFrame = 0
      fragments.nextFrame = frameCount(of: fragment)
      fragments.expectedFrame = fragments.nextFrame
      mediaEnd = fragments.firstMediaEnd
      phase = .fragment
    } else {
      fragments.needsNumber = target.isEstimated
      fragments.nextFrame = presumedFrame(ofPacket: nextPacket)
      phase = .searching
    }
  }

  /// Returns a packet's frame from the index, else by the mean duration of packets. The fragment's own
  /// time replaces it.
  private func presumedFrame(ofPacket packet: Int64) -> Int64 {
    if let entry = fragments.index.entry(ofPacket: packet), entry.firstPacket == packet {
      return entry.firstFrame
    }
    return Int64(min(1e15, Double(packet) * (meanFramesPerPacket ?? 0)))
  }

  /// Searches for the next fragment of a fragmented stream, which states its own time.
  mutating func loseContinuity(at offset: Int64) throws(AudioFileStreamError) {
    guard fragments.isExpected, facts.isReady else {
      throw AudioFileStreamError(
        .discontinuityCantRecover, at: offset,
        "an MPEG-4 file resumes only at an offset that a seek returned: seek first")
    }
    isUnbroken = false
    facts.isWhole = false
    cutPacket = nil
    open.removeAll()
    fragments.current = nil
    fragments.needsNumber = true
    fragments.isPlaceUnknown = true
    fragments.expectedFrame = nil
    fragments.stretch = nil
    nextPacket = max(nextPacket, track?.map.packetCount ?? 0)
    phase = .searching
  }
}
