// SPDX-License-Identifier: MIT

/// The sum of the last values of a sequence of integers. The sum is exact, so it is 0 again after zeros.
///
/// Real-time: every call but the initialiser is wait-free, render thread only.
@safe
struct MovingSum: ~Copyable {
  private let window: Int
  private let values: UnsafeMutablePointer<Int>
  private var position = 0
  private(set) var sum = 0

  /// - Parameter window: the number of values, at least one.
  init(window: Int) {
    self.window = window
    unsafe values = .allocate(capacity: window)
    unsafe values.initialize(repeating: 0, count: window)
  }

  deinit { unsafe values.deallocate() }

  @_noLocks
  mutating func reset() {
    if sum == 0 { return }
    unsafe values.update(repeating: 0, count: window)
    sum = 0
  }

  /// Adds a value, 0 or more.
  ///
  /// - Returns: the sum of the last `window` values.
  @_noLocks
  mutating func push(_ value: Int) -> Int {
    sum = unsafe sum &+ value &- values[position]
    unsafe values[position] = value
    position = position &+ 1
    if position == window { position = 0 }
    return sum
  }
}
