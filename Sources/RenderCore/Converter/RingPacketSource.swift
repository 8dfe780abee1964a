// SPDX-License-Identifier: MIT

/// A dropped entry.
@safe
struct DroppedEntry {
  let isPacket: Bool
  /// The converter of a stream mark, to be returned to the feeder.
  let converter: UnsafeMutablePointer<StreamConverter>?

  @_noLocks
  init(isPacket: Bool, converter: UnsafeMutablePointer<StreamConverter>?) {
    self.isPacket = isPacket
    unsafe self.converter = converter
  }
}

/// The fill callback of a packet ring: returns one packet at a time, when the converter needs one.
///
/// The converter reads a packet in the ring, where it stays until the next one is requested. Entries with an older
/// flush serial are skipped. Real-time: every call is wait-free.
struct RingPacketSource: ~Copyable {
  private var consumer: PacketRingConsumer
  /// Whether the entry at the front has been passed to the converter and is still being read.
  private var holdsPacket = false
  /// The wanted flush serial: the count of flushes before an entry.
  var flushSerial: UInt32 = 0

  init(consumer: consuming PacketRingConsumer) {
    self.consumer = consumer
  }

  @_noLocks
  mutating func nextPacket() -> FillAnswer {
    releaseHeldPacket()
    guard let entry = unsafe consumer.peek() else { return .noData }
    guard case .packet = unsafe entry.pointee.kind else { return .endOfStream }
    holdsPacket = true
    let metadata = unsafe entry.pointee.metadata
    return unsafe .packet(
      FilledPacket(
        bytes: consumer.bytes(of: entry), byteCount: entry.pointee.byteCount,
        frameCount: Int(metadata.frameCount), trimStartFrames: Int(metadata.trimStartFrames),
        trimEndFrames: Int(metadata.trimEndFrames), isConcealed: metadata.isConcealed,
        packetIndex: metadata.packetIndex, byteOffset: metadata.byteOffset,
        mark: metadata.mark))
  }

  /// Returns whether the next entry is a packet. The current packet stays in the ring.
  @_noLocks
  mutating func hasNextPacket() -> Bool {
    guard let entry = unsafe consumer.peek(behind: holdsPacket ? 1 : 0),
      case .packet = unsafe entry.pointee.kind
    else { return false }
    return true
  }

  /// Returns the entry at the front if it starts a stream that may begin now: a stream with a newer flush serial waits
  /// until that is the wanted one.
  @_noLocks
  private mutating func peekStreamStart() -> UnsafePointer<RingEntry>? {
    guard let entry = unsafe consumer.peek(), case .streamStart = unsafe entry.pointee.kind,
      // Flush serials are compared as signed differences, because they may wrap.
      unsafe Int32(bitPattern: entry.pointee.metadata.flushSerial &- flushSerial) <= 0
    else { return nil }
    return unsafe entry
  }

  /// Returns the current packet's memory to the producer.
  @_noLocks
  mutating func releaseHeldPacket() {
    if holdsPacket {
      holdsPacket = false
      consumer.release()
    }
  }

  /// Returns whether the ring has this much sound of the wanted flush serial, or all of it up to its end, besides the
  /// current packet.
  @_noLocks
  mutating func holds(nanoseconds: UInt64) -> Bool {
    consumer.holds(
      nanoseconds: nanoseconds, flushSerial: flushSerial, behind: holdsPacket ? 1 : 0)
  }

  /// Nanoseconds of sound in the ring, including the current packet.
  var bufferedNanoseconds: UInt64 { @_noLocks get { consumer.bufferedNanoseconds } }

  /// Entries that were taken out of the ring.
  var takenEntries: UInt64 { @_noLocks get { consumer.readEntries } }

  /// Returns the settings that came with the current packet.
  @_noLocks
  mutating func heldSettings() -> SourceSettings {
    guard holdsPacket, let entry = unsafe consumer.peek() else {
      return SourceSettings(unchanged: ())
    }
    return unsafe entry.pointee.settings
  }

  /// Returns the next stream's converter, still in the ring, if the mark of its start is the next entry.
  @_noLocks
  mutating func peekConverter() -> UnsafeMutablePointer<StreamConverter>? {
    releaseHeldPacket()
    return unsafe peekStreamStart()?.pointee.converter
  }

  /// Returns whether the next stream can begin: its mark is the next entry, and another entry follows it. While the
  /// producer is still writing the first packet the mark is alone; starting then would miss that packet.
  @_noLocks
  mutating func hasStream() -> Bool {
    releaseHeldPacket()
    return unsafe peekStreamStart() != nil && consumer.peek(behind: 1) != nil
  }

  /// Takes the next stream's converter and its mark out of the ring.
  @_noLocks
  mutating func takeConverter() -> UnsafeMutablePointer<StreamConverter>? {
    releaseHeldPacket()
    guard unsafe peekStreamStart() != nil else { return nil }
    let converter = unsafe consumer.takeConverter()
    consumer.release()
    return unsafe converter
  }

  /// Returns the next stream's converter, still in the ring, if that stream is to continue without a gap.
  @_noLocks
  mutating func peekJoiningConverter() -> UnsafeMutablePointer<StreamConverter>? {
    guard let entry = unsafe peekStreamStart(), unsafe entry.pointee.joinsPrevious else {
      return nil
    }
    return unsafe entry.pointee.converter
  }

  /// Takes the end-of-stream mark out of the ring, if it is next.
  @_noLocks
  mutating func releaseEndOfStream() {
    releaseHeldPacket()
    if let entry = unsafe consumer.peek(), case .endOfStream = unsafe entry.pointee.kind {
      consumer.release()
    }
  }

  /// Takes one entry with an older flush serial out of the ring.
  ///
  /// - Returns: the entry; nil if the next entry is not stale.
  @_noLocks
  mutating func dropStaleEntry() -> DroppedEntry? {
    // Flush serials are compared as signed differences, because they may wrap.
    guard let entry = unsafe consumer.peek(),
      unsafe Int32(bitPattern: entry.pointee.metadata.flushSerial &- flushSerial) < 0
    else { return nil }
    var isPacket = false
    if case .packet = unsafe entry.pointee.kind { isPacket = true }
    let converter = unsafe consumer.takeConverter()
    consumer.release()
    return unsafe DroppedEntry(isPacket: isPacket, converter: converter)
  }
}
