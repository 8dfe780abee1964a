// SPDX-License-Identifier: MIT

import AudioModel

/// The byte offset at which to resume reading for a packet: the result of `AudioFileStreamSeek`.
public struct AudioFileStreamSeekTarget: Hashable, Sendable {
  /// The requested packet, the next to be delivered and numbered so.
  public var packet: Int64
  /// The byte offset to resume reading at, relative to `dataOffset`.
  public var byteOffset: Int64
  /// Whether the byte offset is an estimate. Core Audio's `kAudioFileStreamSeekFlag_OffsetIsEstimated`.
  public var isEstimated: Bool
  /// Packets between that byte and the requested packet, which the parser skips: the index does not
  /// hold every packet.
  public var leadingPacketCount: Int64
  /// The largest distance in packets between the packet found and the one requested, if the stream's
  /// own statements are true; 0 if exact, nil if unbounded.
  public var errorBoundInPackets: Int64?

  /// Creates a target from its parts.
  public init(
    packet: Int64, byteOffset: Int64, isEstimated: Bool, leadingPacketCount: Int64 = 0,
    errorBoundInPackets: Int64? = nil
  ) {
    self.packet = packet
    self.byteOffset = byteOffset
    self.isEstimated = isEstimated
    self.leadingPacketCount = leadingPacketCount
    self.errorBoundInPackets = isEstimated ? errorBoundInPackets : 0
  }

  /// The number of the packet that the parser finds first.
  var firstPacket: Int64 { packet - leadingPacketCount }
}

extension AudioFileStream {
  /// Seeks to this packet number or above are refused: they would overflow a byte offset.
  private static let packetEnd: Int64 = 1 << 40

  /// Finds a packet's byte offset, and expects the next slice from there. Core Audio's
  /// `AudioFileStreamSeek`.
  ///
  /// Exact for linear PCM, and for a constant bit rate as far as the padding parsed so far determines
  /// the offset; otherwise estimated by the Xing or VBRI table or by the mean packet size. Parsing
  /// resumes at the first whole frame from there on, also after `finish`.
  ///
  /// - Parameter packet: the packet's number; 0 is the stream's first.
  /// - Throws: `more` before the parser has reached the audio, `pck?` for a packet that does not exist,
  ///   or the error that made the stream unplayable.
  public mutating func seek(
    toPacket packet: Int64
  ) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    let target = try seekTarget(packet: packet)
    expect(target)
    return target
  }

  /// Returns the target of `seek(toPacket:)` without seeking.
  public func seekTarget(
    packet: Int64
  ) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    try checkSeekable(packet: packet)
    return try place(packet: packet)
  }

  /// Throws unless packets can be produced and this packet exists.
  func checkSeekable(packet: Int64) throws(AudioFileStreamError) {
    try throwFailure()
    guard hasToldReady else {
      throw AudioFileStreamError(
        .dataUnavailable, at: position, "a seek is possible once the audio is reached")
    }
    guard packet >= 0, packet < min(effectivePacketCount ?? .max, Self.packetEnd) else {
      throw AudioFileStreamError(
        .invalidPacketOffset, at: position, "the stream has no packet \(packet)")
    }
  }
}
