// SPDX-License-Identifier: MIT

import AudioModel

extension FLACParser {
  /// Packets delivered in one call at most, which bounds the memory for their descriptions.
  static let maximumPacketsPerRun = 512

  /// Delivers all complete frames that lie side by side.
  mutating func stepFrames(_ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool) -> ParserStep {
    if silence.frames > 0 { return deliverSilence() }
    descriptions.removeAll(keepingCapacity: true)
    var end = 0
    var firstPacket: Int64 = 0
    var firstFrame: Int64 = 0
    while descriptions.count < Self.maximumPacketsPerRun {
      let finding = search!.next(bytes, isEnd: isEnd)
      if case .frame(let header, let range) = finding, range.lowerBound == end {
        // The search returns the frame again after the notice.
        if let notice = endGap(before: header) { return notice }
        if silence.frames > 0 { return deliverSilence() }
        if isNews(header, byteCount: range.count) {
          // The notice comes after the packets so far.
          if end > 0 { break }
          return tell(header, byteCount: range.count)
        }
        let frame = numbering.add(header)
        if descriptions.isEmpty {
          firstFrame = frame
          firstPacket = numbering.nextPacket - 1
        }
        take(header, range)
        end = range.upperBound
        search!.passFrame(endingAt: end)
        continue
      }
      // All other findings come after the packets so far.
      if end > 0 { break }
      switch finding {
      case .frame(_, let range): return passGarbage(range.lowerBound, at: offset)
      case .garbage(let byteCount): return passGarbage(byteCount, at: offset)
      case .boundary:
        state = .boundary
        return .skip(0)
      case .need(let byteCount): return .need(byteCount)
      case .end: return endOfInput()
      }
    }
    search!.drop(end)
    cover(firstPacket, at: offset, descriptions)
    return .packets(
      .shown(
        first: firstPacket, count: descriptions.count, byteCount: end, firstFrame: firstFrame))
  }

  private mutating func take(_ header: FLACFrameHeader, _ range: Range<Int>) {
    descriptions.append(
      AudioStreamPacketDescription(
        startOffset: Int64(range.lowerBound), variableFramesInPacket: UInt32(header.blockSize),
        dataByteSize: UInt32(range.count)))
    count(frames: header.blockSize, byteCount: range.count)
    facts.largestPacketSeen = max(facts.largestPacketSeen, range.count)
  }

  mutating func count(frames: Int, byteCount: Int) {
    hasShortPacket = frames < numbering.framesPerPacket
    // Totals that were counted to the end stay.
    if facts.isWhole { return }
    facts.packetsSeen += 1
    facts.bytesSeen += Int64(byteCount)
    facts.framesSeen += Int64(frames)
  }

  /// Indexes the packets, and removes their frames from the descriptions if the format states them.
  mutating func cover(
    _ firstPacket: Int64, at offset: Int64, _ packets: [AudioStreamPacketDescription]
  ) {
    if isCovering {
      index.add(
        first: firstPacket, byteOffset: offset - (facts.dataOffset ?? 0), packets, hasFrames: true)
    }
    guard numbering.framesPerPacket > 0 else { return }
    for place in descriptions.indices { descriptions[place].variableFramesInPacket = 0 }
  }

  private mutating func passGarbage(_ byteCount: Int, at offset: Int64) -> ParserStep {
    search!.drop(byteCount)
    return gap.pass(byteCount, at: offset)
  }
}

extension FLACParser {
  /// Skips tags after the frames and begins another stream; without either, the search for frames
  /// continues.
  mutating func stepBoundary(_ bytes: Span<UInt8>, isEnd: Bool) -> ParserStep {
    if bytes.isEmpty { return isEnd ? endOfInput() : .need(1) }
    switch AudioTag.extent(bytes, at: 0, isEnd: isEnd) {
    case .need(let byteCount): return .need(byteCount)
    case .bytes(let byteCount):
      state = .frames
      return .skip(byteCount)
    case .lyrics, .none:
      if bytes.has("fLaC", at: 0) {
        beginStream()
      } else {
        search!.passBoundary()
        state = .frames
      }
      return .skip(0)
    }
  }

  private func isNews(_ header: FLACFrameHeader, byteCount: Int) -> Bool {
    info?.holds(for: header) == false || hasShortPacket
      || byteCount > facts.statedMaximumPacketSize ?? .max
  }

  /// Reports one change that a frame brings.
  private mutating func tell(_ header: FLACFrameHeader, byteCount: Int) -> ParserStep {
    if let info, !info.holds(for: header) {
      change(to: streams.first { $0.holds(for: header) } ?? FLACStreamInfo(header, stated: info))
      return notices.removeFirst()
    }
    if hasShortPacket {
      // A packet follows a short one: from here on each packet states its own frames, permanently.
      forgetDuration()
      return .found(.dataFormat)
    }
    facts.statedMaximumPacketSize = byteCount
    return .found(.maximumPacketSize)
  }

  private mutating func forgetDuration() {
    hasShortPacket = false
    numbering.framesPerPacket = 0
    facts.dataFormat?.framesPerPacket = 0
    if !facts.isWhole { facts.statedPacketCount = nil }
  }

  /// Changes to the format of the packets that follow.
  private mutating func change(to info: FLACStreamInfo) {
    if let last = self.info, last.sampleRate != info.sampleRate {
      facts.rescaleFrames(from: Double(last.sampleRate), to: Double(info.sampleRate))
      // Frames of two rates cannot be counted together.
      isCovering = false
    }
    self.info = info
    search?.info = info
    facts.dataFormat = info.dataFormat
    facts.packetSizeUpperBound = max(facts.packetSizeUpperBound ?? 0, info.frameByteUpperBound)
    forgetDuration()
    details.magicCookie = info.bytes
    details.channelLayout = info.channelLayout(mask: channelMask)
    notices = [.found(.dataFormat), .found(.magicCookieData)]
  }
}
