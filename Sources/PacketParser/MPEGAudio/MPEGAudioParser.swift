// SPDX-License-Identifier: MIT

import AudioModel

/// A bare stream of MPEG audio frames, layers I to III, with the tags around and inside it.
///
/// A format is believed when three frames in a row agree on it, or two that agree with the hint, or
/// when the input ends behind fewer. From then on a frame is taken by its own header where the last
/// one ended; anything else there is a tag, another format (three frames again), or garbage, from
/// which two frames in a row lead back.
struct MPEGAudioParser: ContainerParser {
  enum State {
    /// Looking for frames that agree.
    case searching
    /// Where a frame or tag has ended: a tag may follow.
    case boundary
    /// Inside a tag that `tagReader` reads.
    case tag
    /// Inside a Lyrics3 tag.
    case lyrics
    /// The stream's first frame is here: it may be a tag in a frame's clothes.
    case firstFrame
    /// The frame here, of this many bytes, is a tag.
    case tagFrame(byteCount: Int)
    /// A frame should be here.
    case locked
  }

  /// Packets delivered in one call at most, which bounds the memory for their descriptions.
  static let maximumPacketsPerBatch = 512

  var facts = StreamFacts()
  var details: StreamDetails
  private(set) var descriptions: [AudioStreamPacketDescription] = []

  var state = State.searching
  /// The format found; nil until then.
  var lock: MPEGAudioFormatLock?
  /// The frames that proved the format, until their properties are told.
  var firstChain: MPEGAudioFrameChain?
  /// What has to be told before the next packet.
  var notice: ParserStep?
  var gap = StreamGap()
  /// The first four bytes of the gap before the first frame, if they were examined as a header.
  var leadingWord: UInt32?
  /// Frames of the packet that the input's end has cut; nil if it has cut none.
  private var cutFrames: Int64?
  /// Where the search for the first frame is given up.
  var searchLimit: Int64
  let hint: AudioFileTypeID?
  /// What the stream's first bytes looked like, for the error when no frames are found.
  let suspicion: ForeignContent?
  /// Zeros may follow a tag, as its padding.
  var mayPad = true

  var nextPacket: Int64 = 0
  var tag: VBRTag?
  var tagFrameBytes: Int64 = 0
  var bitRateMap: ConstantBitRateMap?
  /// The bit-rate index of every packet so far; nil when they differ.
  var constantBitRateIndex: Int?
  /// Packet numbers and positions are certain: no estimate or loss lies behind.
  var isExact = true
  /// Only frames lie between the first packet and here.
  var isGapless = true
  /// The stream was parsed from its beginning without a jump.
  var isUnbroken = true
  /// Where the packets of the first format lie that were seen.
  var index = PacketIndex()
  var indexedLock: MPEGAudioFormatLock?
  /// The stream has that format here.
  var isIndexedFormat = true
  /// From here to the stream's end there are tags only, which were read in advance.
  private(set) var tagsStart: Int64?
  private(set) var totalByteCount: Int64?
  /// Where all tags at the stream's end begin.
  private(set) var audioEnd: Int64?
  private var tagReader: AudioTagReader?
  /// How many statements the listener knows of.
  var statementsTold = 0
  /// ADTS frames may follow, and have a parser of their own. Not so in a WAVE file.
  var mayBecomeADTS = true

  init(_ context: ParserContext) {
    hint = context.hint
    suspicion = context.suspicion
    details = StreamDetails(context)
    totalByteCount = context.totalByteCount
    let tagBytes = TrailingTags.read(context.tail.span, into: &details.tags)
    if let totalByteCount, !context.tail.isEmpty {
      audioEnd = max(0, totalByteCount - TrailingTags.byteCount(tail: context.tail.span))
      if tagBytes > 0 { tagsStart = totalByteCount - tagBytes }
    }
    searchLimit = context.start + (hint?.isMPEGAudio == true ? 1 << 20 : 1 << 16)
    descriptions.reserveCapacity(Self.maximumPacketsPerBatch)
  }

