// SPDX-License-Identifier: MIT

public import ByteSources
public import PacketParser

/// The result of one step of a ``StreamDriver``.
public enum StreamDriverStep: Hashable, Sendable {
  /// Bytes were parsed, or the next read continues elsewhere.
  case progressed
  /// No byte arrived within the time limit.
  case waiting
  /// Everything was parsed.
  case ended
}

/// Feeds a parser from a source: the bytes that the parser requests, in the order of its requests.
///
/// If the source can be repositioned, the parser may skip bytes that are no audio and read an index behind the audio.
/// The driver first reads the end of a regular file, for its tags and duration. Over HTTP this would cost another
/// request, so the parser does without. A step reads at most one buffer of bytes and waits no longer than its time
/// limit. One thread at a time; not the render thread.
@safe
public final class StreamDriver<Listener: StreamDriverListener> {
  /// The source of the bytes; closed with the driver.
  public let source: any ByteSource
  /// The parser, for its properties.
  public private(set) var stream: AudioFileStream
  /// Receives the parser's results.
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
  /// The parser was created, for the capabilities of the source.
  private var hasBegun = false
  private var hasEnded = false
  /// Byte offset of the source's next byte.
  private var sourceOffset: Int64 = 0
  /// Bytes that the source counts and the parser does not, because another parser took them before an interruption. 0
  /// if the source can be repositioned.
  private var lostBytes: Int64 = 0
  /// Bytes read from the source, those read twice included.
  private(set) var readByteCount: UInt64 = 0
  /// Nanoseconds spent on the source, waiting included, and on parsing.
  private(set) var readNanoseconds: UInt64 = 0
  private(set) var parseNanoseconds: UInt64 = 0
  /// Byte offset of the stream's end; nil until the source states or reaches it.
  private var endOffset: Int64?
  /// The source's next bytes do not continue those before.
  private var isDiscontinuous = false
  /// Identifies the format of live sound after an interruption; nil at other times.
  private var identification: StreamIdentification?
  /// The sound is known to be live: a station sends it, or it was interrupted once.
  private var isLive = false
  /// Bytes that were parsed since the last packet.
  private var bytesWithoutPacket = 0
  /// Times in a row that the parser neither took bytes nor changed its byte offset.
  private var standstills = 0

  /// Shorter gaps are read and dropped, rather than skipped with another request to a server.
  private static var leastJump: Int64 { 64 << 10 }
  /// The same for a server of unknown support for ranges: without it, the server sends everything again.
  private static var leastTrial: Int64 { 4 << 20 }
  /// A parser that stands still more often in a row needs no more bytes.
  private static var maximumStandstills: Int { 4 }
  /// Bytes without a packet that are an error, in live sound or in anything else of unknown length, because it might
  /// never end. Tags and pictures are shorter.
  private static var maximumLiveBytes: Int { 2 << 20 }
  private static var maximumEndlessBytes: Int { 64 << 20 }

  /// A driver at the start of a source from which nothing was read.
  ///
  /// - Parameters:
  ///   - source: the source of the bytes.
  ///   - pictureByteLimit: `AudioFileStreamOptions.pictureByteLimit`.
  ///   - sliceBytes: the most bytes for one call of the parser; the results do not depend on it.
  ///   - listener: receives the parser's results.
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

  /// Reads and parses one buffer of bytes, waiting at most the time limit for the first of them.
  ///
  /// - Throws: the error of the source or the parser. The listener has received everything parsed before, and the
  ///   driver has ended.
  public func step(timeoutNanoseconds: UInt64) throws(PlayerError) -> StreamDriverStep {
    if hasEnded { return .ended }
    let start = monotonicNanoseconds()
    let read: ByteSourceRead
    do throws(ByteSourceError) {
      read = try readWanted(timeoutNanoseconds: timeoutNanoseconds)
    } catch {
      // The listener still receives what came before the failure.
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

  /// Moves the parser to a packet, also after the end; the next step reads from there.
  ///
  /// - Throws: `more` before the parser has reached the audio, `pck?` for a packet that does not exist, or the error
  ///   that made the stream unplayable.
  public func seek(
    toPacket packet: Int64
  ) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    let target = try stream.seek(toPacket: packet)
    hasEnded = false
    standstills = 0
    return target
  }

  /// The byte ranges that the spool returns without another request, in the parser's byte offsets.
  var spooledByteRanges: [Range<UInt64>] {
    let lost = UInt64(lostBytes)
    return source.spooledByteRanges.compactMap { range in
      guard range.upperBound > lost else { return nil }
      return max(range.lowerBound, lost) - lost..<range.upperBound - lost
    }
  }

  /// Moves a spooled source that cannot be repositioned otherwise back to a byte offset of the parser. The caller must
  /// also move the parser there.
  func turnBack(toByte byteOffset: Int64) throws(ByteSourceError) {
    try source.reposition(to: UInt64(max(0, byteOffset)) &+ UInt64(lostBytes))
  }

  /// Reads the next bytes; repositions the source first if the parser's next byte offset requires it.
  private func readWanted(timeoutNanoseconds: UInt64) throws(ByteSourceError) -> ByteSourceRead {
    // Before the first read, only a file is known to be repositionable, and for a file that costs nothing. A server may
    // answer that read with its first byte still to come.
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
      // A parser that skips may be past the last byte.
      if endOffset == nil { stream.tell(totalByteCount: sourceOffset) }
      endOffset = sourceOffset
    case .wait, .discontinuity: break
    }
    return read
  }

  /// Creates the parser once the server's capabilities are known.
  private func begin() {
    makeStream()
    guard let byteCount = source.information.byteCount, let total = Int64(exactly: byteCount)
    else { return }
    endOffset = total
    stream.tell(totalByteCount: total)
  }

  /// Creates the parser and passes it the file's end. The file's length may change meanwhile, so the parser gets one
  /// that fits the bytes of that end.
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

  /// Parses the bytes read last, as far as the parser requests them.
  private func parse(_ bytes: Span<UInt8>) throws(AudioFileStreamError) {
    let count = bytes.count
    let firstOffset = sourceOffset - Int64(count)
    var start = 0
    watch.hasSeenPackets = false
    while start < count {
      if options.canReposition {
        let wanted = stream.nextByteOffset - firstOffset
        // Outside these bytes: the next step repositions, or reads up to there.
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

  /// Passes the station's metadata to the listener.
  private func announce(_ metadata: [StreamMetadata]) {
    for var metadata in metadata {
      metadata.byteOffset -= min(metadata.byteOffset, UInt64(lostBytes))
      listener.streamDriver(found: metadata)
    }
  }

  /// Begins another stream after an interruption of live sound. The bytes of an incomplete head are discarded.
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

  /// Identifies the first bytes after an interruption, and parses them once their format is known.
  ///
  /// - Parameter isEnd: no bytes follow, so an undecided format counts as the former parser's.
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

  /// Ends the parser's input; the parser may still go back to bytes that it skipped.
  private func finish() throws(AudioFileStreamError) -> StreamDriverStep {
    try identify(isEnd: true)
    try stream.finish(listener: &watch)
    // A parser that asks for the end each time would loop forever.
    standstills += 1
    hasEnded = stream.isFinished || standstills > Self.maximumStandstills
    return hasEnded ? .ended : .progressed
  }
}
