// SPDX-License-Identifier: MIT

internal import CRealtimeScope

/// A cycle's record as it lies in memory: two numbers to most words. What does not fit in half a word is
/// the greatest number that does.
struct CycleWords {
  static var count: Int { @_noLocks get { 6 } }

  var entryTicks: UInt64
  /// Ticks of the callback, and of the sources in it.
  var times: UInt64
  /// Ticks of the user's callbacks, and the frame clock.
  var callbackTimeAndClock: UInt64
  /// Frames of the cycle, and from the start of the server's cycle to the callback's entry.
  var sizes: UInt64
  /// Frames missed before it, and the server's xruns so far.
  var losses: UInt64
  /// Microseconds in the ring, packets, and flags.
  var work: UInt64

  private static var isStarved: UInt64 { @_noLocks get { 1 } }
  private static var isHeld: UInt64 { @_noLocks get { 2 } }
  private static var isFreewheeling: UInt64 { @_noLocks get { 4 } }
  private static var isMeasured: UInt64 { @_noLocks get { 8 } }
  private static var wasPreempted: UInt64 { @_noLocks get { 16 } }
  private static var knowsPreemption: UInt64 { @_noLocks get { 32 } }
  private static var none: UInt64 { @_noLocks get { 0xFFFF_FFFF } }

  @_noLocks
  init(
    entryTicks: UInt64, times: UInt64, callbackTimeAndClock: UInt64, sizes: UInt64,
    losses: UInt64, work: UInt64
  ) {
    self.entryTicks = entryTicks
    self.times = times
    self.callbackTimeAndClock = callbackTimeAndClock
    self.sizes = sizes
    self.losses = losses
    self.work = work
  }

  @_noLocks
  init(_ facts: CycleFacts, entryTicks: UInt64, exitTicks: UInt64, preemption: Preemption) {
    let done = facts.work
    self.entryTicks = entryTicks
    times = Self.pair(exitTicks &- entryTicks, done.sourceTicks)
    callbackTimeAndClock = Self.pair(done.callbackTicks, UInt64(facts.frameTime))
    sizes = Self.pair(UInt64(facts.frameCount), UInt64(facts.wakeFrames))
    losses = Self.pair(UInt64(facts.missedFrames), facts.xruns & 0xFFFF_FFFF)
    var flags: UInt64 = 0
    if done.isStarved { flags |= Self.isStarved }
    if facts.isHeld { flags |= Self.isHeld }
    if facts.isFreewheeling { flags |= Self.isFreewheeling }
    if facts.isMeasured { flags |= Self.isMeasured }
    if preemption == .some { flags |= Self.wasPreempted }
    if preemption != .unknown { flags |= Self.knowsPreemption }
    let microseconds =
      done.bufferedNanoseconds == .max ? Self.none : done.bufferedNanoseconds / 1000
    let packets = min(done.packets, 0xFFFF)
    work = Self.pair(microseconds, packets << 16 | flags)
  }

  func record(_ index: UInt64, scale: TickScale) -> CycleRecord {
    func nanoseconds(_ ticks: UInt64) -> UInt64 { scale.nanoseconds(ticks) }
    var record = CycleRecord(
      index: index, entryNanoseconds: scale.time(atTicks: entryTicks),
      durationNanoseconds: nanoseconds(times >> 32),
      frameTime: UInt32(truncatingIfNeeded: callbackTimeAndClock),
      frameCount: Int(sizes >> 32))
    record.sourceNanoseconds = nanoseconds(times & 0xFFFF_FFFF)
    record.callbackNanoseconds = nanoseconds(callbackTimeAndClock >> 32)
    record.wakeFrames = Int(sizes & 0xFFFF_FFFF)
    record.missedFrames = Int(losses >> 32)
    record.xruns = UInt32(truncatingIfNeeded: losses)
    record.packets = Int(work >> 16 & 0xFFFF)
    record.bufferedNanoseconds = work >> 32 == Self.none ? nil : (work >> 32) * 1000
    record.isStarved = work & Self.isStarved != 0
    record.isHeld = work & Self.isHeld != 0
    record.isFreewheeling = work & Self.isFreewheeling != 0
    record.isMeasured = work & Self.isMeasured != 0
    record.wasPreempted =
      work & Self.knowsPreemption == 0 ? nil : work & Self.wasPreempted != 0
    return record
  }

  @_noLocks
  private static func pair(_ high: UInt64, _ low: UInt64) -> UInt64 {
    min(high, none) << 32 | min(low, none)
  }
}