  /// A parser whose frames follow ADTS in one stream. The packets are numbered on, and the index of the first
  /// ones stays.
  init(_ context: ParserContext, continuing other: ADTSParser) {
    self.init(context)
    facts = other.facts
    details = other.details
    details.magicCookie = []
    statementsTold = other.statementsTold
    nextPacket = other.nextPacket
    index = other.index
    isIndexedFormat = false
    isExact = other.isExact
    isGapless = false
    isUnbroken = other.isUnbroken
  }

  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    if let notice {
      self.notice = nil
      return notice
    }
    switch state {
    case .locked: return stepLocked(bytes, at: offset, isEnd: isEnd)
    case .searching: return try stepSearching(bytes, at: offset, isEnd: isEnd)
    case .boundary: return stepBoundary(bytes, at: offset, isEnd: isEnd)
    case .tag: return stepTag(bytes, isEnd: isEnd)
    case .lyrics: return stepLyrics(bytes, isEnd: isEnd)
    case .firstFrame: return stepFirstFrame(bytes, at: offset)
    case .tagFrame(let byteCount):
      state = .locked
      return .skip(Int64(byteCount))
    }
  }

  /// Takes as many whole frames as there are, side by side.
  private mutating func stepLocked(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) -> ParserStep {
    guard let lock else { preconditionFailure("no format is known") }
    descriptions.removeAll(keepingCapacity: true)
    let available = bytes.count
    var place = 0
    var frameBytes = 0
    var largest = facts.largestPacketSeen
    while descriptions.count < Self.maximumPacketsPerBatch, available - place >= 4 {
      let word = bytes.bigEndian32(at: place)
      frameBytes = lock.frameBytes(word)
      guard frameBytes > 0, available - place >= frameBytes else { break }
      descriptions.append(
        AudioStreamPacketDescription(
          startOffset: Int64(place), variableFramesInPacket: 0,
          dataByteSize: UInt32(truncatingIfNeeded: frameBytes)))
      largest = max(largest, frameBytes)
      let bitRateIndex = Int((word >> 12) & 15)
      if bitRateIndex != constantBitRateIndex { constantBitRateIndex = nil }
      if isUnbroken { bitRateMap?.add(bitRateIndex: bitRateIndex, isPadded: word & 0x200 != 0) }
      place += frameBytes
    }
    let count = descriptions.count
    if count > 0 {
      facts.largestPacketSeen = largest
      // What was counted to the end stays.
      if !facts.isWhole {
        facts.packetsSeen += Int64(count)
        facts.bytesSeen += Int64(place)
      }
      if isExact, isIndexedFormat, let dataOffset = facts.dataOffset {
        index.add(first: nextPacket, byteOffset: offset - dataOffset, descriptions)
      }
      if constantBitRateIndex == nil { facts.constantBitRate = nil }
      defer { nextPacket += Int64(count) }
      return .packets(.shown(first: nextPacket, count: count, byteCount: place))
    }
    if available >= 4, frameBytes == 0 {
      state = .boundary
      mayPad = false
      return stepBoundary(bytes, at: offset, isEnd: isEnd)
    }
    if !isEnd { return .need(available < 4 ? 4 : frameBytes) }
    if available > 0 {
      // The input ends within the frame.
      if bytes[0] == 0xFF { cutFrames = Int64(lock.header.framesPerPacket) }
      return gap.pass(available, at: offset)
    }
    return endOfInput()
  }

  /// Passes tags; where there is none, the search for frames begins.
  private mutating func stepBoundary(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) -> ParserStep {
    if isEnd, bytes.isEmpty { return endOfInput() }
    // The first of these tags may have no mark at its beginning (APE version 1).
    if let tagsStart, let totalByteCount, offset >= tagsStart, offset < totalByteCount {
      return passTag(totalByteCount - offset)
    }
    if mayPad {
      var zeros = 0
      while zeros < bytes.count, bytes[zeros] == 0 { zeros += 1 }
      if zeros > 0 { return .skip(Int64(zeros)) }
    }
    switch AudioTag.extent(bytes, at: 0, isEnd: isEnd) {
    case .need(let byteCount):
      return .need(byteCount)
    case .bytes(let byteCount):
      let step = passTag(byteCount)
      tagReader = AudioTagReader(bytes)
      if tagReader == nil { return step }
      state = .tag
      return .skip(0)
    case .lyrics:
      state = .lyrics
      return passTag(Int64(AudioTag.signatureBytes))
    case .none:
      state = .searching
      return .skip(0)
    }
  }

  /// Reads a tag; what it adds is told.
  private mutating func stepTag(_ bytes: Span<UInt8>, isEnd: Bool) -> ParserStep {
    switch tagReader?.step(bytes, isEnd: isEnd, into: &details.tags) {
    case .need(let byteCount): return .need(byteCount)
    case .skip(let byteCount): return .skip(byteCount)
    case .finished, nil:
      tagReader = nil
      state = .boundary
      let statements = details.tags.statementCount
      defer { statementsTold = statements }
      return facts.isReady && statements > statementsTold ? .found(.infoDictionary) : .skip(0)
    }
  }

  private mutating func stepLyrics(_ bytes: Span<UInt8>, isEnd: Bool) -> ParserStep {
    if bytes.isEmpty { return isEnd ? endOfInput() : .need(1) }
    switch AudioTag.lyricsEnd(bytes, isEnd: isEnd) {
    case .after(let byteCount):
      state = .boundary
      mayPad = false
      return .skip(Int64(byteCount))
    case .notWithin(let byteCount):
      return .skip(Int64(byteCount))
    case .need(let byteCount):
      return .need(byteCount)
    }
  }

  /// Goes on behind a tag.
  mutating func passTag(_ byteCount: Int64) -> ParserStep {
    mayPad = true
    isGapless = isGapless && lock == nil
    if lock == nil { searchLimit += byteCount }
    return .skip(byteCount)
  }

  /// Tells the last gap, then that all is told.
  mutating func endOfInput() -> ParserStep {
    if let notice = endGap() { return notice }
    facts.isWhole = facts.isWhole || (isUnbroken && facts.isReady)
    return .finished
  }

  /// Closes the gap that frames, a tag or the end have ended. Among frames it is a loss if it is as long as
  /// half a packet: less is no frame, damaged or not.
  ///
  /// - Returns: the notice, if it is to be told.
  mutating func endGap(
    isBeforeFrame: Bool = false, of lock: MPEGAudioFormatLock? = nil
  ) -> ParserStep? {
    if gap.byteCount > 0, facts.isReady { isGapless = false }
    if let cutFrames {
      self.cutFrames = nil
      return gap.close(.cut, frameCount: cutFrames)
    }
    // Before the first frame, a gap that begins with the header of such a frame was a frame whose successor is
    // damaged.
    if !isKnown, let leadingWord, let lock, lock.frameBytes(leadingWord) > 0 {
      return gap.close(.damage)
    }
    guard isBeforeFrame, facts.isReady,
      let packets = gap.packetCount(averageBytes: facts.averageBytesPerPacket)
    else { return gap.close() }
    let duration = Int64(facts.dataFormat?.framesPerPacket ?? 0)
    return gap.close(
      .damage, frameCount: constantBitRateIndex == nil ? nil : packets * duration)
  }
}
