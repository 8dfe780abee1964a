// SPDX-License-Identifier: MIT

import AudioModel

extension OggParser {
  mutating func read(
    _ page: OggPage, _ bytes: Span<UInt8>, at offset: Int64
  ) throws(AudioFileStreamError) {
    if page.isFirst {
      try begin(page, bytes, at: offset)
      return
    }
    if isAmongFirstPages {
      isAmongFirstPages = false
      if link == nil, let otherAudio, !facts.isReady { throw unsupported(otherAudio, at: offset) }
    }
    if let link, link.serial == page.serial {
      do throws(AudioFileStreamError) {
        try readPackets(page, bytes, at: offset)
      } catch {
        guard facts.isReady, !link.mapping.isComplete else { throw error }
        lose(page, error.code == .unsupportedDataFormat ? .unsupported : .damage, at: offset)
        self.link = nil
      }
    } else if lostLink?.serial == page.serial {
      lostLink?.gap.byteCount += Int64(page.byteCount)
    } else if link == nil, !facts.isReady, offset - start > Self.searchLimit {
      throw AudioFileStreamError(
        .invalidFile, at: offset,
        "the Ogg stream was joined midway, and no other with audio begins: start at its beginning")
    } else {
      loseStray(page, at: offset)
    }
  }

  /// Begins the logical stream on this page, if it is the first one with audio among those that begin
  /// together.
  private mutating func begin(
    _ page: OggPage, _ bytes: Span<UInt8>, at offset: Int64
  ) throws(AudioFileStreamError) {
    if !isAmongFirstPages {
      // A first page of a new chain: the previous chain has ended.
      isAmongFirstPages = true
      otherAudio = nil
      companions = []
      closeHole()
      closeLostLink()
      dropPartial()
      openPacket = .none
      if let link {
        remember(link)
        pastSoundFrames = link.pastSoundFrames + link.soundFrames
        frameRate = link.frameRate
      }
      link = nil
    }
    if companions.count < Self.maximumCompanions { companions.append(page.serial) }
    defer { link?.companions = companions }
    guard link == nil, let piece = page.pieces(bytes).first else { return }
    let kind: OggStreamKind
    do throws(AudioFileStreamError) {
      kind = try OggStreamKind(bytes.extracting(piece.range), at: offset)
    } catch {
      guard facts.isReady else { throw error }
      lose(page, error.code == .unsupportedDataFormat ? .unsupported : .damage, at: offset)
      return
    }
    switch kind {
    case .audio(let mapping):
      let past = pastLinks.first { $0.byteOffset == offset }
      if past == nil { linkCount += 1 }
      var tags = details.tags
      if linkCount > 1 {
        tags = TagCollector()
        tags.pictureByteLimit = details.tags.pictureByteLimit
        isCovering = isCovering && linkCount <= Self.maximumPastLinks
      }
      lostLink = nil
      let start = past?.startFrame ?? (linkCount > 1 ? nextFrame ?? lastFrame : 0)
      let link = OggLink(
        serial: page.serial, byteOffset: offset, mapping: mapping,
        nextSequence: page.sequence &+ 1, frameRate: past?.frameRate ?? frameRate,
        startFrame: start, pastSoundFrames: past?.pastSoundFrames ?? pastSoundFrames, tags: tags)
      self.link = link
      nextFrame = link.startFrame
      isAdrift = false
      isPlaceGuessed = false
    case .otherAudio(let name):
      otherAudio = otherAudio ?? name
      if facts.isReady { lose(page, .unsupported, at: offset) }
    case .other: return
    }
  }

  private mutating func remember(_ link: OggLink) {
    if let place = pastLinks.firstIndex(where: { $0.byteOffset == link.byteOffset }) {
      if link.mapping.isComplete { pastLinks[place] = link }
    } else if link.isTold, pastLinks.count < Self.maximumPastLinks {
      pastLinks.append(link)
    }
  }

  /// Selects the link at the target of a jump, which may differ from the current one. The current link
  /// need not be among those remembered.
  mutating func selectLink(at offset: Int64) {
    if let link { remember(link) }
    let before = pastLinks.filter { $0.byteOffset <= offset }
    guard let past = before.max(by: { $0.byteOffset < $1.byteOffset }) else { return }
    if let link, link.byteOffset == past.byteOffset { return }
    if let link, link.isTold, past.byteOffset < link.byteOffset, link.byteOffset <= offset {
      return
    }
    link = past
    link?.isTold = false
  }

  private func unsupported(_ name: String, at offset: Int64) -> AudioFileStreamError {
    AudioFileStreamError(
      .unsupportedDataFormat, at: offset, "the Ogg stream holds \(name), which is not supported")
  }

