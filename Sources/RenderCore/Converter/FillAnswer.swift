// SPDX-License-Identifier: MIT

/// One packet as the fill callback hands it to the converter: its bytes where they lie, and what to
/// do with its frames. Valid until the callback is called again.
@safe
struct FilledPacket {
  let bytes: UnsafeRawPointer
  let byteCount: Int
  let frameCount: Int
  let trimStartFrames: Int
  let trimEndFrames: Int
  /// The bytes are a stand-in for a packet that could not be decoded ahead.
  let isConcealed: Bool
  /// The packet's number in its stream, and where in the source it lies.
  let packetIndex: Int64
  let byteOffset: Int64
  /// To be told when its first sound is given; 0 for none.
  let mark: UInt32

  @_noLocks
  init(
    bytes: UnsafeRawPointer, byteCount: Int, frameCount: Int, trimStartFrames: Int,
    trimEndFrames: Int, isConcealed: Bool = false, packetIndex: Int64 = 0, byteOffset: Int64 = 0,
    mark: UInt32 = 0
  ) {
    unsafe self.bytes = bytes
    self.byteCount = byteCount
    self.frameCount = frameCount
    self.trimStartFrames = trimStartFrames
    self.trimEndFrames = trimEndFrames
    self.isConcealed = isConcealed
    self.packetIndex = packetIndex
    self.byteOffset = byteOffset
    self.mark = mark
  }
}

/// The three answers of the fill callback (rule R3). They are never confused.
enum FillAnswer {
  /// One packet.
  case packet(FilledPacket)
  /// Nothing now: an underrun. Not latched; the next call asks again.
  case noData
  /// Nothing ever again in this stream. Latched: the converter does not ask any more.
  case endOfStream
}

/// Why a converter gave fewer frames than it was asked for.
enum ConversionStatus {
  /// It gave all.
  case complete
  /// It has more, but the packet whose frames come next could not be decoded.
  case packetFailed
  /// It has more, and the packet whose frames come next has a mark.
  case packetMarked
  /// The fill callback has no data now.
  case noData
  /// The stream has ended. The resampler's tail may still be drained.
  case endOfStream
}
