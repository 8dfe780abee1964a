// SPDX-License-Identifier: MIT

internal import Synchronization

extension Atomic<UInt64> {
  /// Adds to a counter that only the calling thread writes: a load and a store. An atomic addition would lock the cache
  /// line, and the variant that traps on overflow is also a loop.
  @_noLocks
  func grow(by count: UInt64) {
    store(load(ordering: .relaxed) &+ count, ordering: .relaxed)
  }
}
