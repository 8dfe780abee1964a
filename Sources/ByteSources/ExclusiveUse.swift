// SPDX-License-Identifier: MIT

import Synchronization

/// Traps when two threads use the same source at once. This makes a source's state safe in a `Sendable` class
/// without a lock.
final class ExclusiveUse: Sendable {
  private let isInUse = Atomic(false)

  /// Runs the body exclusively.
  func callAsFunction<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let (exchanged, _) = isInUse.compareExchange(
      expected: false, desired: true, ordering: .acquiring)
    precondition(exchanged, "a byte source is used by two threads at once")
    defer { isInUse.store(false, ordering: .releasing) }
    return try body()
  }
}
