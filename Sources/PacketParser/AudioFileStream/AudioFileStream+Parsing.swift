// SPDX-License-Identifier: MIT

import AudioModel

extension AudioFileStream {
  /// Steps through the carried bytes and the slice until more are needed.
  mutating func run<L: AudioFileStreamListener>(
    _ input: Span<UInt8>, isEnd: Bool, listener: inout L
  ) throws(AudioFileStreamError) {
    // Bytes of the slice that were consumed or copied to the carry buffer, whose last bytes they are.
    var taken = 0
    hasGone = false
    while true {
      passSkipped(input.count, &taken)
      if toSkip > 0 && !isEnd { return }
      toSkip = 0
      if carry.count <= taken {
        taken -= carry.count
        carry.removeAll()
      }
      let step: ParserStep
      let isCarried = !carry.isEmpty
      if isCarried {
        let missing = min(max(0, needed - carry.count), input.count - taken)
        carry.append(input, taken..<taken + missing)
        taken += missing
        if carry.count < needed && !isEnd { return }
        let held = carry.storage
        step = try parser.step(
          held.span.extracting(carry.start..<held.count), at: position, isEnd: isEnd)
      } else if input.count - taken < needed && !isEnd {
        carry.append(input, taken..<input.count)
        return
      } else {
        step = try parser.step(
          input.extracting(taken..<input.count), at: position, isEnd: isEnd)
      }
      if case .need(let byteCount) = step {
        let shown = isCarried ? carry.count : input.count - taken
        precondition(byteCount > shown && !isEnd, "a parser demanded bytes that it was shown")
        needed = byteCount
        continue
      }
      needed = 0
      switch step {
      case .need, .detected: break
      case .finished: return
      case .skip(let byteCount): toSkip = byteCount
      case .goTo(let offset):
        precondition(options.canReposition, "a parser went elsewhere without being allowed to")
        dropCarried()
        position = offset
        hasGone = true
        return
      case .skipped(let gap):
        if gap.isLoss { reportedFrames += gap.frameCount ?? 0 }
        lastGapEnd = gap.byteOffset + gap.byteCount
        if gap.isLoss { lastLoss = gap }
        listener.audioFileStream(self, skipped: gap)
      case .ready: tellProperties(&listener)
      case .found(let property):
        if isKnown(property) { listener.audioFileStream(self, found: property) }
      case .packets(let run):
        switch run.place {
        case .assembled(let byteOffset):
          let bytes = parser.assembled
          deliver(run, bytes.span, at: byteOffset, &listener)
        case .shown(let byteCount):
          if isCarried {
            let held = carry.storage
            let bytes = held.span.extracting(carry.start..<carry.start + byteCount)
            deliver(run, bytes, at: position, &listener)
          } else {
            deliver(run, input.extracting(taken..<taken + byteCount), at: position, &listener)
          }
          toSkip = Int64(byteCount)
        }
      }
    }
  }

  /// Reports all known properties, `readyToProducePackets` last.
  private mutating func tellProperties<L: AudioFileStreamListener>(_ listener: inout L) {
    for property in AudioFileStreamPropertyID.beforePackets where isKnown(property) {
      if property == .readyToProducePackets { hasToldReady = true }
      listener.audioFileStream(self, found: property)
    }
  }

  private mutating func deliver<L: AudioFileStreamListener>(
    _ run: PacketRun, _ bytes: Span<UInt8>, at byteOffset: Int64, _ listener: inout L
  ) {
    if let wanted = firstWantedPacket {
      if run.first + Int64(run.count) <= wanted { return }
      firstWantedPacket = nil
      if run.first < wanted {
        deliver(run, droppingFirst: Int(wanted - run.first), bytes, at: byteOffset, &listener)
        return
      }
    }
    let packets = AudioFileStreamPackets(
      firstPacketIndex: run.first, packetCount: run.count, byteOffset: byteOffset,
      firstFrame: run.firstFrame, soundFrames: run.soundFrames,
      pastSoundFrames: run.pastSoundFrames)
    let descriptions = parser.descriptions
    listener.audioFileStream(
      self, produced: packets, bytes: bytes, descriptions: descriptions.span)
  }

  /// Delivers a run without the packets that precede the wanted one.
  private borrowing func deliver<L: AudioFileStreamListener>(
    _ run: PacketRun, droppingFirst dropped: Int, _ bytes: Span<UInt8>, at byteOffset: Int64,
    _ listener: inout L
  ) {
    let all = parser.descriptions
    let format = facts.dataFormat
    let framesPerPacket = Int64(format?.framesPerPacket ?? 0)
    var frames = framesPerPacket * Int64(dropped)
    if framesPerPacket == 0 {
      frames = all.prefix(dropped).reduce(0) { $0 + Int64($1.variableFramesInPacket) }
    }
    let start =
      all.isEmpty
      ? dropped * Int(format?.bytesPerPacket ?? 0) : Int(all[dropped].startOffset)
    let kept = all.dropFirst(dropped).map { description in
      AudioStreamPacketDescription(
        startOffset: description.startOffset - Int64(start),
        variableFramesInPacket: description.variableFramesInPacket,
        dataByteSize: description.dataByteSize)
    }
    let packets = AudioFileStreamPackets(
      firstPacketIndex: run.first + Int64(dropped), packetCount: run.count - dropped,
      byteOffset: byteOffset + Int64(start), firstFrame: run.firstFrame.map { $0 + frames },
      soundFrames: run.soundFrames, pastSoundFrames: run.pastSoundFrames)
    listener.audioFileStream(
      self, produced: packets, bytes: bytes.extracting(start..<bytes.count),
      descriptions: kept.span)
  }

  /// Skips as many of the bytes to skip as are present.
  private mutating func passSkipped(_ inputCount: Int, _ taken: inout Int) {
    guard toSkip > 0 else { return }
    let carried = Int(min(toSkip, Int64(carry.count)))
    if carried > 0 { carry.removeFirst(carried) }
    let direct = Int(min(toSkip - Int64(carried), Int64(inputCount - taken)))
    taken += direct
    toSkip -= Int64(carried + direct)
    position += Int64(carried + direct)
    if options.canReposition && carry.isEmpty && taken == inputCount {
      position += toSkip
      toSkip = 0
    }
  }
}
