// SPDX-License-Identifier: MIT

/// A stream's valid frames and those that the encoder added. Core Audio's `AudioFilePacketTableInfo`
/// (AudioFile.h), with the values as the file states them: the decoder's own delay is not included.
public struct AudioFilePacketTableInfo: Hashable, Sendable {
  /// Frames of sound.
  public var numberValidFrames: Int64
  /// Frames before the sound: the encoder's delay.
  public var primingFrames: Int32
  /// Frames after the sound, up to the end of the last packet.
  public var remainderFrames: Int32

  /// Creates a table with these fields.
  public init(numberValidFrames: Int64, primingFrames: Int32, remainderFrames: Int32) {
    self.numberValidFrames = numberValidFrames
    self.primingFrames = primingFrames
    self.remainderFrames = remainderFrames
  }
}
