// SPDX-License-Identifier: MIT

import AudioModel

/// Where to read on in order to get a packet. What `AudioFileStreamSeek` answers.
public struct AudioFileStreamSeekTarget: Hashable, Sendable {
  /// The packet that was asked for: the next one to be delivered, whose number it gets.
  public var packet: Int64
  /// Bytes from `dataOffset` to read on from.
  public var byteOffset: Int64
  /// The packet is only somewhere near. Core Audio's `kAudioFileStreamSeekFlag_OffsetIsEstimated`.
  public var isEstimated: Bool
  /// Packets between that byte and the one asked for, which the parser passes without delivering
  /// them: a place is not remembered for every packet.
  public var leadingPacketCount: Int64
  /// How many packets the one found may be away from the one asked for, at most, if the stream's own
  /// statements are true; 0 when exact, nil when nothing bounds it.
  public var errorBoundInPackets: Int64?

  /// A target with these parts.
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
  /// Packet numbers from here on are refused: they would overflow a byte offset.
  private static let packetEnd: Int64 = 1 << 40

  /// Finds a packet's place, and expects the next slice to come from there. Core Audio's
  /// `AudioFileStreamSeek`.
  ///
  /// Exact for linear PCM, and for a constant bit rate as far as the padding seen so far settles it;
  /// otherwise estimated by the Xing or VBRI table, or by the mean size of a packet. Parsing
  /// resumes at the first whole frame from there on, also after `finish`.
  ///
  /// - Parameter packet: the packet's number; 0 is the stream's first.
  /// - Throws: `more` before the parser has reached the audio, `pck?` for a packet that does not
  ///   exist, or what made the stream unplayable.
  public mutating func seek(
    toPacket packet: Int64
  ) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    let target = try seekTarget(packet: packet)
    expect(target)
    return target
  }

  /// What `seek(toPacket:)` would answer; nothing is changed.
  public func seekTarget(
    packet: Int64
  ) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    try checkSeekable(packet: packet)
    return try place(packet: packet)
  }

  /// Throws unless packets can be produced and this is one of them.
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
