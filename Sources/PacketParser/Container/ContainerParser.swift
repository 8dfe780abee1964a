// SPDX-License-Identifier: MIT

import AudioModel

/// What a container parser wants next. A parser does no more than look at bytes and answer; moving
/// through the stream, and telling the listener, is `AudioFileStream`'s part.
enum ParserStep {
  /// Look again when this many bytes are there, counted from the present position, or the input
  /// has ended. More than were shown. They are held in memory: a parser bounds what it demands.
  case need(Int)
  /// Go on this many bytes, which may be more than were shown.
  case skip(Int64)
  /// Read on at this offset of the stream, which may lie before the present one. Only answered when
  /// the parser was made with `canReposition`.
  case goTo(Int64)
  /// All that can be known before the first packet is in the facts: tell the listener, in the
  /// documented order. Once.
  case ready
  /// Tell the listener, if the property has a value.
  case found(AudioFileStreamPropertyID)
  /// Report a missing stretch to the listener.
  case skipped(AudioFileStreamGap)
  /// Deliver these packets. Those in place are at the start of the bytes shown, and the parser goes
  /// on behind them.
  case packets(PacketRun)
  /// The stream turned out to be of this type, or bare frames of this kind follow those of another one: let
  /// that parser go on from here.
  case detected(Container)
  /// The input has ended and nothing is left to tell.
  case finished
}

/// Packets to deliver, described by the parser's `descriptions`.
struct PacketRun {
  /// Where their bytes are.
  enum Place {
    /// The first bytes shown, as many as this. Gaps between packets are allowed.
    case shown(byteCount: Int)
    /// The parser's `assembled` bytes, all of them. They came from here on in the stream.
    case assembled(byteOffset: Int64)
  }

  /// The first packet's number.
  var first: Int64
  /// How many there are, at least one.
  var count: Int
  var place: Place
  /// Frames from the start of the stream to the first packet, priming frames included, where the
  /// container tells; nil where it follows from the packet's number or is not known.
  var firstFrame: Int64?
  /// The frames that are sound, where the container tells for each stretch of the stream.
  var soundFrames: Range<Int64>?
  /// Frames of sound in the stretches before that one.
  var pastSoundFrames: Int64 = 0

  /// The first `byteCount` bytes shown.
  static func shown(first: Int64, count: Int, byteCount: Int, firstFrame: Int64? = nil) -> Self {
    PacketRun(
      first: first, count: count, place: .shown(byteCount: byteCount), firstFrame: firstFrame)
  }
}

/// One kind of stream: bytes in, steps out.
///
/// Slicing must not show: an answer may depend on the parser's state, on the bytes it demanded, and
/// on whether the input has ended, never on how many more bytes happen to be there (only how many
/// packets one run has may).
protocol ContainerParser {
  /// What is known of the stream.
  var facts: StreamFacts { get }

  /// What only some clients ask for.
  var details: StreamDetails { get }

  /// One for each packet of the last run, with offsets from the run's first byte; none when all
  /// packets have the size that the data format states.
  var descriptions: [AudioStreamPacketDescription] { get }

  /// The bytes of the last run, if it was assembled.
  var assembled: [UInt8] { get }

  /// Looks at the bytes at stream offset `offset`.
  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep

  /// Where to read on in order to get this packet. Only called once packets can be produced, for a
  /// packet that is not past the end.
  func seekTarget(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget

  /// The packet that holds this byte, counted from the data offset; nil when nothing tells. Only
  /// called once packets can be produced.
  func packet(atByte byteOffset: Int64) -> AudioBytePacketTranslation?

  /// The packet that holds this frame, when packets differ in duration; nil when nothing tells.
  func packet(atFrame frame: Int64) -> AudioFramePacketTranslation?

  /// The frame that this packet begins with, when packets differ in duration; nil when nothing tells.
  func firstFrame(ofPacket packet: Int64) -> Int64?

  /// Returns how many frames of sound the stream states beyond its end; 0 if that is not known. Only called at
  /// the end.
  ///
  /// - Parameters:
  ///   - end: bytes from the start of the stream to its end.
  ///   - isUnbroken: the stream was parsed from its first byte without a seek. After a seek, the parser
  ///     derives the frames from the last packet's number or byte offset.
  func missingFrameCount(at end: Int64, isUnbroken: Bool) -> Int64

  /// The next bytes are those at `target`; the next packet has the number `target.firstPacket`.
  mutating func reposition(to target: AudioFileStreamSeekTarget)

  /// The next bytes do not continue the last ones, and nobody knows where they are from.
  mutating func loseContinuity(at offset: Int64) throws(AudioFileStreamError)
}

extension ContainerParser {
  var assembled: [UInt8] { [] }

  func packet(atByte byteOffset: Int64) -> AudioBytePacketTranslation? {
    let bytesPerPacket = Int64(facts.dataFormat?.bytesPerPacket ?? 0)
    if bytesPerPacket > 0 {
      return AudioBytePacketTranslation(
        byte: byteOffset, packet: byteOffset / bytesPerPacket,
        byteOffsetInPacket: byteOffset % bytesPerPacket, isEstimated: false)
    }
    guard let average = facts.averageBytesPerPacket, average > 0 else { return nil }
    return AudioBytePacketTranslation(
      byte: byteOffset, packet: Int64(Double(byteOffset) / average), byteOffsetInPacket: 0,
      isEstimated: true)
  }

  func packet(atFrame frame: Int64) -> AudioFramePacketTranslation? { nil }

  func firstFrame(ofPacket packet: Int64) -> Int64? { nil }

  /// By default only a seek leads elsewhere.
  mutating func loseContinuity(at offset: Int64) throws(AudioFileStreamError) {
    throw AudioFileStreamError(
      .discontinuityCantRecover, at: offset,
      "this type of file can only go on at a place that was sought: seek first")
  }
}
