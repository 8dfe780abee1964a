// SPDX-License-Identifier: MIT

import AudioModel

/// Fragmented streams: a fragment lists packets, and their data follow it.
extension MPEG4Parser {
  /// Sets the facts of the stream once the first fragment is known.
  mutating func describeFragmentedStream() {
    guard let track else { return }
    let hasTable = track.map.packetCount > 0
    facts.dataOffset = hasTable ? track.map.start : fragments.current?.byteOffset
    facts.packetSizeUpperBound = max(
      track.encodings.packetSizeUpperBound, track.map.largestPacket)
    if fragments.movieDuration > 0, movieTimescale > 0 {
      facts.statedFrameCount = TimeScale.scale(
        fragments.movieDuration, track.scale.frameRate, Int64(movieTimescale))
    }
    if let segments = fragments.segments, isOfAll(segments) {
      let frames =
        TimeScale.scale(segments.endTime, track.scale.frameRate, segments.unitsPerSecond)
        + framesLeftOut(of: segments)
      facts.statedFrameCount = frames
      let table = track.edits.packetTable(
        mediaDuration: track.scale.units(frames), scale: track.scale,
        movieUnits: Int64(movieTimescale), frames: frames)
      if let table, table.numberValidFrames > 0 { facts.packetTableInfo = table }
    }
    // The edit list's duration may cover only the movie's own packets.
    let origin = fragments.timeOrigin ?? 0
    if facts.packetTableInfo == nil, let start = track.edits.start, start > origin {
      let priming = track.scale.frames(start - origin)
      if priming <= Int32.max { fragments.soundFrames = priming..<Int64.max }
    } else if facts.packetTableInfo == nil, let preSkip = track.encoding.preSkip {
      fragments.soundFrames = preSkip..<Int64.max
    }
    describeEncoding()
  }

  /// Returns the frames before the edit list's start that a segment index omits. The index states
  /// presentation times: ffmpeg omits the trimmed frames, other programs may not. The first segment
  /// shows which, if it is one fragment.
  private func framesLeftOut(of segments: SegmentIndex) -> Int64 {
    guard let track, let start = track.edits.start, let fragment = fragments.current,
      start < fragment.duration, let first = segments.segment(at: 0),
      segments.firstEndByte == mediaEnd
    else { return 0 }
    let scale = track.scale
    let counted = TimeScale.scale(first.endTime, scale.unitsPerSecond, segments.unitsPerSecond)
    let slack = scale.unitsPerSecond / segments.unitsPerSecond + 1
    return abs(fragment.duration - start - counted) <= slack ? scale.frames(start) : 0
  }

  /// Whether an index lists all segments: some streams have one in every segment. After the last
  /// segment an index of fragments (`mfra`) may follow.
  private func isOfAll(_ segments: SegmentIndex) -> Bool {
    guard let totalByteCount else { return segments.entries.count > 1 }
    let left = totalByteCount - segments.endByte
    return left >= 0 && left <= max(4096, Int64(segments.entries.count) * 64)
  }

  /// Completes a fragment and numbers its packets and frames.
  mutating func closeFragment(at offset: Int64) throws(AudioFileStreamError) {
    guard var fragment = fragments.current else { return }
    guard fragment.packetCount > 0 else {
      fragments.current = nil
      return
    }
    fragments.countWithPackets += 1
    fragment.rewind()
    if !facts.isReady, track?.map.packetCount == 0 {
      self.track?.begin(withEntry: fragment.entry)
    }
    guard let track else { return }
    let framesPerPacket = Int64(track.encoding.dataFormat.framesPerPacket)
    if facts.packetsSeen == 0, fragments.first == nil, !fragments.needsNumber {
      // After packets of the index, time continues from them.
      fragments.timeOrigin =
        track.map.packetCount > 0 ? 0 : fragment.baseTime ?? 0
    }
    var firstFrame = fragments.nextFrame
    if let time = fragment.baseTime {
      firstFrame = track.scale.frames(max(0, time - (fragments.timeOrigin ?? 0)))
      if fragments.needsNumber, framesPerPacket > 0 {
        nextPacket = max(
          track.map.packetCount, (firstFrame + framesPerPacket / 2) / framesPerPacket)
      }
    }
    reportStretch(before: fragment, firstFrame: firstFrame)
    fragments.needsNumber = false
    fragments.firstFrame = firstFrame
    fragments.firstPacket = nextPacket
    fragments.current = fragment
    let byDuration = track.scale.frames(fragment.duration)
    let frames = frameCount(of: fragment)
    fragments.nextFrame = min(firstFrame + frames, 1 << 60)
    fragments.expectedFrame = fragments.nextFrame
    fragments.endFrame = firstFrame + (byDuration > 0 ? min(byDuration, frames) : frames)
    fragments.index.add(
      FragmentIndex.Entry(
        firstPacket: nextPacket, firstFrame: firstFrame, byteOffset: fragment.start),
      packets: fragment.packetCount, frames: frames)
    if fragments.first == nil, track.map.packetCount == 0, nextPacket == 0 {
      fragments.first = fragment
    }
  }

  /// The frames of the last fragment whose packets are missing because the stream ends.
  var cutFrames: Int64 {
    guard let track, let fragment = fragments.current, !fragment.isDone else { return 0 }
    let framesPerPacket = Int64(track.encoding.dataFormat.framesPerPacket)
    return framesPerPacket > 0
      ? (fragment.packetCount - fragment.packet) * framesPerPacket
      : track.scale.frames(fragment.duration - fragment.time)
  }

