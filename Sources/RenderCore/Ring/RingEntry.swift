// SPDX-License-Identifier: MIT

/// The metadata of a packet, which is beside its bytes in the ring (rule R5): its origin, and the frames to drop. From
/// it the render side learns of seeks, joins and edges without other messages.
public struct PacketMetadata: Sendable, Equatable {
  /// The flush serial: the count of seeks and flushes before this packet. A packet with an older serial is stale.
  public var flushSerial: UInt32
  /// A number that returns in an event, with the output frame of the packet's first sound; 0 for none.
  public var mark: UInt32
  /// The packet's number in its stream, from 0.
  public var packetIndex: Int64
  /// The number in its stream of the packet's first decoded frame.
  public var firstFrame: Int64
  /// Frames that the packet decodes to, including trimmed ones.
  public var frameCount: Int32
  /// Frames to drop at the packet's start: encoder and decoder delay, or pre-roll after a seek.
  public var trimStartFrames: Int32
  /// Frames to drop at the packet's end: encoder padding.
  public var trimEndFrames: Int32
  /// Whether the frames replace a packet that could not be decoded ahead.
  public var isConcealed: Bool
  /// Bytes from the start of the source to the packet.
  public var byteOffset: Int64
  /// The duration of the packet's sound, without its trimmed frames. The ring's level is counted in this unit, because
  /// packets of several streams with different rates may be in it.
  public var durationNanoseconds: UInt64

  /// Creates metadata with these fields.
  @_noLocks
  public init(
    flushSerial: UInt32, packetIndex: Int64, firstFrame: Int64, frameCount: Int32,
    trimStartFrames: Int32, trimEndFrames: Int32, byteOffset: Int64, durationNanoseconds: UInt64,
    isConcealed: Bool = false, mark: UInt32 = 0
  ) {
    self.flushSerial = flushSerial
    self.mark = mark
    self.packetIndex = packetIndex
    self.firstFrame = firstFrame
    self.frameCount = frameCount
    self.trimStartFrames = trimStartFrames
    self.trimEndFrames = trimEndFrames
    self.byteOffset = byteOffset
    self.durationNanoseconds = durationNanoseconds
    self.isConcealed = isConcealed
  }

  /// The metadata with frames and trims below 0 as 0.
  var possible: PacketMetadata {
    var possible = self
    possible.frameCount = max(0, frameCount)
    possible.trimStartFrames = max(0, trimStartFrames)
    possible.trimEndFrames = max(0, trimEndFrames)
    return possible
  }

  /// Whether all of the packet's frames are trimmed.
  var isInaudible: Bool {
    Int(trimStartFrames) + Int(trimEndFrames) >= Int(frameCount)
  }
}

/// One entry of a packet ring. Its fields are packed closely: a ring has thousands of entries.
@safe
struct RingEntry {
  enum Kind: UInt8 {
    /// Bytes to decode.
    case packet
    /// The packets that follow belong to a new stream; `converter` is made and warmed up for it.
    case streamStart
    /// No packet of this stream follows.
    case endOfStream
  }

  var kind: Kind
  /// For `streamStart`: the new stream continues without a gap if the old one has the same source rate and channel
  /// count, and takes over the old resampler.
  var joinsPrevious: Bool
  private var storedOffset: UInt32
  private var storedByteCount: UInt32
  /// The settings that take effect with the packet's first sound, if the metadata has a mark.
  var settings: SourceSettings
  /// Bytes that were ever written to the ring up to the end of this entry, including padding at the memory's end.
  var endPosition: UInt64
  var metadata: PacketMetadata
  /// Owned by the holder of the entry; passes to the render side when it is taken.
  var converter: UnsafeMutablePointer<StreamConverter>?

  @_noLocks
  init(
    kind: Kind, joinsPrevious: Bool, offset: Int, byteCount: Int, endPosition: UInt64,
    metadata: PacketMetadata, settings: SourceSettings,
    converter: UnsafeMutablePointer<StreamConverter>?
  ) {
    self.kind = kind
    self.joinsPrevious = joinsPrevious
    storedOffset = UInt32(truncatingIfNeeded: offset)
    storedByteCount = UInt32(truncatingIfNeeded: byteCount)
    self.endPosition = endPosition
    self.metadata = metadata
    self.settings = settings
    unsafe self.converter = converter
  }

  /// Bytes from the start of the ring's memory to the packet. Packets never wrap.
  var offset: Int { @_noLocks get { Int(storedOffset) } }
  var byteCount: Int { @_noLocks get { Int(storedByteCount) } }
}
