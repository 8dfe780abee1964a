// SPDX-License-Identifier: MIT

internal import Synchronization

/// The lock-free ring of packets between one feeder thread and one render thread.
///
/// Bytes and descriptors are both bounded and allocated once. A packet is contiguous, so the decoder reads it in the
/// ring; if it does not fit before the end of the memory, the rest of the memory is skipped. The two ends are separate
/// types, made as a pair: the wrong side's operation does not compile. There is no way to wait: with a full or empty
/// ring a call returns at once.
enum PacketRing {
  /// Makes the two ends. The memory is freed after both are released.
  ///
  /// - Parameters:
  ///   - byteCapacity: bytes for packets, less than 4 GiB; the largest packet is half of it.
  ///   - entryCapacity: packets and stream marks; rounded up to a power of two.
  static func makePair(byteCapacity: Int, entryCapacity: Int) -> PacketRingEnds {
    precondition((1...Int(UInt32.max)).contains(byteCapacity) && entryCapacity > 0)
    let storage = UnsafeMutablePointer<PacketRingStorage>.allocate(capacity: 1)
    unsafe storage.initialize(
      to: PacketRingStorage(byteCapacity: byteCapacity, entryCapacity: entryCapacity))
    return unsafe PacketRingEnds(
      producer: PacketRingProducer(storage: storage),
      consumer: PacketRingConsumer(storage: storage))
  }
}

/// The two ends of one ring, to be taken apart.
struct PacketRingEnds: ~Copyable {
  var producer: PacketRingProducer
  var consumer: PacketRingConsumer
}

/// Sixty-four bytes that keep two threads' counters out of each other's cache line.
struct CacheLinePadding {
  var line: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
    (0, 0, 0, 0, 0, 0, 0, 0)
}

/// The memory that both ends share. Counters only grow; their differences are the fill level.
@safe
struct PacketRingStorage: ~Copyable {
  let bytes: UnsafeMutableRawPointer
  let byteCapacity: Int
  let entries: UnsafeMutablePointer<RingEntry>
  let entryCapacity: Int
  /// 2 while both ends live, then 1.
  let endCount = Atomic<Int>(2)

  private let padding0 = CacheLinePadding()
  /// Entries ever published. Written by the producer.
  let writtenEntries = Atomic<UInt64>(0)
  /// Nanoseconds of sound ever published. Written by the producer.
  let writtenNanoseconds = Atomic<UInt64>(0)
  private let padding1 = CacheLinePadding()
  /// Entries ever released. Written by the consumer.
  let readEntries = Atomic<UInt64>(0)
  /// Byte position up to which memory may be overwritten. Written by the consumer.
  let readPosition = Atomic<UInt64>(0)
  /// Nanoseconds of sound ever released. Written by the consumer.
  let readNanoseconds = Atomic<UInt64>(0)
  private let padding2 = CacheLinePadding()

  init(byteCapacity: Int, entryCapacity: Int) {
    var capacity = 1
    while capacity < entryCapacity { capacity *= 2 }
    self.byteCapacity = byteCapacity
    self.entryCapacity = capacity
    // Not written here: the render thread reads only memory that the feeder has written, so no page faults there, and
    // unused memory takes no page at all.
    unsafe bytes = UnsafeMutableRawPointer.allocate(byteCount: byteCapacity, alignment: 64)
    unsafe entries = UnsafeMutablePointer<RingEntry>.allocate(capacity: capacity)
  }

  deinit {
    // Stream marks that were not taken own their converters.
    var index = readEntries.load(ordering: .acquiring)
    let end = writtenEntries.load(ordering: .acquiring)
    while index != end {
      let entry = unsafe entries + Int(index & UInt64(entryCapacity - 1))
      if let converter = unsafe entry.pointee.converter {
        unsafe StreamConverter.destroy(converter)
      }
      index += 1
    }
    unsafe bytes.deallocate()
    unsafe entries.deallocate()
  }

  /// Releases one end; frees the storage with the second.
  static func release(_ storage: UnsafeMutablePointer<PacketRingStorage>) {
    let left = unsafe storage.pointee.endCount.subtract(1, ordering: .acquiringAndReleasing)
    if left.newValue == 0 {
      unsafe storage.deinitialize(count: 1)
      unsafe storage.deallocate()
    }
  }
}
