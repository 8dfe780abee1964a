// SPDX-License-Identifier: MIT

import AudioModel

/// A bare stream of AAC frames in the audio data transport stream format, with the tags around and
/// inside it.
///
/// A format is accepted when three frames in a row agree on it, two if the hint names ADTS, or fewer if
/// the input ends after them. From then on each frame is accepted by its own header where the last one
/// ended. Anything else there is a tag, another format (three frames again), or garbage, after which
/// two frames in a row resynchronise the parser.
///
/// A packet is a whole frame with its header. So its byte offset and size match those that other tools
/// print, a checksum stays beside the bytes it protects, and a frame of several raw data blocks, which
/// only a decoder can split, is still one packet. A decoder of bare blocks skips the header.
struct ADTSParser: ContainerParser {
  enum State {
    /// Looking for frames that agree.
    case searching
    /// A frame or tag has ended; a tag may follow.
    case boundary
    /// Inside a tag that a reader parses.
    case tag(AudioTagReader)
    /// Frames of a new format begin here.
    case newFormat(ADTSFrameChain)
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
  var format: ADTSFormat?
  /// Steps to return before the next packet, in order.
  private var notices: [ParserStep] = []
  var gap = StreamGap()
  /// The key of a frame's header at the start of the gap before the first frame.
  var leadingKey: UInt32?
  /// Whether the gap is a frame cut by the end of the input.
  private var isFrameCut = false
  /// The byte offset at which the search for the first frame fails.
  var searchLimit: Int64
  let hint: AudioFileTypeID?
  /// The stream's apparent content by its first bytes, for the error when no frames are found.
  let suspicion: ForeignContent?
  /// Bytes of the whole stream.
  let totalByteCount: Int64?
  /// Whether zeros may follow as a tag's padding.
  var mayPad = true
  /// Tag statements reported to the listener so far.
  private(set) var statementsTold = 0

  var nextPacket: Int64 = 0
  /// Byte offsets of the parsed packets of the first format.
  var index = PacketIndex()
  private(set) var indexedFormat: ADTSFormat?
  /// Whether packet numbers and positions are certain: no estimate and no loss precedes.
  var isExact = true
  /// Whether the stream was parsed from its beginning without a jump.
  var isUnbroken = true

  init(_ context: ParserContext) {
    hint = context.hint
    suspicion = context.suspicion
    totalByteCount = context.totalByteCount
    details = StreamDetails(context)
    _ = TrailingTags.read(context.tail.span, into: &details.tags)
    searchLimit = context.start + (hint == .aacADTS ? 1 << 20 : 1 << 16)
    descriptions.reserveCapacity(Self.maximumPacketsPerBatch)
  }

  /// Makes a parser for frames that follow MPEG audio in one stream. Packet numbers continue, and the
  /// index of the first packets stays.
  init(_ context: ParserContext, continuing other: MPEGAudioParser) {
    self.init(context)
    facts = other.facts
    facts.constantBitRate = nil
    facts.freeFormatFrameByteCount = nil
    facts.packetSizeUpperBound = ADTSHeader.maximumFrameBytes
    details = other.details
    statementsTold = other.statementsTold
    nextPacket = other.nextPacket
    index = other.index
    isExact = other.isExact
    isUnbroken = other.isUnbroken
  }

  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    if !notices.isEmpty { return notices.removeFirst() }
    switch state {
    case .locked: return stepLocked(bytes, at: offset, isEnd: isEnd)
    case .searching: return try stepSearching(bytes, at: offset, isEnd: isEnd)
    case .boundary: return stepBoundary(bytes, isEnd: isEnd)
    case .tag(let reader): return stepTag(reader, bytes, isEnd: isEnd)
    case .newFormat(let chain):
      return try stepNewFormat(chain, bytes, at: offset, isEnd: isEnd)
    }
  }

  /// Reads the details of the format's first frame beyond its header, and reports the format.
  private mutating func stepNewFormat(
    _ chain: ADTSFrameChain, _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    let frameBytes = chain.headers[0].frameBytes
    if bytes.count < frameBytes, !isEnd { return .need(frameBytes) }
    let format = try ADTSFormat(chain, firstFrame: bytes, at: offset)
    state = .locked
    if facts.isReady {
      change(to: format)
      return notices.removeFirst()
    }
    describe(format)
    indexedFormat = format
    facts.fileFormat = .aacADTS
    facts.dataOffset = offset
    // The header's maximum: frames above the standard's bound are delivered too.
    facts.packetSizeUpperBound = ADTSHeader.maximumFrameBytes
    facts.isReady = true
    statementsTold = details.tags.statementCount
    return .ready
  }

  /// Changes to the format of the packets that follow.
  mutating func change(to format: ADTSFormat) {
    describe(format)
    notices = [.found(.dataFormat), .found(.magicCookieData)]
  }

  private mutating func describe(_ format: ADTSFormat) {
    self.format = format
    facts.change(to: format.dataFormat)
    details.channelLayout = format.channelLayout
    details.magicCookie = format.magicCookie
  }

