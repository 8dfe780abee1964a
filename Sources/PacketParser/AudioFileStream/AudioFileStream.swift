// SPDX-License-Identifier: MIT

public import AudioModel

/// Takes a stream's bytes in slices of any size and gives its format, its properties and its
/// packets: Core Audio's AudioFileStream.
///
/// ```swift
/// var stream = AudioFileStream()
/// while let bytes = try source.read() {
///   try stream.parse(bytes.span, listener: &listener)
/// }
/// try stream.finish(listener: &listener)
/// ```
/// Understood are MPEG audio (layers I, II and III), ADTS, WAVE with its 64-bit kin, AIFF and AIFF-C,
/// NeXT/Sun sound, Core Audio Format, MPEG-4 and QuickTime, FLAC and Ogg, with their tags. What
/// a listener is told does not depend on the slicing. Packets that lie within a slice are delivered
/// where they are; only what a slice's end cuts is copied. Memory is bounded by the stream's own
/// tables of packets and a few packets, whatever else the stream holds. Real-time: never on the render thread.
public struct AudioFileStream: ~Copyable {
  let options: AudioFileStreamOptions
  var parser: SelectedParser
  var carry = CarryBuffer()
  /// Bytes that the parser demanded, counted from the present position.
  var needed = 0
  /// Bytes to pass before the parser looks again.
  var toSkip: Int64 = 0
  /// Where the parser's next byte lies in the stream.
  var position: Int64 = 0
  /// The parser went elsewhere: what is left of the slice is not what it reads next.
  var hasGone = false
  /// Packets before this one are passed over.
  var firstWantedPacket: Int64?
  private var pendingSeek: AudioFileStreamSeekTarget?
  private var failure: AudioFileStreamError?
  private var hasEnded = false
  /// The stream was parsed from its first byte without a jump that was asked for.
  private var isUnbroken = true
  /// A discontinuity was reported, so the frames between it and the start cannot be counted.
  private var hasLostContinuity = false
  /// Frames of sound in the gaps reported so far, where the last gap ends, and the last one that is a loss.
  var reportedFrames: Int64 = 0
  var lastGapEnd: Int64?
  var lastLoss: AudioFileStreamGap?
  /// Everything that can be known before the first packet was told. `'redy'`
  var hasToldReady = false

  private(set) var totalByteCount: Int64?
  private(set) var trailingTagByteCount: Int64 = 0

  /// The most bytes of a stream's end that are looked at.
  public static let maximumTailBytes = 128 << 10

  /// A parser at the beginning of a stream.
  ///
  /// - Parameters:
  ///   - hint: what the name or the server says the stream is. Only a hint: the bytes decide.
  ///   - options: what the parser may count on.
  public init(
    hint: AudioFileTypeID? = nil, options: AudioFileStreamOptions = AudioFileStreamOptions()
  ) {
    self.options = options
    parser = SelectedParser(hint: hint, options: options)
  }

  /// Ends the parser's life: Core Audio's `AudioFileStreamClose`. The end of the value's scope does
  /// the same.
  public consuming func close() {}

  /// States how long the stream is, if its source knows, which makes a byte count, and with it a
  /// duration, known where the stream itself does not say. To be called before the first slice.
  ///
  /// - Parameters:
  ///   - totalByteCount: bytes of the whole stream, tags included.
  ///   - tail: the stream's last bytes, as many as the source cares to read: with
  ///     ``maximumTailBytes`` the tags at the end are read, and not counted as audio, and an Ogg
  ///     stream's duration is known. More are not looked at.
  public mutating func tell(totalByteCount: Int64, tail: Span<UInt8>) {
    tell(totalByteCount: totalByteCount)
    trailingTagByteCount = min(totalByteCount, TrailingTags.byteCount(tail: tail))
    let first = max(0, tail.count - Self.maximumTailBytes)
    parser.context.tail.removeAll()
    parser.context.tail.reserveCapacity(tail.count - first)
    for index in first..<tail.count {
      parser.context.tail.append(tail[index])
    }
  }

  /// States how long the stream is when its last bytes are not at hand. A caller that repositions and learns the
  /// length only at the end calls this before ``finish(listener:)``.
  ///
  /// - Parameter totalByteCount: bytes of the whole stream, tags included.
  public mutating func tell(totalByteCount: Int64) {
    trailingTagByteCount = 0
    // A server may claim anything; no stream is longer, and sums of places do not overflow.
    self.totalByteCount = min(max(0, totalByteCount), 1 << 58)
    parser.context.totalByteCount = self.totalByteCount
  }

  /// Where the next slice has to begin, counted from the start of the stream. Without
  /// ``AudioFileStreamOptions/canReposition`` this is where the last one ended, but after a seek; with
  /// it the caller has to look before each slice.
  public var nextByteOffset: Int64 {
    if let target = pendingSeek { return (facts.dataOffset ?? 0) + target.byteOffset }
    return position + Int64(carry.count) + (options.canReposition ? toSkip : 0)
  }

