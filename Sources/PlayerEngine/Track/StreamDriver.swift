// SPDX-License-Identifier: MIT

public import ByteSources
public import PacketParser

/// What one step of a ``StreamDriver`` did.
public enum StreamDriverStep: Hashable, Sendable {
  /// Bytes came and were parsed, or the parser goes elsewhere for more.
  case progressed
  /// No byte came in the time given.
  case waiting
  /// Everything was parsed.
  case ended
}

/// Reads a source through a parser: the bytes that the parser wants, in the order it wants them.
///
/// Where the source can be repositioned, the parser may skip what is no audio and read an index that
/// lies behind it. Of a regular file the end is read first, for the tags and the duration that are
/// there; over HTTP that would be a request more, and the parser does without. A step reads at most
/// one buffer of bytes and waits no longer than it is told to. One thread at a time; not the render
/// thread.
@safe
public final class StreamDriver<Listener: StreamDriverListener> {
  /// Where the bytes come from; closed with the driver.
  public let source: any ByteSource
  /// The parser, for its properties.
  public private(set) var stream: AudioFileStream
  /// Is told what the parser finds.
  public var listener: Listener {
    _read { yield watch.listener }
    _modify { yield &watch.listener }
  }

  private var watch: PacketWatch<Listener>
  private var options: AudioFileStreamOptions
  private let sliceBytes: Int
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 64)
  /// The source was asked for bytes, whether any came or not.
  private var hasRead = false
  /// The parser was made for what the source can do.
  private var hasBegun = false
  private var hasEnded = false
  /// Where the source's next byte lies.
  private var sourceOffset: Int64 = 0
  /// Bytes of heads that were lost: the source counts them, and the parser does not. Where the source can
  /// be repositioned there are none.
  private var lostBytes: Int64 = 0
  /// Bytes read from the source, those read twice included.
  private(set) var readByteCount: UInt64 = 0
  /// Nanoseconds spent on the source, waiting included, and on parsing.
  private(set) var readNanoseconds: UInt64 = 0
  private(set) var parseNanoseconds: UInt64 = 0
  /// Where the stream ends, as far as the source has said or shown.
  private var endOffset: Int64?
  /// The source's next bytes do not continue those before.
  private var isDiscontinuous = false
  /// Live sound that was lost is there again, and it is not known yet in which format.
  private var identification: StreamIdentification?
  /// The sound is known to be live: it was lost once, or a station sends it.
  private var isLive = false
  /// Bytes that were parsed since the last packet.
  private var bytesWithoutPacket = 0
  /// Times in a row that the parser neither took bytes nor went elsewhere.
  private var standstills = 0

  /// Bytes that are read and dropped rather than passed by asking a server again.
  private static var leastJump: Int64 { 64 << 10 }
  /// The same for a server that has not said whether it sends parts: one that does not sends all again.
  private static var leastTrial: Int64 { 4 << 20 }
  /// A parser that stands still so often wants nothing more.
  private static var maximumStandstills: Int { 4 }
  /// Bytes of live sound without a packet, or of anything else whose end is not known, that are an error:
  /// they might go on for ever. Tags and pictures are shorter.
  private static var maximumLiveBytes: Int { 2 << 20 }
  private static var maximumEndlessBytes: Int { 64 << 20 }

  /// A driver at the start of a source from which nothing was read.
  ///
  /// - Parameters:
  ///   - source: where the bytes come from.
  ///   - pictureByteLimit: `AudioFileStreamOptions.pictureByteLimit`.
  ///   - sliceBytes: the parser is given pieces of at most so many bytes. What it finds does not
  ///     depend on it.
  ///   - listener: is told what the parser finds.
  public init(
    _ source: any ByteSource, pictureByteLimit: Int = 0, sliceBytes: Int = .max,
    listener: consuming Listener
  ) {
    self.source = source
    self.sliceBytes = max(1, sliceBytes)
    watch = PacketWatch(listener)
    options = AudioFileStreamOptions()
    options.pictureByteLimit = pictureByteLimit
    stream = AudioFileStream(hint: source.information.fileTypeHint, options: options)
  }

  deinit {
    source.close()
    unsafe buffer.deallocate()
  }

  /// Reads and parses one buffer of bytes, waiting at most so long for the first of them.
  ///
  /// - Throws: what went wrong; the listener has been told what was parsed before. The driver has
  ///   then ended.
  public func step(timeoutNanoseconds: UInt64) throws(PlayerError) -> StreamDriverStep {
    if hasEnded { return .ended }
    let start = monotonicNanoseconds()
    let read: ByteSourceRead
    do throws(ByteSourceError) {
      read = try readWanted(timeoutNanoseconds: timeoutNanoseconds)
    } catch {
      // What came before the source failed is still told.
      hasEnded = true
      try? identify(isEnd: true)
      try? stream.finish(listener: &watch)
      throw PlayerError(location: source.information.name, reason: .source(error))
    }
    let beganParsing = monotonicNanoseconds()
    readNanoseconds &+= beganParsing &- start
    defer { parseNanoseconds &+= monotonicNanoseconds() &- beganParsing }
    do throws(AudioFileStreamError) {
      switch read {
      case .wait: return .waiting
      case .end: return try finish()
      case .discontinuity:
        try identify(isEnd: true)
        loseContinuity()
        return .progressed
      case .bytes(let count):
        sourceOffset += Int64(count)
        let bytes = unsafe UnsafeBufferPointer(
          start: buffer.baseAddress!.assumingMemoryBound(to: UInt8.self), count: count)
        if identification == nil {
          try parse(unsafe bytes.span)
        } else {
          try identify(unsafe bytes.span)
        }
        return .progressed
      }
    } catch {
      hasEnded = true
      throw PlayerError(location: source.information.name, reason: .parser(error))
    }
  }

  /// Has the parser go on with a packet, also after the end; the next step reads from there.
  ///
  /// - Throws: `more` before the parser has reached the audio, `pck?` for a packet that does not
  ///   exist, or what made the stream unplayable.
  public func seek(
    toPacket packet: Int64
  ) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    let target = try stream.seek(toPacket: packet)
    hasEnded = false
    standstills = 0
    return target
  }

  /// The bytes that can be read again without asking a server for them, as the parser counts them.
  var spooledByteRanges: [Range<UInt64>] {
    let lost = UInt64(lostBytes)
    return source.spooledByteRanges.compactMap { range in
      guard range.upperBound > lost else { return nil }
      return max(range.lowerBound, lost) - lost..<range.upperBound - lost
    }
  }

  /// Has the source give again what it gave before, from a byte that the parser counts so, of a source that
  /// is spooled and cannot be repositioned otherwise. The parser has to be sent there too.
  func turnBack(toByte byteOffset: Int64) throws(ByteSourceError) {
    try source.reposition(to: UInt64(max(0, byteOffset)) &+ UInt64(lostBytes))
  }

  /// Reads from where the parser wants to go on.
  private func readWanted(timeoutNanoseconds: UInt64) throws(ByteSourceError) -> ByteSourceRead {
    // Before the first read only a file knows that it can be repositioned, and then it costs nothing. A
    // server may have answered with that read, and its first byte be still to come.
    if !hasRead, source.information.isRepositionable { try beginWithTail() }
    hasRead = true
    if hasBegun, options.canReposition {
      if standstills > Self.maximumStandstills { return .end }
      let wanted = stream.nextByteOffset
      let ahead = wanted - sourceOffset
      if ahead < 0 || ahead >= Self.leastTrial
        || ahead >= Self.leastJump && source.information.reach == .direct
      {
        if let endOffset, wanted >= endOffset { return .end }
        try source.reposition(to: UInt64(max(0, wanted)))
        sourceOffset = wanted
      }
    }
    let read = unsafe try source.read(into: buffer, timeoutNanoseconds: timeoutNanoseconds)
    switch read {
    case .bytes(let count):
      readByteCount &+= UInt64(count)
      if !hasBegun { begin() }
      let metadata = source.takeStreamMetadata()
      if identification == nil { announce(metadata) } else { identification!.metadata += metadata }
    case .end:
      // A parser that skips may be past the end of the bytes.
      if endOffset == nil { stream.tell(totalByteCount: sourceOffset) }
      endOffset = sourceOffset
    case .wait, .discontinuity: break
    }
    return read
  }

  /// Makes the parser, now that the server has said what it can do.
  private func begin() {
    makeStream()
    guard let byteCount = source.information.byteCount, let total = Int64(exactly: byteCount)
    else { return }
    endOffset = total
    stream.tell(totalByteCount: total)
  }

  /// Makes the parser and shows it the file's end. The file may change its length meanwhile: the
  /// parser is told one that fits the bytes that it is shown.
  private func beginWithTail() throws(ByteSourceError) {
    makeStream()
    guard let byteCount = source.information.byteCount, let total = Int64(exactly: byteCount)
    else { return }
    let start = max(0, total - Int64(AudioFileStream.maximumTailBytes))
    try source.reposition(to: UInt64(start))
    var tail: [UInt8] = []
    let wanted = Int(total - start)
    tail.reserveCapacity(wanted)
    while tail.count < wanted,
      case .bytes(let count) = unsafe try source.read(into: buffer, timeoutNanoseconds: 0)
    {
      unsafe tail.append(contentsOf: buffer[..<min(count, wanted - tail.count)])
    }
    try source.reposition(to: 0)
    guard !tail.isEmpty else { return }
    endOffset = start + Int64(tail.count)
    stream.tell(totalByteCount: start + Int64(tail.count), tail: tail.span)
  }

  private func makeStream() {
    hasBegun = true
    isLive = isLive || source.information.station != nil
    options.canReposition = source.information.isRepositionable
    stream = AudioFileStream(hint: source.information.fileTypeHint, options: options)
  }

  /// Parses the source's last bytes, as far as the parser wants these.
  private func parse(_ bytes: Span<UInt8>) throws(AudioFileStreamError) {
    let count = bytes.count
    let firstOffset = sourceOffset - Int64(count)
    var start = 0
    watch.hasSeenPackets = false
    while start < count {
      if options.canReposition {
        let wanted = stream.nextByteOffset - firstOffset
        // Elsewhere: the next step goes there, or reads on up to it.
        guard wanted >= 0, wanted < count, standstills <= Self.maximumStandstills else { return }
        start = Int(wanted)
      }
      let end = start + min(sliceBytes, count - start)
      try stream.parse(
        bytes.extracting(start..<end), discontinuity: isDiscontinuous, listener: &watch)
      isDiscontinuous = false
      let isStill = stream.nextByteOffset == firstOffset + Int64(start)
      standstills = isStill ? standstills + 1 : 0
      start = end
    }
    bytesWithoutPacket = watch.hasSeenPackets ? 0 : bytesWithoutPacket + count
    let isEndless = endOffset == nil && !options.canReposition
    let limit = isLive ? Self.maximumLiveBytes : Self.maximumEndlessBytes
    if isEndless, bytesWithoutPacket > limit {
      throw AudioFileStreamError(
        .invalidFile, at: sourceOffset, "no audio was found in the last \(bytesWithoutPacket) bytes"
      )
    }
  }

  /// Passes on what the station says.
  private func announce(_ metadata: [StreamMetadata]) {
    for var metadata in metadata {
      metadata.byteOffset -= min(metadata.byteOffset, UInt64(lostBytes))
      listener.streamDriver(found: metadata)
    }
  }

  /// Live sound was lost and is there again: the bytes that follow are the start of another stream of
  /// it. What came of a head that was not whole is of no use.
  private func loseContinuity() {
    isLive = true
    bytesWithoutPacket = 0
    if stream.isReadyToProducePackets {
      identification = StreamIdentification(hint: source.information.fileTypeHint)
    } else {
      lostBytes += sourceOffset
      sourceOffset = 0
      makeStream()
    }
  }

  /// Looks at the first bytes of sound that is there again, and parses them once it is known what they are.
  ///
  /// - Parameter isEnd: nothing follows them: the former parser has to take what is there.
  private func identify(
    _ bytes: Span<UInt8> = Span(), isEnd: Bool = false
  ) throws(AudioFileStreamError) {
    guard identification != nil else { return }
    let verdict = identification!.add(bytes, former: try? stream.fileFormat)
    if !isEnd, case .undecided = verdict { return }
    guard let found = identification.take() else { return }
    let held = found.bytes
    if case .another = verdict {
      lostBytes += sourceOffset - Int64(held.count)
      sourceOffset = Int64(held.count)
      makeStream()
      listener.streamDriverBeganStream()
    } else {
      isDiscontinuous = true
    }
    announce(found.metadata)
    try parse(held.span)
  }

  /// Says that there is no more; the parser may go back for what it passed.
  private func finish() throws(AudioFileStreamError) -> StreamDriverStep {
    try identify(isEnd: true)
    try stream.finish(listener: &watch)
    // Back is not where the end is, or it would come here for ever.
    standstills += 1
    hasEnded = stream.isFinished || standstills > Self.maximumStandstills
    return hasEnded ? .ended : .progressed
  }
}
