// SPDX-License-Identifier: MIT

internal import Synchronization

/// A small lock-free ring of pairs of words from the render thread to one other thread: the way back
/// for events, and for what the render thread must not free itself.
///
/// Pairs of words, not a generic element: checked code cannot call unspecialised generics in a debug
/// build. Real-time: `push` is wait-free, render thread only; `pop` belongs to the one reading
/// thread.
@safe
struct ReturnRing: ~Copyable, @unchecked Sendable {
  struct Pair: BitwiseCopyable {
    var first: UInt64
    var second: UInt64

    @_noLocks
    init(_ first: UInt64, _ second: UInt64) {
      self.first = first
      self.second = second
    }
  }

  private let pairs: UnsafeMutablePointer<Pair>
  private let capacity: Int
  private let written = Atomic<UInt64>(0)
  private let padding = CacheLinePadding()
  private let read = Atomic<UInt64>(0)

  /// - Parameter capacity: a power of two.
  init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0)
    self.capacity = capacity
    unsafe pairs = UnsafeMutablePointer<Pair>.allocate(capacity: capacity)
    unsafe pairs.initialize(repeating: Pair(0, 0), count: capacity)
  }

  deinit {
    unsafe pairs.deallocate()
  }

  /// - Returns: false when the reader is behind and the ring is full.
  @_noLocks
  func push(_ pair: Pair) -> Bool {
    let index = written.load(ordering: .relaxed)
    guard Int(index &- read.load(ordering: .acquiring)) < capacity else { return false }
    unsafe pairs[Int(index & UInt64(capacity - 1))] = pair
    written.store(index &+ 1, ordering: .releasing)
    return true
  }

  func pop() -> Pair? {
    let index = read.load(ordering: .relaxed)
    guard index != written.load(ordering: .acquiring) else { return nil }
    let pair = unsafe pairs[Int(index & UInt64(capacity - 1))]
    read.store(index &+ 1, ordering: .releasing)
    return pair
  }
}
