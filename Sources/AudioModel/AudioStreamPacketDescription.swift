// SPDX-License-Identifier: MIT

/// The position of one packet in a buffer of packets. Core Audio's type of the same name
/// (CoreAudioBaseTypes.h).
public struct AudioStreamPacketDescription: Hashable, Sendable {
  /// Bytes from the start of the buffer to the packet.
  public var startOffset: Int64
  /// Frames in this packet if the format's `framesPerPacket` is 0; otherwise 0.
  public var variableFramesInPacket: UInt32
  /// Bytes in this packet.
  public var dataByteSize: UInt32

  /// Creates a description with these fields.
  public init(startOffset: Int64, variableFramesInPacket: UInt32, dataByteSize: UInt32) {
    self.startOffset = startOffset
    self.variableFramesInPacket = variableFramesInPacket
    self.dataByteSize = dataByteSize
  }
}
