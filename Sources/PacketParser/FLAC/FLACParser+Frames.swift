// SPDX-License-Identifier: MIT

import AudioModel

extension FLACParser {
  /// Packets delivered in one call at most, which bounds the memory for their descriptions.
  private static let maximumPacketsPerRun = 512

  /// Takes as many whole frames as there are, side by side.
  mutating func stepFrames(_ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool) -> ParserStep {
    descriptions.removeAll(keepingCapacity: true)
    var end = 0
    var firstPacket: Int64 = 0
    var firstFrame: Int64 = 0
    while descriptions.count < Self.maximumPacketsPerRun {
      let finding = search!.next(bytes, isEnd: isEnd)
      if case .frame(let header, let range) = finding, range.lowerBound == end {
        // The frame is found again behind the notice.
        if let notice = endGap() { return notice }
        if let stated = facts.statedMaximumPacketSize, range.count > stated {
          // It is told behind the packets before.
          if end > 0 { break }
          facts.statedMaximumPacketSize = range.count
          return .found(.maximumPacketSize)
        }
        let frame = numbering.add(header, lostBytes: lostBytes)
        lostBytes = 0
        if descriptions.isEmpty {
          firstFrame = frame
          firstPacket = numbering.nextPacket
        }
        numbering.pass(header, firstFrame: frame)
        take(header, range)
        end = range.upperBound
        search!.passFrame(endingAt: end)
        continue
      }
      // All else comes behind the packets so far.
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
    if isCovering {
      index.add(
        first: firstPacket, byteOffset: offset - (facts.dataOffset ?? 0), descriptions,
        hasFrames: numbering.framesPerPacket == 0)
    }
    return .packets(
      .shown(
        first: firstPacket, count: descriptions.count, byteCount: end, firstFrame: firstFrame))
  }

  private mutating func take(_ header: FLACFrameHeader, _ range: Range<Int>) {
    let frames = numbering.framesPerPacket == 0 ? header.blockSize : 0
    descriptions.append(
      AudioStreamPacketDescription(
        startOffset: Int64(range.lowerBound), variableFramesInPacket: UInt32(frames),
        dataByteSize: UInt32(range.count)))
    // What was counted to the end stays.
    if !facts.isWhole {
      facts.packetsSeen += 1
      facts.bytesSeen += Int64(range.count)
      facts.framesSeen += Int64(frames)
    }
    facts.largestPacketSeen = max(facts.largestPacketSeen, range.count)
    framesDelivered += Int64(header.blockSize)
  }

  private mutating func passGarbage(_ byteCount: Int, at offset: Int64) -> ParserStep {
    search!.drop(byteCount)
    return gap.pass(byteCount, at: offset)
  }

  /// Closes the gap that a frame or the end has ended; the notice, if it is to be told.
  private mutating func endGap() -> ParserStep? {
    if gap.byteCount > 0 { lostBytes = gap.byteCount }
    return gap.close()
  }

  /// Passes tags behind the frames; where there is none, the search for frames begins.
  mutating func stepBoundary(_ bytes: Span<UInt8>, isEnd: Bool) -> ParserStep {
    if bytes.isEmpty { return isEnd ? endOfInput() : .need(1) }
    switch AudioTag.extent(bytes, at: 0, isEnd: isEnd) {
    case .need(let byteCount): return .need(byteCount)
    case .bytes(let byteCount):
      state = .frames
      return .skip(byteCount)
    case .lyrics, .none:
      search!.passBoundary()
      state = .frames
      return .skip(0)
    }
  }

  /// Tells the last gap, then that all is told.
  private mutating func endOfInput() -> ParserStep {
    if let notice = endGap() { return notice }
    if isUnbroken {
      facts.isWhole = true
      if facts.statedFrameCount == nil { facts.statedFrameCount = framesDelivered }
    }
    return .finished
  }
}
