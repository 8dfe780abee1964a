// SPDX-License-Identifier: MIT

public import AudioModel

/// Memory for packets on their way to a queue, or from one. Core Audio's `AudioQueueBuffer`.
///
/// A queue allocates it. For an output queue the caller writes packets into it and enqueues it; the queue
/// returns it through its callback when it has taken the data. In between, the memory belongs to the queue and
/// must not be written. For an input queue it is the other way round.
///
/// One thread at a time: the caller's while the caller has it, the queue's while it is enqueued.
@safe
public final class AudioQueueBuffer: @unchecked Sendable {
  /// Bytes of memory. Never changes. `mAudioDataBytesCapacity`
  public let byteCapacity: Int
  /// The memory; its address never changes. Valid while this object lives. `mAudioData`
  public let bytes: UnsafeMutableRawBufferPointer
  /// Bytes with data, from the start; at first 0. Values are clamped to 0 through ``byteCapacity``.
  /// `mAudioDataByteSize`
  public var byteCount = 0 {
    didSet { byteCount = min(max(0, byteCount), byteCapacity) }
  }
  /// The number of packet descriptions that it was allocated for. Never changes. `mPacketDescriptionCapacity`
  public let packetDescriptionCapacity: Int
  /// The packets' byte ranges, for a buffer that was allocated with room for descriptions. Those beyond
  /// ``packetDescriptionCapacity`` are left out when it is enqueued. `mPacketDescriptions`
  public var packetDescriptions: [AudioStreamPacketDescription] = []
  /// Any object of the caller's. `mUserData`
  public var userData: AnyObject?

  /// The queue that it belongs to. The queue's lock protects the queue's state of its buffers.
  let owner: ObjectIdentifier
  /// The current owner.
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

  /// Appends bytes.
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

  /// Appends a packet and its description.
  ///
  /// - Parameter packet: its bytes, which are copied.
  /// - Parameter frameCount: its frames, if the format's `framesPerPacket` is 0.
  /// - Returns: false when the packet or its description does not fit; nothing has changed then.
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

  /// Removes the bytes and the descriptions, so that it can be filled again.
  public func removeAll() {
    byteCount = 0
    packetDescriptions.removeAll(keepingCapacity: true)
  }
}