  /// Whether the end was told and nothing is left to read. After `finish` this is false only when the
  /// parser found what it needs at the end and goes back to ``nextByteOffset``.
  public var isFinished: Bool { hasEnded }

  /// Parses the stream's next bytes. Core Audio's `AudioFileStreamParseBytes`.
  ///
  /// - Parameters:
  ///   - bytes: the next slice, of any size.
  ///   - discontinuity: the slice does not continue the last one. Before the first packet this is
  ///     ignored; after `seek(toPacket:)` the slice is taken to begin where the seek said.
  ///   - listener: is told what is found, during the call.
  /// - Throws: what makes the stream unplayable. Every later call throws the same again.
  public mutating func parse<L: AudioFileStreamListener>(
    _ bytes: Span<UInt8>, discontinuity: Bool = false, listener: inout L
  ) throws(AudioFileStreamError) {
    if let failure { throw failure }
    if applySeek() {
      // The slice begins where the seek said.
    } else if hasEnded {
      throw AudioFileStreamError(
        .illegalOperation, at: position, "the stream has ended: seek before parsing more")
    } else if discontinuity, facts.packetsSeen > 0 {
      isUnbroken = false
      hasLostContinuity = true
      try loseContinuity()
    }
    do throws(AudioFileStreamError) {
      try run(bytes, isEnd: false, listener: &listener)
    } catch {
      failure = error
      throw error
    }
  }

  /// Ends the stream, and delivers what waited for more bytes: Core Audio's call of
  /// `AudioFileStreamParseBytes` without bytes. A packet that the end has cut is left out. If the
  /// stream states more audio than it holds, the listener gets a last gap: the frames that are missing at
  /// the end. After a seek that led to an estimated place they are not known.
  ///
  /// - Throws: `typ?` if the stream ended before its type was known, `dta?` if it ended before its audio
  ///   began or holds no packet.
  public mutating func finish<L: AudioFileStreamListener>(
    listener: inout L
  ) throws(AudioFileStreamError) {
    if let failure { throw failure }
    applySeek()
    if hasEnded { return }
    do throws(AudioFileStreamError) {
      try run(Span(), isEnd: true, listener: &listener)
      hasEnded = !hasGone
      if hasEnded { try settle(&listener) }
    } catch {
      failure = error
      throw error
    }
  }

  /// Compares what came with what the stream states.
  private func settle<L: AudioFileStreamListener>(
    _ listener: inout L
  ) throws(AudioFileStreamError) {
    let end = min(position, totalByteCount ?? position)
    guard facts.bytesSeen > 0 || !isUnbroken else { throw noPacket(at: end) }
    if hasLostContinuity { return }
    var missing = parser.missingFrameCount(at: end, isUnbroken: isUnbroken)
    if isUnbroken {
      missing -= reportedFrames
    } else if let lastLoss, lastLoss.byteOffset + lastLoss.byteCount >= end {
      // A packet that the end has cut.
      missing -= lastLoss.frameCount ?? 0
    }
    guard missing > 0 else { return }
    // A gap with bytes behind it was damage that nothing measured.
    let isCut = lastGapEnd ?? end >= end
    listener.audioFileStream(
      self,
      skipped: AudioFileStreamGap(
        isCut ? .cut : .damage, byteOffset: end, byteCount: 0, frameCount: missing))
  }

  private func noPacket(at end: Int64) -> AudioFileStreamError {
    let stated = max(facts.statedPacketCount ?? 0, facts.statedFrameCount ?? 0)
    return AudioFileStreamError(
      .invalidFile, at: end,
      stated > 0
        ? "no playable packet: the file states its audio but ends before it, as after a transfer or "
          + "recording that was not finished; get the whole file again"
        : "no playable packet: behind its header the file holds no audio, as after a transfer or "
          + "recording that was stopped at once; get or record the file again")
  }

  /// Expects the next slice to come from there.
  mutating func expect(_ target: AudioFileStreamSeekTarget) {
    pendingSeek = target
  }

  /// Goes where the last seek said; false if there was none.
  @discardableResult
  private mutating func applySeek() -> Bool {
    guard let target = pendingSeek else { return false }
    pendingSeek = nil
    isUnbroken = false
    position = (facts.dataOffset ?? 0) + target.byteOffset
    dropCarried()
    hasEnded = false
    firstWantedPacket = target.leadingPacketCount > 0 ? target.packet : nil
    parser.reposition(to: target)
    return true
  }

  /// The carried bytes were part of the stream, and count, although they are dropped.
  private mutating func loseContinuity() throws(AudioFileStreamError) {
    position += Int64(carry.count)
    dropCarried()
    try parser.loseContinuity(at: position)
  }

  mutating func dropCarried() {
    carry.removeAll()
    needed = 0
    toSkip = 0
  }
}

extension AudioFileStream {
  /// Throws what made the stream unplayable, if anything did.
  func throwFailure() throws(AudioFileStreamError) {
    if let failure { throw failure }
  }

  /// What is known of the stream.
  var facts: StreamFacts { parser.facts }

  /// A packet's place, by the parser of this type of stream.
  func place(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    try parser.seekTarget(packet: packet)
  }
}
