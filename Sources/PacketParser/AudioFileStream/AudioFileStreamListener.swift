// SPDX-License-Identifier: MIT

public import AudioModel

/// Receives a parser's reports: Core Audio's `AudioFileStream_PropertyListenerProc` and
/// `AudioFileStream_PacketsProc` (AudioFileStream.h).
///
/// All calls are made on the parsing thread, inside `parse` or `finish`, in stream order. Slicing does
/// not change the calls, except for the grouping of packets. A listener may call the parser back only
/// to read its properties. Real-time: never on the render thread.
public protocol AudioFileStreamListener {
  /// Reports that a property has a value, or a new one.
  ///
  /// `'ffmt'` comes first, then `'dfmt'`, the other known properties, and `'redy'` last, before the
  /// first packet. `'dfmt'` comes again when the format changes: the packets that follow have the new
  /// one. It also comes again with the same format where a chained Ogg stream begins another link or a
  /// seek leads into one: the decoder must then start afresh.
  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID)

  /// Delivers whole packets, at least one.
  ///
  /// - Parameters:
  ///   - stream: the parser, for its properties.
  ///   - packets: the packets' numbers and their position in the stream.
  ///   - bytes: the packets, in order; unused bytes may lie between them. Valid during the call only.
  ///   - descriptions: one for each packet, with offsets from the start of `bytes`; empty if all
  ///     packets have the size that the data format states and lie side by side. Valid during the call
  ///     only.
  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>)

  /// Reports a stretch that is missing from the packets: foreign bytes, a damaged packet, or a packet
  /// cut by the end of the input. The default implementation does nothing.
  ///
  /// - Parameters:
  ///   - stream: the parser, for its properties.
  ///   - gap: the stretch's byte offset, its cause, and the frames of sound lost with it.
  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, skipped gap: AudioFileStreamGap)
}

extension AudioFileStreamListener {
  /// Does nothing.
  public mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, skipped gap: AudioFileStreamGap
  ) {}
}

/// The packets that one call delivers.
public struct AudioFileStreamPackets: Hashable, Sendable {
  /// The first packet's number; 0 is the stream's first. After a seek to an estimated byte offset it is
  /// an estimate, unless the packets themselves carry their numbers.
  public var firstPacketIndex: Int64
  /// The number of packets, at least one.
  public var packetCount: Int
  /// The byte offset in the stream of the first packet. Where the container splits packets (Ogg) the
  /// packets are joined, and this is the offset of the first one's page. Silence that replaces lost
  /// FLAC frames has the offset of the lost bytes.
  public var byteOffset: Int64
  /// Frames from the start of the stream to the first packet, priming frames included, if the container
  /// states them; nil if they follow from the packet's number.
  public var firstFrame: Int64?
  /// The valid frames, counted like `firstFrame`, as far as the container has stated them: priming
  /// precedes, padding follows. Only set if each stretch of the stream has edges of its own (Ogg, whose
  /// streams are chained) or the end is not known beforehand (fragmented MPEG-4); otherwise, and for
  /// the whole stream, use the packet table.
  public var soundFrames: Range<Int64>?
  /// Valid frames in the stretches before that one, without their padding.
  public var pastSoundFrames: Int64

  /// Creates a run of packets.
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
