// SPDX-License-Identifier: MIT

internal import Synchronization

/// A small lock-free ring from the render thread to one other thread, with four words for each record: for events, and
/// for memory that the render thread must not free itself.
///
/// Words, not a generic element: checked code cannot call unspecialised generics in a debug build. Real-time: `push` is
/// wait-free, render thread only; `pop` belongs to the one reading thread.
@safe
struct ReturnRing: ~Copyable, @unchecked Sendable {
  struct Record: BitwiseCopyable {
    var first: UInt64
    var second: UInt64
    var third: UInt64
    var fourth: UInt64

    @_noLocks
    init(_ first: UInt64, _ second: UInt64 = 0, _ third: UInt64 = 0, _ fourth: UInt64 = 0) {
      self.first = first
      self.second = second
      self.third = third
      self.fourth = fourth
    }
  }

  private let records: UnsafeMutablePointer<Record>
  private let capacity: Int
  private let written = Atomic<UInt64>(0)
  private let padding = CacheLinePadding()
  private let read = Atomic<UInt64>(0)

  /// - Parameter capacity: a power of two.
  init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0)
    self.capacity = capacity
    unsafe records = UnsafeMutablePointer<Record>.allocate(capacity: capacity)
    unsafe records.initialize(repeating: Record(0), count: capacity)
  }

  deinit {
    unsafe records.deallocate()
  }

  /// - Returns: false if the reader is behind and the ring is full.
  @_noLocks
  func push(_ record: Record) -> Bool {
    let index = written.load(ordering: .relaxed)
    guard Int(index &- read.load(ordering: .acquiring)) < capacity else { return false }
    unsafe records[Int(index & UInt64(capacity - 1))] = record
    written.store(index &+ 1, ordering: .releasing)
    return true
  }

  func pop() -> Record? {
    let index = read.load(ordering: .relaxed)
    guard index != written.load(ordering: .acquiring) else { return nil }
    let record = unsafe records[Int(index & UInt64(capacity - 1))]
    read.store(index &+ 1, ordering: .releasing)
    return record
  }
}
