// SPDX-License-Identifier: MIT

import AudioModel

/// The packets that the index lists, chunk by chunk.
extension MPEG4Parser {
  /// Reads the first packet's header if it states more than the index does, then reports that the
  /// parser is ready.
  mutating func stepBegin(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    guard let track else { preconditionFailure("packets without a track") }
    if let fragment = fragments.current, !fragment.isDone, !hasTablePackets {
      selectEntry(fragment.entry)
    }
    if track.encoding.isMPEGAudio, let first = firstPacket(of: track), first.size >= 4 {
      let mayGoBack = fragments.current == nil
      let step = try approach(
        first.byteOffset, bytes.count, at: offset, isEnd: isEnd, mayGoBack: mayGoBack)
      if case .rest = phase {
        // The packets are missing, but the index's facts are known.
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

  /// Returns the first packet's byte offset and size.
  private func firstPacket(of track: SoundTrack) -> (byteOffset: Int64, size: Int64)? {
    let first = track.map.firstNonEmpty(from: 0)
    if first < track.map.packetCount {
      return (track.map.place(of: first).byteOffset, Int64(track.map.size(of: first)))
    }
    guard let fragment = fragments.current, !fragment.isDone else { return nil }
    return (fragment.byteOffset, fragment.size)
  }

  mutating func stepPackets(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    // Empty packets only take up time.
    if let track {
      let next = track.map.firstNonEmpty(from: nextPacket)
      pass(
        Int(next - nextPacket),
        track.firstFrame(ofPacket: next) - track.firstFrame(ofPacket: nextPacket))
      hasPassedPackets = hasPassedPackets || next > nextPacket
      nextPacket = next
    }
    guard hasTablePackets, let place = track?.map.place(of: nextPacket) else {
      return endOfTable(at: offset)
    }
    switch selectEntry(place.entry) {
    case .same: break
    case .changed: return notices.removeFirst()
    case .unplayable:
      return try passUnplayable(place, .unsupported, bytes.count, at: offset, isEnd: isEnd)
    }
    guard let track else { preconditionFailure("packets without a track") }
    if track.map.size(of: nextPacket) > Self.maximumPacketBytes {
      var packet = place
      packet.left = 1
      return try passUnplayable(packet, .damage, bytes.count, at: offset, isEnd: isEnd)
    }
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
        if size > bytes.count - byteCount || size == 0 { break }
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
    run.soundFrames = fragments.soundFrames
    // After skipped packets the number does not determine the frame.
    if fragments.soundFrames != nil || hasPassedPackets {
      run.firstFrame =
        format.framesPerPacket > 0
        ? nextPacket * Int64(format.framesPerPacket) : track.firstFrame(ofPacket: nextPacket)
    }
    return .packets(run)
  }

  /// The effect of a sample entry on the packets that follow.
  enum EntryChange {
    case same
    /// They have another format, which `notices` report.
    case changed
    /// They cannot follow the others.
    case unplayable
  }

  /// Selects the encoding of a sample entry.
  @discardableResult
  mutating func selectEntry(_ number: UInt32) -> EntryChange {
    guard let track,
      let index = track.encodings.follower(number: number, isTimed: fragments.isExpected)
    else { return .unplayable }
    if index == track.encodings.selected { return .same }
    self.track?.encodings.select(index)
    guard facts.isReady else { return .same }
    describeEncoding()
    notices = [.found(.dataFormat), .found(.magicCookieData)]
    return .changed
  }

  /// Skips packets of the index that cannot be played, and reports them after the skip.
  private mutating func passUnplayable(
    _ place: SampleMap.Place, _ cause: AudioFileStreamGap.Cause, _ shown: Int, at offset: Int64,
    isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    guard let track else { preconditionFailure("packets without a track") }
    let packets = nextPacket..<nextPacket + place.left
    let byteCount = track.map.bytes(of: packets)
    if byteCount > 0,
      let step = try approachLastByte(
        before: place.byteOffset + byteCount, shown, at: offset, isEnd: isEnd, mayGoBack: true)
    {
      return step
    }
    nextPacket = packets.upperBound
    hasPassedPackets = true
    return .skipped(
      AudioFileStreamGap(
        cause, byteOffset: place.byteOffset, byteCount: byteCount,
        frameCount: track.firstFrame(ofPacket: packets.upperBound)
          - track.firstFrame(ofPacket: packets.lowerBound)))
  }

  /// Handles a next packet that is not fully shown.
  mutating func cut(_ shown: Int, size: Int, at offset: Int64, isEnd: Bool) -> ParserStep {
    guard isEnd else { return .need(size) }
    if shown > 0 { cutPacket = (Int64(shown), offset) }
    phase = .rest
    return .skip(Int64(shown))
  }

  /// Ends the index's packets, after which fragments may follow.
  private mutating func endOfTable(at offset: Int64) -> ParserStep {
    guard fragments.isExpected, offset <= mediaEnd, mediaEnd < .max else {
      phase = .rest
      return .skip(0)
    }
    phase = .boxes
    return .skip(mediaEnd - offset)
  }
}
