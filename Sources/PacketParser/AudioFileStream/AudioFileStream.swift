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
/// Understood are MPEG audio (layers I, II and III, with their tags) and WAVE with linear PCM. What
/// a listener is told does not depend on the slicing. Packets that lie within a slice are delivered
/// where they are; only what a slice's end cuts is copied, so memory is bounded by a few frames,
/// whatever the stream holds. Real-time: never on the render thread.
public struct AudioFileStream: ~Copyable {
  private var parser: SelectedParser
  private var carry = CarryBuffer()
  /// Bytes that the parser demanded, counted from the present position.
  private var needed = 0
  /// Bytes to pass before the parser looks again.
  private var toSkip: Int64 = 0
  /// Where the parser's next byte lies in the stream.
  private(set) var position: Int64 = 0
  private var pendingSeek: AudioFileStreamSeekTarget?
  private var failure: AudioFileStreamError?
  private var hasEnded = false

  private(set) var totalByteCount: Int64?
  private(set) var trailingTagByteCount: Int64 = 0

  /// A parser at the beginning of a stream.
  ///
  /// - Parameter hint: what the name or the server says the stream is. Only a hint: the bytes
  ///   decide.
  public init(hint: AudioFileTypeID? = nil) {
    parser = SelectedParser(hint: hint)
  }

  /// States how long the stream is, if its source knows, which makes a byte count, and with it a
  /// duration, known where the stream itself does not say. To be called before the first slice.
  ///
  /// - Parameters:
  ///   - totalByteCount: bytes of the whole stream, tags included.
  ///   - tail: the stream's last bytes, as many as the source cares to read (some kilobytes do), so
  ///     that ID3v1, APE and Lyrics3 tags at the end are not counted as audio.
  public mutating func tell(totalByteCount: Int64, tail: Span<UInt8>) {
    trailingTagByteCount = min(totalByteCount, TrailingTags.byteCount(tail: tail))
    self.totalByteCount = totalByteCount
  }

  /// States how long the stream is when its last bytes are not at hand.
  ///
  /// - Parameter totalByteCount: bytes of the whole stream, tags included.
  public mutating func tell(totalByteCount: Int64) {
    trailingTagByteCount = 0
    self.totalByteCount = totalByteCount
  }

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
    if let target = pendingSeek {
      pendingSeek = nil
      reposition(to: target)
    } else if hasEnded {
      throw AudioFileStreamError(
        .illegalOperation, at: position, "the stream has ended: seek before parsing more")
    } else if discontinuity, parser.hasProduced {
      try loseContinuity()
    }
    do throws(AudioFileStreamError) {
      try run(bytes, isEnd: false, listener: &listener)
    } catch {
      failure = error
      throw error
    }
  }

  /// Says that the stream has ended, and delivers what waited for more bytes: Core Audio's call of
  /// `AudioFileStreamParseBytes` without bytes. A packet that the end has cut is left out.
  ///
  /// - Throws: `typ?` if the stream ended before it was known what it is, `dta?` if it ended before
  ///   its audio began.
  public mutating func finish<L: AudioFileStreamListener>(
    listener: inout L
  ) throws(AudioFileStreamError) {
    if let failure { throw failure }
    if hasEnded { return }
    do throws(AudioFileStreamError) {
      try run(Span(), isEnd: true, listener: &listener)
    } catch {
      failure = error
      throw error
    }
    hasEnded = true
  }

  /// Expects the next slice to come from there.
  mutating func expect(_ target: AudioFileStreamSeekTarget) {
    pendingSeek = target
  }

  private mutating func reposition(to target: AudioFileStreamSeekTarget) {
    position = (facts.dataOffset ?? 0) + target.byteOffset
    dropCarried()
    hasEnded = false
    parser.reposition(to: target)
  }

  /// The carried bytes were part of the stream, and count, although they are dropped.
  private mutating func loseContinuity() throws(AudioFileStreamError) {
    position += Int64(carry.count)
    dropCarried()
    try parser.loseContinuity(at: position)
  }

  private mutating func dropCarried() {
    carry.removeAll()
    needed = 0
    toSkip = 0
  }
}

extension AudioFileStream {
  /// Steps through the carried bytes and the slice until more are needed.
  private mutating func run<L: AudioFileStreamListener>(
    _ input: Span<UInt8>, isEnd: Bool, listener: inout L
  ) throws(AudioFileStreamError) {
    // Bytes of the slice that were used or are in the carry buffer, whose last bytes they are.
    var taken = 0
    while true {
      passSkipped(input.count, &taken)
      if toSkip > 0 && !isEnd { return }
      toSkip = 0
      if carry.count <= taken {
        taken -= carry.count
        carry.removeAll()
      }
      let step: ParserStep
      let isCarried = !carry.isEmpty
      if isCarried {
        let missing = min(max(0, needed - carry.count), input.count - taken)
        carry.append(input, taken..<taken + missing)
        taken += missing
        if carry.count < needed && !isEnd { return }
        let held = carry.storage
        step = try parser.step(
          held.span.extracting(carry.start..<held.count), at: position, isEnd: isEnd)
      } else if input.count - taken < needed && !isEnd {
        carry.append(input, taken..<input.count)
        return
      } else {
        step = try parser.step(
          input.extracting(taken..<input.count), at: position, isEnd: isEnd)
      }
      if case .need(let byteCount) = step {
        let shown = isCarried ? carry.count : input.count - taken
        precondition(byteCount > shown && !isEnd, "a parser demanded bytes that it was shown")
        needed = byteCount
        continue
      }
      needed = 0
      switch step {
      case .need, .detected: break
      case .finished: return
      case .skip(let byteCount): toSkip = byteCount
      case .skipped(let byteCount, let offset):
        listener.audioFileStream(self, skipped: byteCount, at: offset)
      case .found(let property):
        if isKnown(property) { listener.audioFileStream(self, found: property) }
      case .packets(let first, let count, let byteCount):
        let packets = AudioFileStreamPackets(
          firstPacketIndex: first, packetCount: count, byteOffset: position)
        if isCarried {
          let bytes = carry.storage.span.extracting(carry.start..<carry.start + byteCount)
          deliver(packets, bytes, &listener)
        } else {
          deliver(packets, input.extracting(taken..<taken + byteCount), &listener)
        }
        toSkip = Int64(byteCount)
      }
    }
  }

  private borrowing func deliver<L: AudioFileStreamListener>(
    _ packets: AudioFileStreamPackets, _ bytes: Span<UInt8>, _ listener: inout L
  ) {
    let descriptions = parser.descriptions
    listener.audioFileStream(
      self, produced: packets, bytes: bytes, descriptions: descriptions.span)
  }

  /// Passes the bytes to skip, as far as there are any.
  private mutating func passSkipped(_ inputCount: Int, _ taken: inout Int) {
    guard toSkip > 0 else { return }
    let carried = Int(min(toSkip, Int64(carry.count)))
    if carried > 0 { carry.removeFirst(carried) }
    let direct = Int(min(toSkip - Int64(carried), Int64(inputCount - taken)))
    taken += direct
    toSkip -= Int64(carried + direct)
    position += Int64(carried + direct)
  }

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
