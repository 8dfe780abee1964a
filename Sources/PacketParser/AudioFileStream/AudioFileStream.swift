// SPDX-License-Identifier: MIT

public import AudioModel

/// Parses a stream in slices of any size into its format, its properties and its packets: Core Audio's
/// AudioFileStream.
///
/// ```swift
/// var stream = AudioFileStream()
/// while let bytes = try source.read() {
///   try stream.parse(bytes.span, listener: &listener)
/// }
/// try stream.finish(listener: &listener)
/// ```
/// Supported are MPEG audio (layers I, II and III), ADTS, WAVE with its 64-bit variants, AIFF and
/// AIFF-C, NeXT/Sun sound, Core Audio Format, MPEG-4 and QuickTime, FLAC and Ogg, with their tags.
/// Reports to the listener do not depend on the slicing. Packets within a slice are delivered without a
/// copy; only packets that span slices are copied. Memory is bounded by the stream's own packet tables
/// and a few packets. Real-time: never on the render thread.
public struct AudioFileStream: ~Copyable {
  let options: AudioFileStreamOptions
  var parser: SelectedParser
  var carry = CarryBuffer()
  /// Bytes that the parser requested, counted from the present position.
  var needed = 0
  /// Bytes to skip before the parser's next step.
  var toSkip: Int64 = 0
  /// The stream offset of the parser's next byte.
  var position: Int64 = 0
  /// Whether the parser went to another offset: the rest of the slice is not its next input.
  var hasGone = false
  /// Packets before this one are skipped.
  var firstWantedPacket: Int64?
  private var pendingSeek: AudioFileStreamSeekTarget?
  private var failure: AudioFileStreamError?
  private var hasEnded = false
  /// Whether the stream was parsed from its first byte without a requested jump.
  private var isUnbroken = true
  /// Whether a discontinuity was reported: the frames before it cannot be counted.
  private var hasLostContinuity = false
  /// Frames of sound in the gaps reported so far, the last gap's end, and the last gap that is a loss.
  var reportedFrames: Int64 = 0
  var lastGapEnd: Int64?
  var lastLoss: AudioFileStreamGap?
  /// Whether all properties known before the first packet were reported. `'redy'`
  var hasToldReady = false

  private(set) var totalByteCount: Int64?
  private(set) var trailingTagByteCount: Int64 = 0

  /// The most bytes of a stream's end that are examined.
  public static let maximumTailBytes = 128 << 10

  /// Creates a parser at the beginning of a stream.
  ///
  /// - Parameters:
  ///   - hint: the stream's type by its name or the server's statement. Only a hint: the bytes decide.
  ///   - options: the caller's abilities and wishes.
  public init(
    hint: AudioFileTypeID? = nil, options: AudioFileStreamOptions = AudioFileStreamOptions()
  ) {
    self.options = options
    parser = SelectedParser(hint: hint, options: options)
  }

  /// Closes the parser: Core Audio's `AudioFileStreamClose`. Leaving the value's scope does the same.
  public consuming func close() {}

  /// States the stream's length, if its source knows it. This makes a byte count and a duration known
  /// for streams that do not state them. Call it before the first slice.
  ///
  /// - Parameters:
  ///   - totalByteCount: bytes of the whole stream, tags included.
  ///   - tail: the stream's last bytes, up to ``maximumTailBytes``; further ones are ignored. From
  ///     these the parser reads the tags at the end, excludes them from the audio, and gets an Ogg
  ///     stream's duration.
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

  /// States the stream's length without its last bytes. A caller that repositions and learns the length
  /// only at the end calls this before ``finish(listener:)``.
  ///
  /// - Parameter totalByteCount: bytes of the whole stream, tags included.
  public mutating func tell(totalByteCount: Int64) {
    trailingTagByteCount = 0
    // A server may claim any length; the bound keeps sums of byte offsets from overflowing.
    self.totalByteCount = min(max(0, totalByteCount), 1 << 58)
    parser.context.totalByteCount = self.totalByteCount
  }

  /// The byte offset in the stream at which the next slice must begin. Without
  /// ``AudioFileStreamOptions/canReposition`` it is the end of the last slice, except after a seek;
  /// with it the caller must check the offset before each slice.
  public var nextByteOffset: Int64 {
    if let target = pendingSeek { return (facts.dataOffset ?? 0) + target.byteOffset }
    return position + Int64(carry.count) + (options.canReposition ? toSkip : 0)
  }

  /// Whether the stream was finished and nothing is left to read. After `finish` this is false only if
  /// the parser found data that it needed at the end and returns to ``nextByteOffset``.
  public var isFinished: Bool { hasEnded }

  /// Parses the stream's next bytes. Core Audio's `AudioFileStreamParseBytes`.
  ///
  /// - Parameters:
  ///   - bytes: the next slice, of any size.
  ///   - discontinuity: whether the slice does not continue the last one. Ignored before the first
  ///     packet; after `seek(toPacket:)` the slice must begin at the seek's byte offset.
  ///   - listener: receives all reports, during the call.
  /// - Throws: the error that makes the stream unplayable. Every later call throws it again.
  public mutating func parse<L: AudioFileStreamListener>(
    _ bytes: Span<UInt8>, discontinuity: Bool = false, listener: inout L
  ) throws(AudioFileStreamError) {
    if let failure { throw failure }
    if applySeek() {
      // The slice begins at the seek's byte offset.
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

  /// Ends the stream and delivers the packets that waited for more bytes: Core Audio's call of
  /// `AudioFileStreamParseBytes` without bytes. An incomplete last packet is left out. If the stream
  /// states more audio than it holds, the listener gets a last gap with the frames missing at the end.
  /// After a seek to an estimated offset they are unknown.
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

  /// Compares the delivered frames with the stream's statements and reports missing ones.
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
      // The lost packet was already reported.
      missing -= lastLoss.frameCount ?? 0
    }
    guard missing > 0 else { return }
    // If bytes follow the last gap, that gap was damage of unknown length.
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

  /// Sets the target at which the next slice begins.
  mutating func expect(_ target: AudioFileStreamSeekTarget) {
    pendingSeek = target
  }

  /// Moves to the target of the last seek; returns false if there was none.
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

  /// Drops the carried bytes, which still count as part of the stream.
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
  /// Throws the error that made the stream unplayable, if there was one.
  func throwFailure() throws(AudioFileStreamError) {
    if let failure { throw failure }
  }

  /// The facts known of the stream.
  var facts: StreamFacts { parser.facts }

  /// A packet's byte offset, found by the parser of this type of stream.
  func place(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    try parser.seekTarget(packet: packet)
  }
}
