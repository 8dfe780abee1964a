// SPDX-License-Identifier: MIT

/// One packet from the fill callback to the converter: the address of its bytes, and its metadata. Valid until the
/// callback is called again.
@safe
struct FilledPacket {
  let bytes: UnsafeRawPointer
  let byteCount: Int
  let frameCount: Int
  let trimStartFrames: Int
  let trimEndFrames: Int
  /// Whether the bytes replace a packet that could not be decoded ahead.
  let isConcealed: Bool
  /// The packet's number in its stream; `byteOffset` is its offset in the source.
  let packetIndex: Int64
  let byteOffset: Int64
  /// The mark to report when the packet's first sound is output; 0 for none.
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

/// The fill callback's answer, one of three distinct cases (rule R3).
enum FillAnswer {
  /// One packet.
  case packet(FilledPacket)
  /// No data now: an underrun. Not latched; the next call asks again.
  case noData
  /// No more data in this stream. Latched: the converter does not ask again.
  case endOfStream
}

/// The reason why a converter returned fewer frames than requested.
enum ConversionStatus {
  /// All requested frames were returned.
  case complete
  /// More frames follow, but the packet of the next frames could not be decoded.
  case packetFailed
  /// More frames follow, and the packet of the next frames has a mark.
  case packetMarked
  /// The fill callback has no data now.
  case noData
  /// The stream has ended. The resampler may still have a tail to drain.
  case endOfStream
}
