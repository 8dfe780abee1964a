// SPDX-License-Identifier: MIT

public import AudioModel

/// Memory for packets on their way to a queue, or from one. Core Audio's `AudioQueueBuffer`.
///
/// A queue allocates it. For an output queue the caller writes packets into it and enqueues it; the queue
/// gives it back through its callback when it has taken the data. Between the two the memory is the
/// queue's: it must not be written. An input queue does it the other way round.
///
/// One thread at a time: the caller's while the caller has it, the queue's while it is enqueued.
@safe
public final class AudioQueueBuffer: @unchecked Sendable {
  /// Bytes of memory. Never changes. `mAudioDataBytesCapacity`
  public let byteCapacity: Int
  /// The memory; its address never changes. Valid while this object lives. `mAudioData`
  public let bytes: UnsafeMutableRawBufferPointer
  /// Bytes with data, from the start; at first 0. From 0 to ``byteCapacity``: what is set beyond is taken
  /// as the nearest of them. `mAudioDataByteSize`
  public var byteCount = 0 {
    didSet { byteCount = min(max(0, byteCount), byteCapacity) }
  }
  /// How many packet descriptions it was allocated for. Never changes. `mPacketDescriptionCapacity`
  public let packetDescriptionCapacity: Int
  /// Where the packets lie, for a buffer that was allocated with room for descriptions. Those beyond
  /// ``packetDescriptionCapacity`` are left out when it is enqueued. `mPacketDescriptions`
  public var packetDescriptions: [AudioStreamPacketDescription] = []
  /// Anything of the caller's. `mUserData`
  public var userData: AnyObject?

  /// The queue that it belongs to. What a queue knows of its buffers is protected by the queue's lock.
  let owner: ObjectIdentifier
  /// Who has it.
  var place = Place.caller

  enum Place {
    case caller
    case queue
    case freed
  }

  init(owner: ObjectIdentifier, byteCapacity: Int, packetDescriptionCapacity: Int) {
    self.owner = owner
    self.byteCapacity = byteCapacity
    self.packetDescriptionCapacity = packetDescriptionCapacity
    unsafe bytes = .allocate(byteCount: byteCapacity, alignment: 16)
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    unsafe bytes.deallocate()
  }

  /// Puts bytes behind those that are there.
  ///
  /// - Returns: false when they do not fit; nothing has changed then.
  @discardableResult
  public func append(_ data: Span<UInt8>) -> Bool {
    guard data.count <= byteCapacity - byteCount else { return false }
    unsafe data.withUnsafeBytes { source in
      guard let base = source.baseAddress, let target = unsafe bytes.baseAddress else { return }
      unsafe (target + byteCount).copyMemory(from: base, byteCount: source.count)
    }
    byteCount += data.count
    return true
  }

  /// Puts a packet behind those that are there, and its description behind theirs.
  ///
  /// - Parameter packet: its bytes; they are copied.
  /// - Parameter frameCount: its frames, where the format's `framesPerPacket` is 0.
  /// - Returns: false when it or its description does not fit; nothing has changed then.
  @discardableResult
  public func append(packet: Span<UInt8>, frameCount: UInt32 = 0) -> Bool {
    guard packetDescriptions.count < packetDescriptionCapacity else { return false }
    let start = byteCount
    guard append(packet) else { return false }
    packetDescriptions.append(
      AudioStreamPacketDescription(
        startOffset: Int64(start), variableFramesInPacket: frameCount,
        dataByteSize: UInt32(packet.count)))
    return true
  }

  /// Forgets the bytes and the descriptions, to be filled again.
  public func removeAll() {
    byteCount = 0
    packetDescriptions.removeAll(keepingCapacity: true)
  }
}
