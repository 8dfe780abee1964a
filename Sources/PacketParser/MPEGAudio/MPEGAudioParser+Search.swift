// SPDX-License-Identifier: MIT

import AudioModel

extension MPEGAudioParser {
  /// Frames that must agree before a format is accepted; fewer with a hint that names the format.
  private static let requiredFrames = 3
  private static let requiredFramesWithHint = 2

  /// Whether frames were found, of this kind or, before them, of the other one.
  var isKnown: Bool { lock != nil || facts.isReady }

  /// Searches for the next frames that agree, or the next tag.
  mutating func stepSearching(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    var place = 0
    while true {
      while place < bytes.count, !Self.mayBegin(bytes[place]) { place += 1 }
      if !isKnown, offset + Int64(place) >= searchLimit { throw notMPEGAudio(at: searchLimit) }
      if place == bytes.count {
        if place > 0 { return gap.pass(place, at: offset) }
        return try endOfSearch(at: offset, isEnd: isEnd)
      }
      if bytes[place] != 0xFF {
        switch extentOfTag(bytes, at: place, isEnd: isEnd) {
        case .none:
          place += 1
        case .need(let byteCount):
          return place > 0 ? gap.pass(place, at: offset) : .need(byteCount)
        case .bytes, .lyrics:
          if place > 0 { return gap.pass(place, at: offset) }
          state = .boundary
          return endGap() ?? .skip(0)
        }
        continue
      }
      if lock == nil || mayBecomeADTS,
        let step = stepADTS(bytes, at: place, offset: offset, isEnd: isEnd)
      {
        return step
      }
      let verdict = MPEGAudioFrameChain.examine(
        bytes, at: place, required: requiredFrames(bytes, at: place), known: lock,
        followsFrame: place == 0 && gap.byteCount == 0, isEnd: isEnd)
      switch verdict {
      case .refused:
        if place == 0, gap.byteCount == 0, !isKnown, bytes.count >= 4 {
          leadingWord = bytes.bigEndian32(at: 0)
        }
        place += 1
      case .need(let byteCount):
        return place > 0 ? gap.pass(place, at: offset) : .need(byteCount)
      case .confirmed(let chain):
        if place > 0 { return gap.pass(place, at: offset) }
        if let notice = endGap(isBeforeFrame: true, of: chain.lock) { return notice }
        begin(chain)
        return .skip(0)
      }
    }
  }

  /// Hands over to the ADTS parser if ADTS frames begin here; returns nil if not.
  private mutating func stepADTS(
    _ bytes: Span<UInt8>, at place: Int, offset: Int64, isEnd: Bool
  ) -> ParserStep? {
    let required =
      hint == .aacADTS ? ADTSFrameChain.requiredFramesWithHint : ADTSFrameChain.requiredFrames
    let verdict = ADTSFrameChain.examine(
      bytes, at: place, required: required, known: nil, isEnd: isEnd)
    if case .refused = verdict { return nil }
    if place > 0 { return gap.pass(place, at: offset) }
    if case .need(let byteCount) = verdict { return .need(byteCount) }
    return endGap(isBeforeFrame: true) ?? .detected(.adts)
  }

  /// Whether frames or the long tags can begin with this byte. "TAG" and Lyrics3 are accepted only
  /// after a frame: three letters easily occur by accident.
  private static func mayBegin(_ byte: UInt8) -> Bool {
    byte == 0xFF || byte == UInt8(ascii: "I") || byte == UInt8(ascii: "A")
  }

  private func extentOfTag(_ bytes: Span<UInt8>, at place: Int, isEnd: Bool) -> AudioTag.Extent {
    if bytes.count - place < AudioTag.signatureBytes, !isEnd {
      return .need(AudioTag.signatureBytes)
    }
    return AudioTag.extent(bytes, at: place, isEnd: isEnd)
  }

  private func requiredFrames(_ bytes: Span<UInt8>, at place: Int) -> Int {
    guard lock == nil, let hint, bytes.count - place >= 4,
      MPEGAudioHeader(bytes.bigEndian32(at: place))?.fileFormat == hint
    else { return Self.requiredFrames }
    return Self.requiredFramesWithHint
  }

  private mutating func endOfSearch(
    at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    guard isEnd else { return .need(1) }
    if isKnown { return endOfInput() }
    throw notMPEGAudio(at: offset)
  }

