// SPDX-License-Identifier: MIT

import AudioModel

/// A bare stream of AAC frames in the audio data transport stream format, with the tags around and
/// inside it.
///
/// A format is believed when three frames in a row agree on it, or two when the hint says ADTS, or
/// when the input ends behind fewer. From then on a frame is taken by its own header where the last
/// one ended; anything else there is a tag, another format (three frames again), or garbage, from
/// which two frames in a row lead back.
///
/// A packet is a whole frame with its header. So a packet's place and size are what other tools
/// print, a frame's checksum stays beside what it protects, and a frame of several raw data blocks,
/// which only a decoder can take apart, is still one packet. A decoder that wants the bare blocks
/// skips the header.
struct ADTSParser: ContainerParser {
  enum State {
    /// Looking for frames that agree.
    case searching
    /// Where a frame or tag has ended: a tag may follow.
    case boundary
    /// Inside a tag that is read.
    case tag(AudioTagReader)
    /// Frames of a new format begin here.
    case newFormat(ADTSFrameChain)
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
  var format: ADTSFormat?
  /// What has to be told before the next packet, in order.
  private var notices: [ParserStep] = []
  var gap = StreamGap()
  /// The key of a frame's header at the start of the gap before the first frame.
  var leadingKey: UInt32?
  /// The gap is a frame that the input's end has cut.
  private var isFrameCut = false
  /// Where the search for the first frame is given up.
  var searchLimit: Int64
  let hint: AudioFileTypeID?
  /// What the stream's first bytes looked like, for the error when no frames are found.
  let suspicion: ForeignContent?
  /// Bytes of the whole stream.
  let totalByteCount: Int64?
  /// Zeros may follow a tag, as its padding.
  var mayPad = true
  /// How many statements the listener knows of.
  private(set) var statementsTold = 0

  var nextPacket: Int64 = 0
  /// Where the packets of the first format lie that were seen.
  var index = PacketIndex()
  private(set) var indexedFormat: ADTSFormat?
  /// Packet numbers and positions are certain: no estimate or loss lies behind.
  var isExact = true
  /// The stream was parsed from its beginning without a jump.
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

  /// A parser whose frames follow MPEG audio in one stream. The packets are numbered on, and the index of the
  /// first ones stays.
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

  /// Reads what the format's first frame tells besides its header, and tells the format.
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
    // What the header can express: a frame above the standard's bound is delivered all the same.
    facts.packetSizeUpperBound = ADTSHeader.maximumFrameBytes
    facts.isReady = true
    statementsTold = details.tags.statementCount
    return .ready
  }

  /// Packets of another format follow.
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

  /// Takes as many whole frames as there are, side by side.
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
    // What was counted to the end stays.
    if !facts.isWhole {
      facts.packetsSeen += Int64(count)
      facts.bytesSeen += descriptions.reduce(0) { $0 + Int64($1.dataByteSize) }
      facts.framesSeen += frames
    }
    defer { nextPacket += Int64(count) }
    return .packets(.shown(first: nextPacket, count: count, byteCount: byteCount))
  }

  /// A frame with another number of blocks: from here on each packet says its frames itself, for good,
  /// so that the format does not change to and fro.
  private mutating func forgetDuration() -> ParserStep {
    format?.blockCount = nil
    if format?.key == indexedFormat?.key { indexedFormat?.blockCount = nil }
    facts.dataFormat = format?.dataFormat
    return .found(.dataFormat)
  }

  /// Passes tags; where there is none, the search for frames begins.
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

  /// Reads a tag; what it adds is told.
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

  /// Tells the last gap, then that all is told.
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
