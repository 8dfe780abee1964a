// SPDX-License-Identifier: MIT

internal import Synchronization

/// The feeder's end of a packet ring.
///
/// One thread at a time. Every call is wait-free.
@safe
struct PacketRingProducer: ~Copyable, @unchecked Sendable {
  private let storage: UnsafeMutablePointer<PacketRingStorage>
  private var writtenEntries: UInt64 = 0
  private var writtenNanoseconds: UInt64 = 0
  /// Byte position of the next write: only grows; the remainder of its division by the capacity is the offset.
  private var position: UInt64 = 0

  init(storage: UnsafeMutablePointer<PacketRingStorage>) {
    unsafe self.storage = storage
  }

  deinit {
    unsafe PacketRingStorage.release(storage)
  }

  /// Bytes of the largest packet that always fits once the ring has been emptied: half of its memory, because the part
  /// skipped before a wrap is smaller than the packet.
  var maximumPacketBytes: Int { unsafe storage.pointee.byteCapacity / 2 }

  /// Entries in the ring. Can only have shrunk since it was read.
  var entryCount: Int {
    unsafe Int(writtenEntries - storage.pointee.readEntries.load(ordering: .acquiring))
  }

  /// Entries that the render thread has taken out so far. Can only have grown since it was read.
  var readEntryCount: UInt64 { unsafe storage.pointee.readEntries.load(ordering: .acquiring) }

  /// The duration of the packets in the ring. Can only have shrunk since it was read.
  var bufferedNanoseconds: UInt64 {
    unsafe writtenNanoseconds &- storage.pointee.readNanoseconds.load(ordering: .acquiring)
  }

  /// Copies a packet into the ring.
  ///
  /// - Parameters:
  ///   - settings: the settings that take effect with its first sound; for a packet with a mark.
  ///   - sparedNanoseconds: the amount of sound, in packets like this one, that must still fit behind it, up to a
  ///     quarter of the ring.
  ///   - ampleNanoseconds: if the ring has this much sound, and a quarter of its memory is in use, the next packet goes
  ///     to the memory's beginning as soon as it fits there, instead of using more memory.
  /// - Returns: false if it does not fit now; then nothing has changed.
  mutating func write(
    packet: UnsafeRawBufferPointer, metadata: PacketMetadata,
    settings: SourceSettings = SourceSettings(), sparedNanoseconds: UInt64 = 0,
    ampleNanoseconds: UInt64 = .max
  ) -> Bool {
    let capacity = unsafe storage.pointee.byteCapacity
    let count = packet.count
    guard count > 0, count <= maximumPacketBytes else { return false }
    let spared = spare(
      sparedNanoseconds, inPacketsOf: count, nanoseconds: metadata.durationNanoseconds)
    guard unsafe entryCount + spared.entries < storage.pointee.entryCapacity else { return false }
    let offset = Int(position % UInt64(capacity))
    // A packet does not wrap: the rest before the end is skipped, and counts as used.
    var skipped = offset + count > capacity ? capacity - offset : 0
    let free =
      unsafe capacity
      - Int(position - storage.pointee.readPosition.load(ordering: .acquiring))
    // In less than a quarter, louder sound after silence would have only the room that the silence used.
    if offset >= max(capacity / 4, 1), bufferedNanoseconds >= ampleNanoseconds,
      capacity - offset + count + spared.bytes <= free
    {
      skipped = capacity - offset
    }
    guard skipped + count + spared.bytes <= free else { return false }
    let target = skipped > 0 ? 0 : offset
    unsafe storage.pointee.bytes.advanced(by: target)
      .copyMemory(from: packet.baseAddress!, byteCount: count)
    position += UInt64(skipped + count)
    unsafe publish(
      RingEntry(
        kind: .packet, joinsPrevious: false, offset: target, byteCount: count,
        endPosition: position, metadata: metadata, settings: settings, converter: nil))
    return true
  }

  /// Returns the room for this much sound, at most a quarter of the ring; 0 for packets so large that the ring holds
  /// few of them: these must not wait until it is empty.
  private func spare(
    _ nanoseconds: UInt64, inPacketsOf byteCount: Int, nanoseconds packetNanoseconds: UInt64
  ) -> (bytes: Int, entries: Int) {
    guard nanoseconds > 0, packetNanoseconds > 0,
      unsafe byteCount <= storage.pointee.byteCapacity / 16
    else { return (0, 0) }
    let packets = Double(nanoseconds) / Double(packetNanoseconds) + 1
    let bytes = unsafe storage.pointee.byteCapacity / 4
    let entries = unsafe storage.pointee.entryCapacity / 4
    return (
      Int(min(Double(bytes), packets * Double(byteCount))), Int(min(Double(entries), packets))
    )
  }

  /// Writes a mark between packets.
  ///
  /// - Returns: false if there is no free entry; then the caller still owns the converter.
  mutating func write(
    mark kind: RingEntry.Kind, flushSerial: UInt32, joinsPrevious: Bool = false,
    converter: UnsafeMutablePointer<StreamConverter>? = nil
  ) -> Bool {
    guard hasEntry else { return false }
    let metadata = PacketMetadata(
      flushSerial: flushSerial, packetIndex: 0, firstFrame: 0, frameCount: 0, trimStartFrames: 0,
      trimEndFrames: 0, byteOffset: 0, durationNanoseconds: 0)
    unsafe publish(
      RingEntry(
        kind: kind, joinsPrevious: joinsPrevious, offset: 0, byteCount: 0, endPosition: position,
        metadata: metadata, settings: SourceSettings(), converter: converter))
    return true
  }

  private var hasEntry: Bool { unsafe entryCount < storage.pointee.entryCapacity }

  private mutating func publish(_ entry: RingEntry) {
    let capacity = unsafe UInt64(storage.pointee.entryCapacity)
    let slot = Int(writtenEntries & (capacity - 1))
    var entry = entry
    // Clamped, so that the sound of a full ring does not overflow. The sum of all sound ever written may wrap.
    entry.metadata.durationNanoseconds = min(entry.metadata.durationNanoseconds, .max / capacity)
    unsafe storage.pointee.entries[slot] = entry
    writtenEntries += 1
    writtenNanoseconds &+= entry.metadata.durationNanoseconds
    unsafe storage.pointee.writtenNanoseconds.store(writtenNanoseconds, ordering: .relaxed)
    unsafe storage.pointee.writtenEntries.store(writtenEntries, ordering: .releasing)
  }
}