  /// The frames of all packets of a fragment.
  func frameCount(of fragment: MovieFragment) -> Int64 {
    guard let track else { return 0 }
    let framesPerPacket = Int64(track.encoding.dataFormat.framesPerPacket)
    return framesPerPacket > 0
      ? fragment.packetCount * framesPerPacket : track.scale.frames(fragment.duration)
  }

  mutating func stepFragment(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    if let empty = fragments.current?.passEmptyPackets(), empty.count > 0 {
      pass(empty.count, track?.scale.frames(empty.duration) ?? 0)
    }
    guard let fragment = fragments.current, !fragment.isDone, fragment.byteOffset < mediaEnd else {
      // The rest of the fragment is in another media data box.
      if fragments.current?.isDone == true { fragments.current = nil }
      phase = mediaEnd == .max ? .rest : .boxes
      return .skip(mediaEnd == .max ? 0 : max(0, mediaEnd - offset))
    }
    switch selectEntry(fragment.entry) {
    case .same: break
    case .changed: return notices.removeFirst()
    case .unplayable: return try passRun(of: fragment, bytes.count, at: offset, isEnd: isEnd)
    }
    if let step = try approach(
      fragment.byteOffset, bytes.count, at: offset, isEnd: isEnd, mayGoBack: false)
    {
      return step
    }
    guard let track else { preconditionFailure("packets without a track") }
    return try deliver(fragment, of: track, bytes, at: offset, isEnd: isEnd)
  }

  /// Skips packets that cannot follow the others, and reports them after the skip.
  private mutating func passRun(
    of fragment: MovieFragment, _ shown: Int, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    guard let track else { preconditionFailure("packets without a track") }
    var following = fragment
    let passed = following.passRun()
    let byteCount = min(passed.byteCount, mediaEnd - fragment.byteOffset)
    if byteCount > 0,
      let step = try approachLastByte(
        before: fragment.byteOffset + byteCount, shown, at: offset, isEnd: isEnd, mayGoBack: false)
    {
      return step
    }
    fragments.current = following
    nextPacket = fragments.firstPacket + following.packet
    return .skipped(
      AudioFileStreamGap(
        .unsupported, byteOffset: fragment.byteOffset, byteCount: byteCount,
        frameCount: track.scale.frames(passed.duration)))
  }

  /// Delivers packets from the start of `bytes` on.
  private mutating func deliver(
    _ fragment: MovieFragment, of track: SoundTrack, _ bytes: Span<UInt8>, at offset: Int64,
    isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    var fragment = fragment
    let format = track.encoding.dataFormat
    let framesPerPacket = Int64(format.framesPerPacket)
    let startTime = fragment.time
    let before =
      framesPerPacket > 0
      ? fragment.packet * framesPerPacket : track.scale.frames(startTime)
    let firstFrame = fragments.firstFrame + before
    let firstPacket = fragments.firstPacket + fragment.packet
    descriptions.removeAll(keepingCapacity: true)
    var count = 0
    var byteCount = 0
    var frames: Int64 = 0
    var largest = 0
    let nextSize = Int(fragment.size)
    if format.bytesPerPacket > 0 {
      largest = nextSize
      if let flaw = flaw(in: fragment, packet: firstPacket) { throw flaw }
      let room = (mediaEnd - offset) / Int64(largest)
      count = Int(min(Int64(bytes.count / largest), min(fragment.left, room)))
      byteCount = count * largest
      if count > 0 { fragment.advance(by: Int64(count)) }
    } else {
      var isNeighbour = true
      while isNeighbour, count < Self.maximumRun {
        let size = fragment.size
        if size == 0 { break }
        // Packets right before a flaw are delivered first.
        if let flaw = flaw(in: fragment, packet: firstPacket + Int64(count)) {
          if count > 0 { break }
          throw flaw
        }
        if size > bytes.count - byteCount { break }
        var ownFrames: Int64 = 0
        if framesPerPacket == 0 {
          ownFrames =
            track.scale.frames(fragment.time + fragment.packetDuration)
            - track.scale.frames(fragment.time)
        }
        descriptions.append(
          AudioStreamPacketDescription(
            startOffset: Int64(byteCount), variableFramesInPacket: UInt32(clamping: ownFrames),
            dataByteSize: UInt32(size)))
        frames += ownFrames
        largest = max(largest, Int(size))
        byteCount += Int(size)
        count += 1
        isNeighbour = fragment.advance()
      }
    }
    guard count > 0 else { return cut(bytes.count, size: nextSize, at: offset, isEnd: isEnd) }
    self.count(packets: count, bytes: byteCount, frames: frames, largest: largest)
    fragments.current = fragment
    nextPacket = firstPacket + Int64(count)
    var run = PacketRun.shown(
      first: firstPacket, count: count, byteCount: byteCount, firstFrame: firstFrame)
    run.soundFrames = fragments.soundFrames
    return .packets(run)
  }

  /// Returns the error in the next packet, if there is one.
  private func flaw(in fragment: MovieFragment, packet: Int64) -> AudioFileStreamError? {
    let bound = facts.packetSizeUpperBound ?? 0
    let size = fragment.size
    if size > bound {
      return FragmentState.invalid(
        "packet \(packet) has \(size) bytes, and a packet has up to \(bound)",
        fragment.byteOffset)
    }
    guard fragment.byteOffset + size > mediaEnd else { return nil }
    return FragmentState.invalid("packet \(packet) goes on behind its media data", mediaEnd)
  }
}