  /// The error for a stream in which no frames were found.
  private func notMPEGAudio(at offset: Int64) -> AudioFileStreamError {
    if let suspicion { return suspicion.error(at: 0) }
    if let hint, hint.isMPEGAudio {
      return AudioFileStreamError(
        .invalidFile, at: offset,
        "no MPEG audio frames were found, although the name or type promises them")
    }
    return AudioFileStreamError(
      .unsupportedFileType, at: offset,
      "this is no kind of audio file or stream that is known here")
  }

  /// Begins frames of a format.
  private mutating func begin(_ chain: MPEGAudioFrameChain) {
    if let lock {
      state = .locked
      guard !lock.isSameFormat(as: chain.lock) else { return }
      isIndexedFormat = indexedLock?.isSameFormat(as: chain.lock) ?? false
      change(to: chain.lock)
    } else if facts.isReady {
      // After frames of the other kind.
      state = .locked
      change(to: chain.lock)
    } else {
      lock = chain.lock
      firstChain = chain
      state = .firstFrame
    }
  }

  /// Changes to the format of the packets that follow.
  mutating func change(to lock: MPEGAudioFormatLock) {
    self.lock = lock
    bitRateMap = nil
    constantBitRateIndex = nil
    facts.constantBitRate = nil
    isGapless = false
    describe(lock)
    notice = .found(.dataFormat)
  }

  private mutating func describe(_ lock: MPEGAudioFormatLock) {
    let header = lock.header
    facts.change(to: header.dataFormat)
    details.channelLayout = AudioChannelLayout(.standard(channels: header.channels))
    facts.packetSizeUpperBound = lock.frameByteUpperBound
    facts.freeFormatFrameByteCount = lock.freeFormatFrameByteCount
  }

  /// Reads the tag in the first frame, if it has one, and reports all known properties.
  mutating func stepFirstFrame(_ bytes: Span<UInt8>, at offset: Int64) -> ParserStep {
    guard let lock, let chain = firstChain else { preconditionFailure("no format is known") }
    let frameBytes = lock.frameBytes(chain.headers[0].word)
    if bytes.count < frameBytes { return .need(frameBytes) }
    firstChain = nil
    indexedLock = lock
    state = .locked
    var audioHeaders = chain.headers[...]
    facts.dataOffset = offset
    if let tag = VBRTag(bytes.extracting(0..<frameBytes), header: chain.headers[0]) {
      self.tag = tag
      tagFrameBytes = Int64(frameBytes)
      facts.dataOffset = offset + Int64(frameBytes)
      takeCounts(of: tag, lock)
      audioHeaders = audioHeaders.dropFirst()
      state = .tagFrame(byteCount: frameBytes)
    }
    facts.fileFormat = lock.header.fileFormat
    describe(lock)
    if tag?.isConstantBitRate != false, let header = audioHeaders.first,
      audioHeaders.allSatisfy({ $0.bitRateIndex == header.bitRateIndex })
    {
      constantBitRateIndex = header.bitRateIndex
      bitRateMap = ConstantBitRateMap(header)
      facts.constantBitRate = lock.bitRate(of: header)
    }
    if facts.packetTableInfo == nil, let text = details.tags.info[ITunesGaplessInfo.key] {
      facts.packetTableInfo = ITunesGaplessInfo.packetTableInfo(text)
    }
    statementsTold = details.tags.statementCount
    facts.isReady = true
    return .ready
  }
}

extension MPEGAudioParser {
  /// Sets the tag's counts, unless the stream is longer than the tag states: then the tag covers only
  /// the first of several joined files.
  private mutating func takeCounts(of tag: VBRTag, _ lock: MPEGAudioFormatLock) {
    facts.packetTableInfo = tag.packetTableInfo(framesPerPacket: lock.header.framesPerPacket)
    let stated = tag.byteCount.flatMap { $0 >= tagFrameBytes ? $0 - tagFrameBytes : nil }
    if let stated, let end = audioEnd ?? totalByteCount, let dataOffset = facts.dataOffset {
      // If the end was not read, tags may be there. Some encoders count one frame less.
      let slack =
        audioEnd == nil
        ? Int64(AudioFileStream.maximumTailBytes) : 2 * Int64(lock.frameByteUpperBound)
      if end - dataOffset - stated > slack {
        facts.tableByteCount = stated
        return
      }
    }
    facts.statedPacketCount = tag.packetCount
    facts.statedByteCount = stated
  }
}

extension AudioFileTypeID {
  /// Whether this is one of the three kinds of bare MPEG audio stream.
  var isMPEGAudio: Bool {
    self == .mpegLayer1 || self == .mpegLayer2 || self == .mpegLayer3
  }
}
