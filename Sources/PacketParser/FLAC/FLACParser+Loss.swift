// SPDX-License-Identifier: MIT

import AudioModel

/// Losses between two frames, and the silence that replaces them.
extension FLACParser {
  /// Ends the gap before a frame, whose number determines the missing sound.
  mutating func endGap(before header: FLACFrameHeader) -> ParserStep? {
    guard gap.byteCount > 0 else { return nil }
    let lost = numbering.framesLost(
      before: header, lostBytes: gap.byteCount, broken: search?.broken?.header)
    return endGap(lost > 0 ? .damage : .foreignBytes, frames: lost)
  }

  /// - Parameter isReplaced: whether silence replaces the lost frames.
  private mutating func endGap(
    _ cause: AudioFileStreamGap.Cause, frames: Int64, isReplaced: Bool = true
  ) -> ParserStep? {
    if isReplaced, numbering.nextFrame != nil {
      silence = LostFrames(frames: frames, byteOffset: gap.start, byteCount: gap.byteCount)
    }
    return gap.close(cause, frameCount: frames > 0 ? frames : nil)
  }

  /// The most stretches of silence stored for seeks.
  private static var maximumSilences: Int { 4096 }

  /// Delivers FLAC frames of silence of the lost frames' duration, so that the time line continues.
  mutating func deliverSilence() -> ParserStep {
    guard let info else { preconditionFailure("frames without their stream's information") }
    descriptions.removeAll(keepingCapacity: true)
    assembled.removeAll(keepingCapacity: true)
    let firstPacket = numbering.nextPacket
    let firstFrame = numbering.nextFrame ?? 0
    let blockSize = max(1, min(numbering.blockSize, info.maximumBlockSize))
    // The index lists them at the lost bytes, where the parser finds the loss again.
    var places: [AudioStreamPacketDescription] = []
    while silence.frames > 0, descriptions.count < Self.maximumPacketsPerRun {
      let frames = Int(min(silence.frames, Int64(blockSize)))
      let frame = FLACSilence.frame(
        number: numbering.nextFrame ?? 0, blockSize: frames, channels: info.channels,
        bitsPerSample: info.bitsPerSample)
      descriptions.append(
        AudioStreamPacketDescription(
          startOffset: Int64(assembled.count), variableFramesInPacket: UInt32(frames),
          dataByteSize: UInt32(frame.count)))
      places.append(
        AudioStreamPacketDescription(
          startOffset: 0, variableFramesInPacket: UInt32(frames),
          dataByteSize: UInt32(clamping: silence.byteCount)))
      assembled += frame
      numbering.pass(silence: Int64(frames))
      count(frames: frames, byteCount: 0)
      silence.frames -= Int64(frames)
    }
    if isCovering, silentPackets.count < Self.maximumSilences,
      firstPacket >= silentPackets.last?.upperBound ?? 0
    {
      silentPackets.append(firstPacket..<numbering.nextPacket)
    }
    cover(firstPacket, at: silence.byteOffset, places)
    return .packets(
      PacketRun(
        first: firstPacket, count: descriptions.count,
        place: .assembled(byteOffset: silence.byteOffset), firstFrame: firstFrame))
  }

  /// Uses the stream's own count; after a seek, the number of the frame that would follow.
  func missingFrameCount(at end: Int64, isUnbroken: Bool) -> Int64 {
    if isUnbroken { return facts.missingFrameCount(at: end, isUnbroken: true) }
    guard let stated = facts.statedFrameCount, let met = framesMet else { return 0 }
    return max(0, stated - met)
  }

  /// Frames of sound from the stream's first one up to here; nil if that is unknown after a seek.
  private var framesMet: Int64? {
    if isUnbroken { return facts.framesSeen }
    return isCovering || numbering.isOneStream ? numbering.nextFrame : nil
  }

  /// Ends the gap before the end of the input. Sound is missing if a frame begins in the gap or the
  /// stream states more frames than arrived. The time line ends where the stream states it, or with the
  /// last complete frame.
  private mutating func endLastGap() -> ParserStep? {
    let broken = search?.broken
    let block = broken.map { Int64($0.header.blockSize) }
    var left: Int64?
    if let stated = facts.statedFrameCount, let met = framesMet { left = stated - met }
    if let left, left <= 0 { return endGap(.foreignBytes, frames: 0) }
    // Four times the frames that the gap's bytes would hold at the mean size so far.
    let likely =
      4 * Double(gap.byteCount) * Double(facts.framesSeen) / Double(max(1, facts.bytesSeen))
    let isLastFrame = left != nil && left == block
    if let broken, let block, broken.isCut {
      return endGap(
        .cut, frames: min(block, left ?? block), isReplaced: isLastFrame && facts.packetsSeen > 0)
    }
    if let left, isLastFrame || Double(left) <= likely {
      return endGap(.damage, frames: left, isReplaced: facts.packetsSeen > 0)
    }
    guard let block else { return endGap(.foreignBytes, frames: 0) }
    return endGap(
      .damage, frames: min(block, left ?? block), isReplaced: facts.packetsSeen > 0)
  }

  /// Reports the last gap, then the end.
  mutating func endOfInput() -> ParserStep {
    if gap.byteCount > 0, let notice = endLastGap() { return notice }
    if silence.frames > 0 { return deliverSilence() }
    if isUnbroken {
      facts.isWhole = true
      if facts.statedFrameCount == nil { facts.statedFrameCount = facts.framesSeen }
    }
    return .finished
  }
}
