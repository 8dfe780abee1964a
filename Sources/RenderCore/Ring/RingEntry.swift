// SPDX-License-Identifier: MIT

/// Where a packet comes from and what to do with it: what travels through the ring beside its bytes
/// (rule R5). With this the render side needs nobody to tell it about seeks, joins and edges.
public struct PacketHistory: Sendable, Equatable {
  /// Count of seeks and flushes up to this packet. A packet of an older generation is stale.
  public var generation: UInt32
  /// A number that comes back as an event with the output frame that the packet's first sound is at; 0
  /// for none.
  public var mark: UInt32
  /// The packet's number in its stream, from 0.
  public var packetIndex: Int64
  /// The number in its stream of the first frame that the packet decodes to.
  public var firstFrame: Int64
  /// Frames that the packet decodes to, trimmed ones included.
  public var frameCount: Int32
  /// Frames to drop at the packet's start: encoder and decoder delay, or pre-roll after a seek.
  public var trimStartFrames: Int32
  /// Frames to drop at the packet's end: encoder padding.
  public var trimEndFrames: Int32
  /// The frames are a stand-in for a packet that could not be decoded ahead.
  public var isConcealed: Bool
  /// Bytes from the start of the source to the packet.
  public var byteOffset: Int64
  /// How long the packet sounds, without its trimmed frames. What the ring's level is counted in,
  /// because packets of several streams with different rates may be in it.
  public var durationNanoseconds: UInt64

  /// A history with these fields.
  @_noLocks
  public init(
    generation: UInt32, packetIndex: Int64, firstFrame: Int64, frameCount: Int32,
    trimStartFrames: Int32, trimEndFrames: Int32, byteOffset: Int64, durationNanoseconds: UInt64,
    isConcealed: Bool = false, mark: UInt32 = 0
  ) {
    self.generation = generation
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
  var possible: PacketHistory {
    var possible = self
    possible.frameCount = max(0, frameCount)
    possible.trimStartFrames = max(0, trimStartFrames)
    possible.trimEndFrames = max(0, trimEndFrames)
    return possible
  }

  /// All of the packet's frames are trimmed away.
  var isInaudible: Bool {
    Int(trimStartFrames) + Int(trimEndFrames) >= Int(frameCount)
  }
}

/// One entry of a packet ring. Its fields lie as close as they can: a ring has thousands of them.
@safe
struct RingEntry {
  enum Kind: UInt8 {
    /// Bytes to decode.
    case packet
    /// The packets that follow belong to a new stream; `converter` is made and warmed for it.
    case streamStart
    /// No packet of this stream follows.
    case endOfStream
  }

  var kind: Kind
  /// For `streamStart`: the new stream plays on without a gap where the old one has the same source
  /// rate and channel count, so the old resampler goes on.
  var joinsPrevious: Bool
  private var storedOffset: UInt32
  private var storedByteCount: UInt32
  /// What takes effect with the packet's first sound, if the history has a mark.
  var settings: SourceSettings
  /// Bytes that the ring had ever been given, padding at its end included, after this entry.
  var endPosition: UInt64
  var history: PacketHistory
  /// Owned by whoever holds the entry; passes to the render side when it is taken.
  var converter: UnsafeMutablePointer<StreamConverter>?

  @_noLocks
  init(
    kind: Kind, joinsPrevious: Bool, offset: Int, byteCount: Int, endPosition: UInt64,
    history: PacketHistory, settings: SourceSettings,
    converter: UnsafeMutablePointer<StreamConverter>?
  ) {
    self.kind = kind
    self.joinsPrevious = joinsPrevious
    storedOffset = UInt32(truncatingIfNeeded: offset)
    storedByteCount = UInt32(truncatingIfNeeded: byteCount)
    self.endPosition = endPosition
    self.history = history
    self.settings = settings
    unsafe self.converter = converter
  }

  /// Bytes from the start of the ring's memory to the packet. Packets never wrap.
  var offset: Int { @_noLocks get { Int(storedOffset) } }
  var byteCount: Int { @_noLocks get { Int(storedByteCount) } }
}
