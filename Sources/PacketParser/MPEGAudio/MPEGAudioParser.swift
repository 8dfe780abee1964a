// SPDX-License-Identifier: MIT

import AudioModel

/// A bare stream of MPEG audio frames, layers I to III, with the tags around and inside it.
///
/// A format is accepted when three frames in a row agree on it, two if they agree with the hint, or
/// fewer if the input ends after them. From then on each frame is accepted by its own header where the
/// last one ended. Anything else there is a tag, another format (three frames again), or garbage, after
/// which two frames in a row resynchronise the parser.
struct MPEGAudioParser: ContainerParser {
  enum State {
    /// Looking for frames that agree.
    case searching
    /// A frame or tag has ended; a tag may follow.
    case boundary
    /// Inside a tag that `tagReader` reads.
    case tag
    /// Inside a Lyrics3 tag.
    case lyrics
    /// The stream's first frame, which may hold a tag instead of sound.
    case firstFrame
    /// The frame here, of this many bytes, holds a tag.
    case tagFrame(byteCount: Int)
    /// A frame is expected here.
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
  /// The frames that confirmed the format, until their properties are reported.
  var firstChain: MPEGAudioFrameChain?
  /// A step to return before the next packet.
  var notice: ParserStep?
  var gap = StreamGap()
  /// The first four bytes of the gap before the first frame, if they were examined as a header.
  var leadingWord: UInt32?
  /// Frames of the packet cut by the end of the input; nil if none was.
  private var cutFrames: Int64?
  /// The byte offset at which the search for the first frame fails.
  var searchLimit: Int64
  let hint: AudioFileTypeID?
  /// The stream's apparent content by its first bytes, for the error when no frames are found.
  let suspicion: ForeignContent?
  /// Whether zeros may follow as a tag's padding.
  var mayPad = true

  var nextPacket: Int64 = 0
  var tag: VBRTag?
  var tagFrameBytes: Int64 = 0
  var bitRateMap: ConstantBitRateMap?
  /// The bit-rate index of every packet so far; nil if they differ.
  var constantBitRateIndex: Int?
  /// Whether packet numbers and positions are certain: no estimate and no loss precedes.
  var isExact = true
  /// Whether only frames lie between the first packet and here.
  var isGapless = true
  /// Whether the stream was parsed from its beginning without a jump.
  var isUnbroken = true
  /// The byte offsets of the parsed packets of the first format.
  var index = PacketIndex()
  var indexedLock: MPEGAudioFormatLock?
  /// Whether the present format is the indexed one.
  var isIndexedFormat = true
  /// The byte offset from which only tags follow, which were read in advance.
  private(set) var tagsStart: Int64?
  private(set) var totalByteCount: Int64?
  /// The byte offset at which all tags at the stream's end begin.
  private(set) var audioEnd: Int64?
  private var tagReader: AudioTagReader?
  /// Tag statements reported to the listener so far.
  var statementsTold = 0
  /// Whether ADTS frames may follow, which have their own parser. False in a WAVE file.
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

  /// Makes a parser for frames that follow ADTS in one stream. Packet numbers continue, and the index
  /// of the first packets stays.
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

  /// Delivers all complete frames that lie side by side.
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
      // Totals that were counted to the end stay.
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

  /// Skips tags; without one, the search for frames begins.
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

  /// Reads a tag and reports new statements.
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

  /// Skips a tag.
  mutating func passTag(_ byteCount: Int64) -> ParserStep {
    mayPad = true
    isGapless = isGapless && lock == nil
    if lock == nil { searchLimit += byteCount }
    return .skip(byteCount)
  }

  /// Reports the last gap, then the end.
  mutating func endOfInput() -> ParserStep {
    if let notice = endGap() { return notice }
    facts.isWhole = facts.isWhole || (isUnbroken && facts.isReady)
    return .finished
  }

  /// Closes the gap that ends at frames, a tag or the end. Between frames, a gap of half a packet or
  /// more is a loss; a shorter one cannot hold a frame.
  ///
  /// - Returns: the notice, if there is one to report.
  mutating func endGap(
    isBeforeFrame: Bool = false, of lock: MPEGAudioFormatLock? = nil
  ) -> ParserStep? {
    if gap.byteCount > 0, facts.isReady { isGapless = false }
    if let cutFrames {
      self.cutFrames = nil
      return gap.close(.cut, frameCount: cutFrames)
    }
    // Before the first frame, a gap counts as loss if it begins with a header of the found format: its
    // successor was damaged.
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
