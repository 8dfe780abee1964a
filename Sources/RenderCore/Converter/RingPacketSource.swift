// SPDX-License-Identifier: MIT

/// What a dropped entry was.
@safe
struct DroppedEntry {
  let isPacket: Bool
  /// The converter of a stream mark, to be given back.
  let converter: UnsafeMutablePointer<StreamConverter>?

  @_noLocks
  init(isPacket: Bool, converter: UnsafeMutablePointer<StreamConverter>?) {
    self.isPacket = isPacket
    unsafe self.converter = converter
  }
}

/// The fill callback, over a packet ring: asked for one packet when, and only when, the converter
/// needs one.
///
/// A packet stays in the ring, where the converter reads it, until the next one is asked for.
/// Entries of an older generation are skipped. Real-time: every call is wait-free.
struct RingPacketSource: ~Copyable {
  private var consumer: PacketRingConsumer
  /// The entry at the front has been handed over and is still being read.
  private var holdsPacket = false
  /// The generation that is wanted.
  var generation: UInt32 = 0

  init(consumer: consuming PacketRingConsumer) {
    self.consumer = consumer
  }

  @_noLocks
  mutating func nextPacket() -> FillAnswer {
    releaseHeldPacket()
    guard let entry = unsafe consumer.peek() else { return .noData }
    guard case .packet = unsafe entry.pointee.kind else { return .endOfStream }
    holdsPacket = true
    let history = unsafe entry.pointee.history
    return unsafe .packet(
      FilledPacket(
        bytes: consumer.bytes(of: entry), byteCount: entry.pointee.byteCount,
        frameCount: Int(history.frameCount), trimStartFrames: Int(history.trimStartFrames),
        trimEndFrames: Int(history.trimEndFrames), isConcealed: history.isConcealed,
        packetIndex: history.packetIndex, byteOffset: history.byteOffset,
        mark: history.mark))
  }

  /// Whether a packet would be the answer. The one that was handed over stays where it is.
  @_noLocks
  mutating func hasNextPacket() -> Bool {
    guard let entry = unsafe consumer.peek(behind: holdsPacket ? 1 : 0),
      case .packet = unsafe entry.pointee.kind
    else { return false }
    return true
  }

  /// The entry at the front if it marks the start of a stream whose turn it is: one of a newer generation
  /// waits until that is wanted.
  @_noLocks
  private mutating func peekStreamStart() -> UnsafePointer<RingEntry>? {
    guard let entry = unsafe consumer.peek(), case .streamStart = unsafe entry.pointee.kind,
      // Generations are compared as signed differences, because they may wrap.
      unsafe Int32(bitPattern: entry.pointee.history.generation &- generation) <= 0
    else { return nil }
    return unsafe entry
  }

  /// Gives the packet that was handed over back to the producer.
  @_noLocks
  mutating func releaseHeldPacket() {
    if holdsPacket {
      holdsPacket = false
      consumer.release()
    }
  }

  /// Whether there is so much sound of the wanted generation in the ring, or all of it up to its end,
  /// besides the packet that was handed over.
  @_noLocks
  mutating func holds(nanoseconds: UInt64) -> Bool {
    consumer.holds(
      nanoseconds: nanoseconds, generation: generation, behind: holdsPacket ? 1 : 0)
  }

  /// Nanoseconds of sound in the ring, the packet that was handed over included.
  var bufferedNanoseconds: UInt64 { @_noLocks get { consumer.bufferedNanoseconds } }

  /// Entries that were taken out of the ring.
  var takenEntries: UInt64 { @_noLocks get { consumer.readEntries } }

  /// The settings that came with the packet that was handed over last.
  @_noLocks
  mutating func heldSettings() -> SourceSettings {
    guard holdsPacket, let entry = unsafe consumer.peek() else {
      return SourceSettings(unchanged: ())
    }
    return unsafe entry.pointee.settings
  }

  /// The next stream's converter, still in the ring, if the mark of its start is what comes next.
  @_noLocks
  mutating func peekConverter() -> UnsafeMutablePointer<StreamConverter>? {
    releaseHeldPacket()
    return unsafe peekStreamStart()?.pointee.converter
  }

  /// Whether the next stream can be begun: its mark is what comes next, and something is behind it. A mark
  /// alone is there while the first packet is being written, which would be missed.
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

  /// The next stream's converter, still in the ring, if that stream is to play on without a gap.
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

  /// Takes one entry of an older generation out of the ring.
  ///
  /// - Returns: nil when the next entry is not stale; else what it was.
  @_noLocks
  mutating func dropStaleEntry() -> DroppedEntry? {
    // Generations are compared as signed differences, because they may wrap.
    guard let entry = unsafe consumer.peek(),
      unsafe Int32(bitPattern: entry.pointee.history.generation &- generation) < 0
    else { return nil }
    var isPacket = false
    if case .packet = unsafe entry.pointee.kind { isPacket = true }
    let converter = unsafe consumer.takeConverter()
    consumer.release()
    return unsafe DroppedEntry(isPacket: isPacket, converter: converter)
  }
}
