// SPDX-License-Identifier: MIT

import AudioModel

/// A container parser's next request. A parser only examines bytes and answers; `AudioFileStream` moves
/// through the stream and notifies the listener.
enum ParserStep {
  /// Call again when this many bytes are present, counted from the present position, or at the end of
  /// the input. More than were shown. They are held in memory, so a parser bounds its requests.
  case need(Int)
  /// Advance by this many bytes, which may be more than were shown.
  case skip(Int64)
  /// Continue at this offset of the stream, which may precede the present one. Only returned if the
  /// parser was made with `canReposition`.
  case goTo(Int64)
  /// The facts hold all properties known before the first packet: report them to the listener in the
  /// documented order. Once.
  case ready
  /// Report this property to the listener if it has a value.
  case found(AudioFileStreamPropertyID)
  /// Report a missing stretch to the listener.
  case skipped(AudioFileStreamGap)
  /// Deliver these packets. Packets with the place `shown` are at the start of the bytes shown; the
  /// parser continues after them.
  case packets(PacketRun)
  /// The stream is of this type, or bare frames of this kind follow those of another one: a parser of
  /// this type continues from here.
  case detected(Container)
  /// The input has ended and nothing is left to report.
  case finished
}

/// Packets to deliver, described by the parser's `descriptions`.
struct PacketRun {
  /// The location of the packets' bytes.
  enum Place {
    /// The first `byteCount` bytes shown. Gaps between packets are allowed.
    case shown(byteCount: Int)
    /// All of the parser's `assembled` bytes, which began at this offset of the stream.
    case assembled(byteOffset: Int64)
  }

  /// The first packet's number.
  var first: Int64
  /// The number of packets, at least one.
  var count: Int
  var place: Place
  /// Frames from the start of the stream to the first packet, priming frames included, if the container
  /// states them; nil if they follow from the packet's number or are unknown.
  var firstFrame: Int64?
  /// The valid frames, if the container states them for each stretch of the stream.
  var soundFrames: Range<Int64>?
  /// Valid frames in the stretches before that one.
  var pastSoundFrames: Int64 = 0

  /// Makes a run of the first `byteCount` bytes shown.
  static func shown(first: Int64, count: Int, byteCount: Int, firstFrame: Int64? = nil) -> Self {
    PacketRun(
      first: first, count: count, place: .shown(byteCount: byteCount), firstFrame: firstFrame)
  }
}

/// A parser for one kind of stream: bytes in, steps out.
///
/// Slicing must not change the result: an answer may depend on the parser's state, on the bytes it
/// requested, and on whether the input has ended, but not on the number of further bytes present. Only
/// the number of packets in a run may.
protocol ContainerParser {
  /// The facts known of the stream.
  var facts: StreamFacts { get }

  /// Details that only some clients request.
  var details: StreamDetails { get }

  /// One for each packet of the last run, with offsets from the run's first byte; empty if all packets
  /// have the size that the data format states.
  var descriptions: [AudioStreamPacketDescription] { get }

  /// The bytes of the last run, if it was assembled.
  var assembled: [UInt8] { get }

  /// Examines the bytes at stream offset `offset` and returns the next step.
  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep

  /// Returns the byte offset at which to resume reading for this packet. Only called once packets can
  /// be produced, for a packet that is not past the end.
  func seekTarget(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget

  /// Returns the packet that holds this byte, counted from the data offset; nil if unknown. Only called
  /// once packets can be produced.
  func packet(atByte byteOffset: Int64) -> AudioBytePacketTranslation?

  /// Returns the packet that holds this frame, if packets differ in duration; nil if unknown.
  func packet(atFrame frame: Int64) -> AudioFramePacketTranslation?

  /// Returns the first frame of this packet, if packets differ in duration; nil if unknown.
  func firstFrame(ofPacket packet: Int64) -> Int64?

  /// Returns the frames of sound that the stream states beyond its end; 0 if unknown. Only called at
  /// the end.
  ///
  /// - Parameters:
  ///   - end: bytes from the start of the stream to its end.
  ///   - isUnbroken: whether the stream was parsed from its first byte without a seek. After a seek,
  ///     the parser derives the frames from the last packet's number or byte offset.
  func missingFrameCount(at end: Int64, isUnbroken: Bool) -> Int64

  /// Moves to `target`: the next bytes come from there, and the next packet is number
  /// `target.firstPacket`.
  mutating func reposition(to target: AudioFileStreamSeekTarget)

  /// Handles bytes that do not continue the last ones and whose byte offset is unknown.
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

  /// By default only a seek can resume the stream.
  mutating func loseContinuity(at offset: Int64) throws(AudioFileStreamError) {
    throw AudioFileStreamError(
      .discontinuityCantRecover, at: offset,
      "this type of file resumes only at an offset that a seek returned: seek first")
  }
}
