// SPDX-License-Identifier: MIT

internal import Synchronization

/// The scheduled gains of an edge: a queue from the control side to the render thread.
@safe
struct GainSchedule: ~Copyable {
  struct Event: BitwiseCopyable {
    /// The device frame with which the ramp begins.
    let frame: UInt64
    let gain: Float
    /// The length of the ramp.
    let frameCount: Int
    /// The last edit of the gain before this event. An edit after it cancels the event.
    var change: UInt64 = 0
  }

  static let capacity = 256

  private let events: UnsafeMutablePointer<Event>
  private let written = Atomic<Int>(0)
  private let taken = Atomic<Int>(0)

  init() {
    unsafe events = .allocate(capacity: Self.capacity)
  }

  deinit { unsafe events.deallocate() }

  /// Appends an event. One thread at a time.
  ///
  /// - Returns: false if the queue is full.
  func append(_ event: Event) -> Bool {
    if !hasRoom { return false }
    let end = written.load(ordering: .relaxed)
    unsafe (events + end % Self.capacity).initialize(to: event)
    written.store(end + 1, ordering: .releasing)
    return true
  }

  var hasRoom: Bool {
    written.load(ordering: .relaxed) - taken.load(ordering: .acquiring) < Self.capacity
  }

  /// Returns the first event, and skips those that the last edit has cancelled. Render thread only.
  @_noLocks
  func first(since change: UInt64) -> Event? {
    while taken.load(ordering: .relaxed) != written.load(ordering: .acquiring) {
      let event = unsafe events[taken.load(ordering: .relaxed) % Self.capacity]
      // Its edit belongs to a later plan.
      if event.change > change { return nil }
      if event.change == change { return event }
      removeFirst()
    }
    return nil
  }

  /// Removes the first event. Render thread only.
  @_noLocks
  func removeFirst() {
    taken.store(taken.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }
}
