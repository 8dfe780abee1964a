// SPDX-License-Identifier: MIT

import AudioModel

/// The packets that the index lists, chunk by chunk.
extension MPEG4Parser {
  /// Looks at the first packet, where it tells more than the index does, and is ready.
  mutating func stepBegin(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    guard let track else { preconditionFailure("packets without a track") }
    if track.encoding.isMPEGAudio, let first = firstPacket(of: track), first.size >= 4 {
      let mayGoBack = fragments.current == nil
      let step = try approach(
        first.byteOffset, bytes.count, at: offset, isEnd: isEnd, mayGoBack: mayGoBack)
      if case .rest = phase {
        // The packets are missing, but what the index says is known.
        phase = .begin
      } else if let step {
        return step
      } else if bytes.count < 4, !isEnd {
        return .need(4)
      } else if bytes.count >= 4, let header = MPEGAudioHeader(bytes.bigEndian32(at: 0)) {
        self.track?.take(header)
      }
    }
    if fragments.isExpected { describeFragmentedStream() } else { describeTrack() }
    facts.isReady = true
    phase = hasTablePackets ? .packets : fragments.current != nil ? .fragment : .rest
    return .ready
  }

  /// The first packet's place and size.
  private func firstPacket(of track: SoundTrack) -> (byteOffset: Int64, size: Int64)? {
    if track.map.packetCount > 0 {
      return (track.map.place(of: 0).byteOffset, Int64(track.map.size(of: 0)))
    }
    guard let fragment = fragments.current, !fragment.isDone else { return nil }
    return (fragment.byteOffset, fragment.size)
  }

  mutating func stepPackets(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    guard let track, hasTablePackets else { return endOfTable(at: offset) }
    let place = track.map.place(of: nextPacket)
    if let step = try approach(
      place.byteOffset, bytes.count, at: offset, isEnd: isEnd, mayGoBack: true)
    {
      return step
    }
    let format = track.encoding.dataFormat
    descriptions.removeAll(keepingCapacity: true)
    var count = 0
    var byteCount = 0
    var frames: Int64 = 0
    var largest = 0
    if format.bytesPerPacket > 0 {
      largest = Int(format.bytesPerPacket)
      count = Int(min(Int64(bytes.count / largest), place.left))
      byteCount = count * largest
    } else {
      let isVariable = format.framesPerPacket == 0
      while count < min(Int(clamping: place.left), Self.maximumRun) {
        let packet = nextPacket + Int64(count)
        let size = track.map.size(of: packet)
        if size > bytes.count - byteCount { break }
        let ownFrames = isVariable ? track.frames(ofPacket: packet) : 0
        descriptions.append(
          AudioStreamPacketDescription(
            startOffset: Int64(byteCount), variableFramesInPacket: ownFrames,
            dataByteSize: UInt32(size)))
        frames += Int64(ownFrames)
        largest = max(largest, size)
        byteCount += size
        count += 1
      }
    }
    guard count > 0 else {
      return cut(bytes.count, size: track.map.size(of: nextPacket), at: offset, isEnd: isEnd)
    }
    self.count(packets: count, bytes: byteCount, frames: frames, largest: largest)
    defer { nextPacket += Int64(count) }
    var run = PacketRun.shown(first: nextPacket, count: count, byteCount: byteCount)
    if let sound = fragments.soundFrames {
      run.soundFrames = sound
      run.firstFrame =
        format.framesPerPacket > 0
        ? nextPacket * Int64(format.framesPerPacket) : track.firstFrame(ofPacket: nextPacket)
    }
    return .packets(run)
  }

  /// Not all of the next packet is shown.
  mutating func cut(_ shown: Int, size: Int, at offset: Int64, isEnd: Bool) -> ParserStep {
    guard isEnd else { return .need(size) }
    if shown > 0 { cutPacket = (Int64(shown), offset) }
    phase = .rest
    return .skip(Int64(shown))
  }

  /// Behind the packets that the index lists fragments may follow.
  private mutating func endOfTable(at offset: Int64) -> ParserStep {
    guard fragments.isExpected, offset <= mediaEnd, mediaEnd < .max else {
      phase = .rest
      return .skip(0)
    }
    phase = .boxes
    return .skip(mediaEnd - offset)
  }
}