  /// Reports new properties of the link whose packets follow.
  mutating func tellLink(firstPacketAt offset: Int64) throws(AudioFileStreamError) {
    guard var link, !link.isTold else { return }
    defer {
      link.isTold = true
      self.link = link
    }
    let mapping = link.mapping
    guard facts.isReady else {
      makeReady(&link, at: offset)
      outbox.append(.ready)
      return
    }
    facts.change(to: mapping.dataFormat)
    if !facts.isWhole {
      facts.packetTableInfo = nil
      facts.statedFrameCount = nil
      facts.statedPacketCount = nil
    }
    facts.packetSizeUpperBound = max(
      facts.packetSizeUpperBound ?? 0, mapping.packetSizeUpperBound)
    outbox.append(.found(.dataFormat))
    if details.magicCookie != mapping.magicCookie {
      details.magicCookie = mapping.magicCookie
      outbox.append(.found(.magicCookieData))
    }
    details.channelLayout = mapping.channelLayout
    if details.tags.info != link.tags.info {
      details.tags = link.tags
      outbox.append(.found(.infoDictionary))
    }
  }

  private mutating func makeReady(_ link: inout OggLink, at offset: Int64) {
    let mapping = link.mapping
    let format = mapping.dataFormat
    facts.fileFormat = .ogg
    facts.dataFormat = format
    facts.dataOffset = offset
    facts.packetSizeUpperBound = mapping.packetSizeUpperBound
    facts.nominalBitRate = mapping.nominalBitRate
    details.magicCookie = mapping.magicCookie
    details.channelLayout = mapping.channelLayout
    details.tags = link.tags
    if let end = OggTail(tail.span, serial: link.serial, mapping: mapping) {
      let frames = max(0, end.granule - (link.base ?? 0))
      let remainder = end.remainderFrames ?? 0
      link.knownRemainderFrames = end.remainderFrames
      facts.statedFrameCount = frames + remainder
      facts.packetTableInfo = table(link, end: frames, remainder: remainder)
    }
    tail = []
    facts.statedFrameCount = mapping.totalFrames ?? facts.statedFrameCount
    if let frames = facts.statedFrameCount, frames > 0 {
      let block = Int64(format.framesPerPacket)
      if block > 0 { facts.statedPacketCount = (frames + block - 1) / block }
      if facts.nominalBitRate == nil, let totalByteCount, totalByteCount > offset {
        let rate = Double(totalByteCount - offset) * 8 * format.sampleRate / Double(frames)
        facts.nominalBitRate = rate < 1e12 ? Int(rate.rounded()) : nil
      }
    }
    facts.isReady = true
  }

  /// Returns the packet table of a link; nil for FLAC, whose frames are all valid.
  private func table(
    _ link: OggLink, end: Int64, remainder: Int64
  ) -> AudioFilePacketTableInfo? {
    guard link.mapping.dataFormat.formatID != .flac else { return nil }
    let priming = link.primingFrames
    return AudioFilePacketTableInfo(
      numberValidFrames: max(0, end - priming), primingFrames: Int32(clamping: priming),
      remainderFrames: Int32(clamping: remainder))
  }

  /// Handles the end of the input: the last page's granule now determines the end of the sound.
  mutating func tellEnd(at offset: Int64) throws(AudioFileStreamError) {
    if !facts.isReady {
      guard let link, link.mapping.isComplete else {
        if link == nil, let otherAudio { throw unsupported(otherAudio, at: offset) }
        throw AudioFileStreamError(
          .invalidFile, at: offset,
          link == nil
            ? "no audio begins in this Ogg file" : "the Ogg file ends before its audio begins")
      }
      try tellLink(firstPacketAt: offset)
    }
    facts.isWhole = facts.isWhole || isUnbroken
    if isUnbroken, facts.statedFrameCount == nil { facts.statedFrameCount = nextFrame }
    guard linkCount == 1, let link else {
      if isUnbroken {
        let frames = link.map { $0.pastSoundFrames + $0.soundFrames } ?? pastSoundFrames
        let all = OggLink.frames(
          frames, at: facts.durationFormat?.sampleRate ?? 0, from: link?.frameRate ?? frameRate)
        facts.soundFrameCount = max(0, all - missingFrames)
      }
      return
    }
    if let end = link.endFrame {
      let table = table(link, end: end, remainder: link.remainderFrames)
      if table != facts.packetTableInfo {
        facts.packetTableInfo = table
        outbox.append(.found(.packetTableInfo))
      }
    }
  }
}
