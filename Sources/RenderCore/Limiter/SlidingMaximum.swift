// SPDX-License-Identifier: MIT

/// The largest of the last values of a sequence, with a constant number of steps for each value on average.
///
/// It keeps the values that can still become the maximum: each is smaller than the one before it. A value of 0 is
/// never stored.
///
/// Real-time: every call but the initialiser is wait-free, render thread only.
@safe
struct SlidingMaximum: ~Copyable {
  private let window: Int
  private let values: UnsafeMutablePointer<Double>
  /// For each value, the time at which it leaves the window.
  private let ends: UnsafeMutablePointer<Int>
  private var first = 0
  private var count = 0
  private var time = 0

  /// - Parameter window: the number of values, at least one.
  init(window: Int) {
    self.window = window
    unsafe values = .allocate(capacity: window)
    unsafe values.initialize(repeating: 0, count: window)
    unsafe ends = .allocate(capacity: window)
    unsafe ends.initialize(repeating: 0, count: window)
  }

  deinit {
    unsafe values.deallocate()
    unsafe ends.deallocate()
  }

  /// True while all values of the window are 0.
  var isZero: Bool { @_noLocks get { count == 0 } }

  @_noLocks
  mutating func reset() { count = 0 }

  /// Adds a value, 0 or more.
  ///
  /// - Returns: the maximum of the last `window` values.
  @_noLocks
  mutating func push(_ value: Double) -> Double {
    time = time &+ 1
    if count > 0, unsafe ends[first] == time {
      first = place(1)
      count = count &- 1
    }
    if value > 0 {
      while count > 0, unsafe values[place(count &- 1)] <= value { count = count &- 1 }
      let last = place(count)
      unsafe values[last] = value
      unsafe ends[last] = time &+ window
      count = count &+ 1
    }
    return unsafe count > 0 ? values[first] : 0
  }

  /// Returns the index of the value that follows the first one by `offset`.
  @_noLocks
  private func place(_ offset: Int) -> Int {
    let place = first &+ offset
    return place < window ? place : place &- window
  }
}
