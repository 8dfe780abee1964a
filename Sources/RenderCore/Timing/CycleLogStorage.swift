// SPDX-License-Identifier: MIT

internal import Synchronization

/// The memory of a cycle log: an array of records, each of a few words that are written and read one by
/// one. A pointer and nothing else, for the callback to go by.
@safe
package struct CycleLogStorage: @unchecked Sendable {
  private struct Header: ~Copyable {
    /// Records that were begun to be written, before the first word of each.
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
    unsafe words = .allocate(capacity: count)
    for index in 0..<count { unsafe (words + index).initialize(to: Atomic(0)) }
  }

  func free() {
    unsafe header.deinitialize(count: 1)
    unsafe header.deallocate()
    unsafe words.deinitialize(count: Int(capacity) * CycleWords.count)
    unsafe words.deallocate()
  }

  var recordedCycles: UInt64 { unsafe header.pointee.recorded.load(ordering: .acquiring) }

  /// Adds a record. For one thread at a time, the one that renders.
  @_noLocks
  func append(_ record: CycleWords) {
    let index = unsafe header.pointee.recorded.load(ordering: .relaxed)
    unsafe header.pointee.begun.store(index &+ 1, ordering: .relaxed)
    let first = unsafe slot(index)
    // Releasing stores, so that whoever sees one of these sees that the record was begun.
    unsafe first[0].store(record.entryTicks, ordering: .releasing)
    unsafe first[1].store(record.times, ordering: .releasing)
    unsafe first[2].store(record.callbackTimeAndClock, ordering: .releasing)
    unsafe first[3].store(record.sizes, ordering: .releasing)
    unsafe first[4].store(record.losses, ordering: .releasing)
    unsafe first[5].store(record.work, ordering: .releasing)
    unsafe header.pointee.recorded.store(index &+ 1, ordering: .releasing)
  }

  /// - Returns: a record's words, or nil when they are being written over or were.
  func words(at index: UInt64) -> CycleWords? {
    let first = unsafe slot(index)
    let words = unsafe CycleWords(
      entryTicks: first[0].load(ordering: .acquiring),
      times: first[1].load(ordering: .acquiring),
      callbackTimeAndClock: first[2].load(ordering: .acquiring),
      sizes: first[3].load(ordering: .acquiring), losses: first[4].load(ordering: .acquiring),
      work: first[5].load(ordering: .acquiring))
    let begun = unsafe header.pointee.begun.load(ordering: .relaxed)
    return begun <= index + capacity ? words : nil
  }

  @_noLocks
  private func slot(_ index: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>> {
    unsafe words + Int(index & (capacity &- 1)) &* CycleWords.count
  }
}
