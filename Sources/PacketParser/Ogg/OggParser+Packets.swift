// SPDX-License-Identifier: MIT

import AudioModel

extension OggParser {
  /// Reads the packets of the link's next page.
  mutating func readPackets(
    _ page: OggPage, _ bytes: Span<UInt8>, at offset: Int64
  ) throws(AudioFileStreamError) {
    descriptions.removeAll(keepingCapacity: true)
    assembled.removeAll(keepingCapacity: true)
    runFrames = 0
    try checkSequence(page, at: offset)
    var runOffset = offset
    var firstBegun: Int64?
    for piece in page.pieces(bytes) {
      if piece.isStart {
        // The end of the last packet is missing.
        dropPartial()
        openPacket = .none
      } else if openPacket == .none {
        openPacket = .discarded
      }
      defer { if piece.isEnd { openPacket = .none } }
      let part = bytes.extracting(piece.range)
      if openPacket == .discarded {
        lose(part.count, at: offset)
        continue
      }
      if openPacket != .audio, try readHeader(part, piece, at: offset) {
        openPacket = .header
        continue
      }
      openPacket = .audio
      if piece.isStart {
        partialOffset = offset
        firstBegun = firstBegun ?? nextPacket + Int64(descriptions.count)
      }
      if piece.isEnd, descriptions.isEmpty { runOffset = partialOffset }
      try take(part, piece, at: offset)
    }
    if !descriptions.isEmpty { settleRate() }
    let first = placeRun(page)
    isAdrift = false
    isPlaceGuessed = false
    if page.isLast { link?.hasEnded = true }
    if !descriptions.isEmpty {
      closeHole(before: first)
      try tellLink(firstPacketAt: runOffset)
      outbox.append(
        .packets(
          PacketRun(
            first: nextPacket, count: descriptions.count,
            place: .assembled(byteOffset: runOffset), firstFrame: first,
            soundFrames: link?.soundRange(isLast: page.isLast),
            pastSoundFrames: link?.pastSoundFrames ?? 0)))
    }
    cover(firstBegun, from: page, at: offset)
    nextPacket += Int64(descriptions.count)
  }

  /// Checks the page's sequence number. If a page is missing, the packet that continued there is lost.
  private mutating func checkSequence(
    _ page: OggPage, at offset: Int64
  ) throws(AudioFileStreamError) {
    let isHole = isHole(before: page)
    link?.nextSequence = page.sequence &+ 1
    guard isHole || isAdrift else { return }
    guard link?.mapping.isComplete == true else {
      throw AudioFileStreamError(
        .invalidFile, at: offset, "a page is missing among the Ogg stream's headers")
    }
    if isHole { openHole(at: offset) }
    dropPartial()
    openPacket = .none
    link?.mapping.forgetLastPacket()
    nextFrame = nil
  }

  /// Reads a part of a packet as a header; returns false if it is audio.
  private mutating func readHeader(
    _ part: Span<UInt8>, _ piece: OggPage.Piece, at offset: Int64
  ) throws(AudioFileStreamError) -> Bool {
    guard link?.mapping.isComplete == false else { return false }
    return try link!.readHeader(part, piece, at: offset)
  }

  private mutating func take(
    _ part: Span<UInt8>, _ piece: OggPage.Piece, at offset: Int64
  ) throws(AudioFileStreamError) {
    if piece.isStart, piece.isEnd {
      add(part)
      return
    }
    guard partial.count + part.count <= Self.maximumPacketBytes else {
      throw AudioFileStreamError(
        .invalidFile, at: partialOffset,
        "packet \(nextPacket + Int64(descriptions.count)) is larger than 4 MiB")
    }
    for index in 0..<part.count { partial.append(part[index]) }
    if piece.isEnd {
      let packet = partial
      partial.removeAll(keepingCapacity: true)
      add(packet.span)
    }
  }

  /// Adds a whole packet to the run, if it is a valid one.
  private mutating func add(_ packet: Span<UInt8>) {
    // Empty packets are silence, and are skipped.
    guard packet.count > 0, link != nil else { return }
    // `frames` may raise the bound, so it is called first.
    guard let frames = link!.mapping.frames(packet),
      packet.count <= link!.mapping.packetSizeUpperBound
    else {
      lose(packet.count, at: partialOffset)
      return
    }
    let isVariable = link!.mapping.dataFormat.framesPerPacket == 0
    descriptions.append(
      AudioStreamPacketDescription(
        startOffset: Int64(assembled.count),
        variableFramesInPacket: isVariable ? UInt32(frames) : 0,
        dataByteSize: UInt32(packet.count)))
    for index in 0..<packet.count { assembled.append(packet[index]) }
    runFrames += Int64(frames)
    if commonFrames != Int64(frames) { commonFrames = commonFrames == nil ? Int64(frames) : 0 }
  }

  /// Frames of each packet except the last, if all have the same number.
  var framesOfEachPacket: Int64? {
    let block = Int64(facts.dataFormat?.framesPerPacket ?? 0)
    return block > 0 ? block : commonFrames ?? 0 > 0 ? commonFrames : nil
  }

  /// Converts the counts to the link's frame rate, from its first packet on.
  private mutating func settleRate() {
    guard var link, link.frameRate != link.mapping.dataFormat.sampleRate else { return }
    let rate = link.frameRate
    link.settleRate()
    nextFrame = nextFrame.map { OggLink.frames($0, at: link.frameRate, from: rate) }
    lastFrame = OggLink.frames(lastFrame, at: link.frameRate, from: rate)
    self.link = link
  }

  /// Returns the first frame of the run, by the page's granule.
  private mutating func placeRun(_ page: OggPage) -> Int64? {
    guard !descriptions.isEmpty else { return nil }
    let (frames, expected, duration) = (runFrames, nextFrame, framesOfEachPacket)
    let place = link?.place(page, frames: frames, expected: expected, duration: duration)
    guard let first = place ?? nil else { return nil }
    if isNumberGuessed, linkCount == 1, let duration { nextPacket = first / duration }
    isNumberGuessed = false
    nextFrame = first + runFrames
    lastFrame = first + runFrames
    return first
  }

  /// Indexes the packets that begin on a page.
  private mutating func cover(_ firstBegun: Int64?, from page: OggPage, at offset: Int64) {
    guard isCovering, facts.isReady || firstBegun != nil else { return }
    let base = facts.dataOffset ?? offset
    if let firstBegun { pages.add(packet: firstBegun, byteOffset: offset - base) }
    // The index counts the first format's frames only.
    if facts.firstFormat == nil {
      frameIndex.add(
        first: nextPacket, byteOffset: max(0, offset - base), descriptions,
        hasFrames: facts.dataFormat?.framesPerPacket == 0)
    }
    pages.cover(
      packets: nextPacket + Int64(descriptions.count),
      byteCount: offset - base + Int64(page.byteCount))
  }
}