  /// Takes all whole frames that lie side by side.
  private mutating func stepLocked(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) -> ParserStep {
    guard let format else { preconditionFailure("no format is known") }
    descriptions.removeAll(keepingCapacity: true)
    let available = bytes.count
    var place = 0
    /// Bytes of the frame that did not fit; 0 if there is none.
    var frameBytes = 0
    var isOtherDuration = false
    var frames: Int64 = 0
    while descriptions.count < Self.maximumPacketsPerBatch,
      available - place >= ADTSHeader.byteCount
    {
      frameBytes = 0
      guard let header = ADTSHeader(bytes, at: place), header.formatKey == format.key else { break }
      frameBytes = header.frameBytes
      guard available - place >= frameBytes else { break }
      isOtherDuration = format.blockCount != nil && header.blockCount != format.blockCount
      if isOtherDuration { break }
      let framesInPacket = header.blockCount * ADTSHeader.framesPerBlock
      descriptions.append(
        AudioStreamPacketDescription(
          startOffset: Int64(place), variableFramesInPacket: UInt32(framesInPacket),
          dataByteSize: UInt32(frameBytes)))
      facts.largestPacketSeen = max(facts.largestPacketSeen, frameBytes)
      frames += Int64(framesInPacket)
      place += frameBytes
    }
    if !descriptions.isEmpty { return deliver(byteCount: place, frames: frames, at: offset) }
    if isOtherDuration { return forgetDuration() }
    if available >= ADTSHeader.byteCount, frameBytes == 0 {
      state = .boundary
      mayPad = false
      return stepBoundary(bytes, isEnd: isEnd)
    }
    if !isEnd { return .need(max(frameBytes, ADTSHeader.byteCount)) }
    if available > 0 {
      // The input ends within the frame.
      isFrameCut = bytes[0] == 0xFF
      return gap.pass(available, at: offset)
    }
    return endOfInput()
  }

  private mutating func deliver(byteCount: Int, frames: Int64, at offset: Int64) -> ParserStep {
    let count = descriptions.count
    if isExact, format?.key == indexedFormat?.key {
      index.add(
        first: nextPacket, byteOffset: offset - (facts.dataOffset ?? 0), descriptions,
        hasFrames: true)
    }
    if format?.blockCount != nil {
      for place in 0..<count { descriptions[place].variableFramesInPacket = 0 }
    }
    // Totals that were counted to the end stay.
    if !facts.isWhole {
      facts.packetsSeen += Int64(count)
      facts.bytesSeen += descriptions.reduce(0) { $0 + Int64($1.dataByteSize) }
      facts.framesSeen += frames
    }
    defer { nextPacket += Int64(count) }
    return .packets(.shown(first: nextPacket, count: count, byteCount: byteCount))
  }

  /// Handles a frame with another number of blocks: from here on each packet states its own frames.
  /// This is permanent, so the format does not change back and forth.
  private mutating func forgetDuration() -> ParserStep {
    format?.blockCount = nil
    if format?.key == indexedFormat?.key { indexedFormat?.blockCount = nil }
    facts.dataFormat = format?.dataFormat
    return .found(.dataFormat)
  }

  /// Skips tags; without one, the search for frames begins.
  private mutating func stepBoundary(_ bytes: Span<UInt8>, isEnd: Bool) -> ParserStep {
    if isEnd, bytes.isEmpty { return endOfInput() }
    if mayPad {
      var zeros = 0
      while zeros < bytes.count, bytes[zeros] == 0 { zeros += 1 }
      if zeros > 0 { return .skip(Int64(zeros)) }
    }
    switch AudioTag.extent(bytes, at: 0, isEnd: isEnd) {
    case .need(let byteCount):
      return .need(byteCount)
    case .bytes(let byteCount):
      mayPad = true
      if format == nil { searchLimit += byteCount }
      guard let reader = AudioTagReader(bytes) else { return .skip(byteCount) }
      state = .tag(reader)
      return .skip(0)
    case .lyrics, .none:
      // Lyrics3 is for MPEG audio only.
      state = .searching
      return .skip(0)
    }
  }

  /// Reads a tag and reports new statements.
  private mutating func stepTag(
    _ reader: AudioTagReader, _ bytes: Span<UInt8>, isEnd: Bool
  ) -> ParserStep {
    var reader = reader
    switch reader.step(bytes, isEnd: isEnd, into: &details.tags) {
    case .need(let byteCount):
      state = .tag(reader)
      return .need(byteCount)
    case .skip(let byteCount):
      state = .tag(reader)
      return .skip(byteCount)
    case .finished:
      state = .boundary
      let statements = details.tags.statementCount
      defer { statementsTold = statements }
      return facts.isReady && statements > statementsTold ? .found(.infoDictionary) : .skip(0)
    }
  }

  /// Reports the last gap, then the end.
  mutating func endOfInput() -> ParserStep {
    defer { isFrameCut = false }
    let frames = facts.dataFormat.flatMap {
      $0.framesPerPacket > 0 ? Int64($0.framesPerPacket) : nil
    }
    if let notice = isFrameCut ? gap.close(.cut, frameCount: frames) : gap.close() {
      return notice
    }
    facts.isWhole = facts.isWhole || (isUnbroken && facts.isReady)
    return .finished
  }
}
