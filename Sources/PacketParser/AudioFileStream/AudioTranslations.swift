// SPDX-License-Identifier: MIT

/// The packet of a frame. Core Audio's type of the same name (AudioFile.h).
public struct AudioFramePacketTranslation: Hashable, Sendable {
  /// Frames from the first frame of the stream, priming frames included.
  public var frame: Int64
  /// The packet's number.
  public var packet: Int64
  /// Frames from the packet's first to this one.
  public var frameOffsetInPacket: Int64

  /// Creates a translation from its parts.
  public init(frame: Int64, packet: Int64, frameOffsetInPacket: Int64) {
    self.frame = frame
    self.packet = packet
    self.frameOffsetInPacket = frameOffsetInPacket
  }
}

/// The packet of a byte. Core Audio's type of the same name (AudioFile.h).
public struct AudioBytePacketTranslation: Hashable, Sendable {
  /// Bytes from ``AudioFileStream/dataOffset``.
  public var byte: Int64
  /// The packet's number.
  public var packet: Int64
  /// Bytes from the packet's first to this one; 0 in an estimate.
  public var byteOffsetInPacket: Int64
  /// Core Audio's `kBytePacketTranslationFlag_IsEstimate`.
  public var isEstimated: Bool

  /// Creates a translation from its parts.
  public init(byte: Int64, packet: Int64, byteOffsetInPacket: Int64, isEstimated: Bool) {
    self.byte = byte
    self.packet = packet
    self.byteOffsetInPacket = byteOffsetInPacket
    self.isEstimated = isEstimated
  }
}
