// SPDX-License-Identifier: MIT

public import AudioModel

/// Is told what a parser finds: Core Audio's `AudioFileStream_PropertyListenerProc` and
/// `AudioFileStream_PacketsProc` (AudioFileStream.h).
///
/// All calls are made on the thread that parses, inside `parse` or `finish`, in stream order, and
/// the same calls are made however the stream was sliced (only the grouping of packets into calls
/// differs). A listener must not call the parser back except to read its properties. Real-time:
/// never on the render thread.
public protocol AudioFileStreamListener {
  /// A property has a value, or a new one.
  ///
  /// `'ffmt'` comes first, then `'dfmt'`, the others that are known, and `'redy'` last, before the
  /// first packet. `'dfmt'` comes again where the stream changes to another format: the packets
  /// that follow have the new one. It comes again with the same format where a chained Ogg stream begins
  /// another link, or a seek leads into another: a decoder has to begin anew.
  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID)

  /// Whole packets, at least one.
  ///
  /// - Parameters:
  ///   - stream: the parser, for its properties.
  ///   - packets: which packets, and where in the stream they lie.
  ///   - bytes: the packets, in order; between them may lie bytes that belong to none. Valid during
  ///     the call only.
  ///   - descriptions: one for each packet, with offsets from the start of `bytes`; empty when all
  ///     packets have the size that the data format states, and lie side by side. Valid during the
  ///     call only.
  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>)

  /// A stretch of the stream is missing from the packets: foreign bytes, a damaged packet, or a packet
  /// that the end of the input cut. The default implementation does nothing.
  ///
  /// - Parameters:
  ///   - stream: the parser, for its properties.
  ///   - gap: where the stretch lies, why it is missing, and the frames of sound lost with it.
  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, skipped gap: AudioFileStreamGap)
}

extension AudioFileStreamListener {
  /// Does nothing.
  public mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, skipped gap: AudioFileStreamGap
  ) {}
}

/// Which packets one call delivers.
public struct AudioFileStreamPackets: Hashable, Sendable {
  /// The first packet's number; 0 is the stream's first. After a seek to an estimated place an
  /// estimate, unless the packets themselves tell.
  public var firstPacketIndex: Int64
  /// How many packets there are, at least one.
  public var packetCount: Int
  /// Bytes from the start of the stream to the first packet. Where the container cuts packets up (Ogg)
  /// the packets are joined, and this is where the first one's page begins. Frames of silence that take the
  /// place of lost FLAC frames lie where the lost bytes are.
  public var byteOffset: Int64
  /// Frames from the start of the stream to the first packet, priming frames included, where the
  /// container itself tells; nil where that follows from the packet's number.
  public var firstFrame: Int64?
  /// Which frames are sound, counted as `firstFrame` is, by what the container has told up to these
  /// packets: what precedes is priming, what follows is padding. Only where each stretch of the
  /// stream has edges of its own (Ogg, whose streams are chained), or the end is not known beforehand
  /// (MPEG-4 in fragments); elsewhere, and for the stream as a whole, the packet table tells.
  public var soundFrames: Range<Int64>?
  /// Frames of sound in the stretches before that one; what is padding there is not among them.
  public var pastSoundFrames: Int64

  /// A run of packets.
  public init(
    firstPacketIndex: Int64, packetCount: Int, byteOffset: Int64, firstFrame: Int64? = nil,
    soundFrames: Range<Int64>? = nil, pastSoundFrames: Int64 = 0
  ) {
    self.firstPacketIndex = firstPacketIndex
    self.packetCount = packetCount
    self.byteOffset = byteOffset
    self.firstFrame = firstFrame
    self.soundFrames = soundFrames
    self.pastSoundFrames = pastSoundFrames
  }
}
