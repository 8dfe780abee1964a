// SPDX-License-Identifier: MIT

internal import Synchronization

/// The render thread's end of a packet ring.
///
/// Real-time: every call is wait-free. One thread at a time.
@safe
struct PacketRingConsumer: ~Copyable, @unchecked Sendable {
  private let storage: UnsafeMutablePointer<PacketRingStorage>
  /// Entries taken out so far.
  private(set) var readEntries: UInt64 = 0
  /// The last `writtenEntries` seen. It is loaded again only when the ring looks empty, so that most calls do not touch
  /// the producer's cache line.
  private var knownWrittenEntries: UInt64 = 0
  private var readNanoseconds: UInt64 = 0

  init(storage: UnsafeMutablePointer<PacketRingStorage>) {
    unsafe self.storage = storage
  }

  deinit {
    unsafe PacketRingStorage.release(storage)
  }

  /// Nanoseconds of sound in the ring. Can only have grown since it was read.
  var bufferedNanoseconds: UInt64 {
    @_noLocks get {
      unsafe storage.pointee.writtenNanoseconds.load(ordering: .acquiring) &- readNanoseconds
    }
  }

  /// Returns the oldest entry, still in the ring, or the one that is `skipped` entries behind it; nil if there is none.
  /// Valid until it is released.
  @_noLocks
  mutating func peek(behind skipped: UInt64 = 0) -> UnsafePointer<RingEntry>? {
    let index = readEntries &+ skipped
    if index >= knownWrittenEntries {
      unsafe knownWrittenEntries = storage.pointee.writtenEntries.load(ordering: .acquiring)
      if index >= knownWrittenEntries { return nil }
    }
    let slot = unsafe Int(index & UInt64(storage.pointee.entryCapacity - 1))
    return unsafe UnsafePointer(storage.pointee.entries + slot)
  }

  /// Returns whether the ring has this much sound of a flush serial, or all of it up to the end of its stream, behind
  /// the first `skipped` entries. Reads as many entries as necessary.
  @_noLocks
  mutating func holds(nanoseconds: UInt64, flushSerial: UInt32, behind skipped: UInt64) -> Bool {
    unsafe knownWrittenEntries = storage.pointee.writtenEntries.load(ordering: .acquiring)
    var sound: UInt64 = 0
    var index = readEntries &+ skipped
    while index < knownWrittenEntries {
      let slot = unsafe Int(index & UInt64(storage.pointee.entryCapacity - 1))
      let entry = unsafe storage.pointee.entries + slot
      guard unsafe entry.pointee.metadata.flushSerial == flushSerial else { return false }
      if case .endOfStream = unsafe entry.pointee.kind { return true }
      unsafe sound &+= entry.pointee.metadata.durationNanoseconds
      if sound >= nanoseconds { return true }
      index &+= 1
    }
    return false
  }

  /// Returns the bytes of an entry that has not been released.
  @_noLocks
  func bytes(of entry: UnsafePointer<RingEntry>) -> UnsafeRawPointer {
    unsafe UnsafeRawPointer(storage.pointee.bytes + entry.pointee.offset)
  }

  /// Takes the converter out of the oldest entry, which must be a stream mark.
  @_noLocks
  mutating func takeConverter() -> UnsafeMutablePointer<StreamConverter>? {
    let slot = unsafe Int(readEntries & UInt64(storage.pointee.entryCapacity - 1))
    let entry = unsafe storage.pointee.entries + slot
    let converter = unsafe entry.pointee.converter
    unsafe entry.pointee.converter = nil
    return unsafe converter
  }

  /// Returns the oldest entry and its bytes to the producer. A stream mark's converter must have been taken before.
  @_noLocks
  mutating func release() {
    let slot = unsafe Int(readEntries & UInt64(storage.pointee.entryCapacity - 1))
    let entry = unsafe storage.pointee.entries + slot
    let endPosition = unsafe entry.pointee.endPosition
    unsafe readNanoseconds &+= entry.pointee.metadata.durationNanoseconds
    readEntries &+= 1
    unsafe storage.pointee.readPosition.store(endPosition, ordering: .releasing)
    unsafe storage.pointee.readNanoseconds.store(readNanoseconds, ordering: .releasing)
    unsafe storage.pointee.readEntries.store(readEntries, ordering: .releasing)
  }
}
