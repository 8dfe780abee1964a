// SPDX-License-Identifier: MIT

internal import Synchronization

/// The memory of a cycle log: an array of records, each of a few words that are written and read one by one. A pointer
/// and nothing else, for the callback's use.
@safe
package struct CycleLogStorage: @unchecked Sendable {
  private struct Header: ~Copyable {
    /// Records whose writing has begun. Written before the first word of each.
    let begun = Atomic<UInt64>(0)
    /// Records that are complete. Written after the last word of each.
    let recorded = Atomic<UInt64>(0)
  }

  private let header: UnsafeMutablePointer<Header>
  private let words: UnsafeMutablePointer<Atomic<UInt64>>
  private let capacity: UInt64

  init(capacity: Int) {
    precondition(capacity & (capacity - 1) == 0)
    self.capacity = UInt64(capacity)
    unsafe header = .allocate(capacity: 1)
    unsafe header.initialize(to: Header())
    let count = capacity * CycleWords.count
    // Each record has a cache line of its own.
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: count * MemoryLayout<Atomic<UInt64>>.stride, alignment: 64)
    unsafe words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: count)
    for index in 0..<count { unsafe (words + index).initialize(to: Atomic(0)) }
  }

  func free() {
    unsafe header.deinitialize(count: 1)
    unsafe header.deallocate()
    unsafe words.deinitialize(count: Int(capacity) * CycleWords.count)
    unsafe UnsafeMutableRawPointer(words).deallocate()
  }

  var recordedCycles: UInt64 { unsafe header.pointee.recorded.load(ordering: .acquiring) }

  /// Adds a record. For one thread at a time, the one that renders.
  @_noLocks
  @inline(__always)
  func append(_ record: CycleWords) {
    let index = unsafe header.pointee.recorded.load(ordering: .relaxed)
    unsafe header.pointee.begun.store(index &+ 1, ordering: .relaxed)
    let first = unsafe slot(index)
    // Releasing stores, so a thread that sees one of these also sees that the record was begun.
    unsafe first[0].store(record.entryTicks, ordering: .releasing)
    unsafe first[1].store(record.ticks, ordering: .releasing)
    unsafe first[2].store(record.sourcesAndNode, ordering: .releasing)
    unsafe first[3].store(record.callbacksAndNode, ordering: .releasing)
    unsafe first[4].store(record.bufferedNanoseconds, ordering: .releasing)
    unsafe first[5].store(record.frames, ordering: .releasing)
    unsafe first[6].store(record.delays, ordering: .releasing)
    unsafe first[7].store(record.counts, ordering: .releasing)
    unsafe header.pointee.recorded.store(index &+ 1, ordering: .releasing)
  }

  /// - Returns: a record's words, or nil if they are being overwritten or were.
  func words(at index: UInt64) -> CycleWords? {
    let first = unsafe slot(index)
    let words = unsafe CycleWords(
      entryTicks: first[0].load(ordering: .acquiring),
      ticks: first[1].load(ordering: .acquiring),
      sourcesAndNode: first[2].load(ordering: .acquiring),
      callbacksAndNode: first[3].load(ordering: .acquiring),
      bufferedNanoseconds: first[4].load(ordering: .acquiring),
      frames: first[5].load(ordering: .acquiring), delays: first[6].load(ordering: .acquiring),
      counts: first[7].load(ordering: .acquiring))
    let begun = unsafe header.pointee.begun.load(ordering: .relaxed)
    return begun <= index + capacity ? words : nil
  }

  @_noLocks
  @inline(__always)
  private func slot(_ index: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>> {
    unsafe words + Int(truncatingIfNeeded: index & (capacity &- 1)) &* CycleWords.count
  }
}
