// SPDX-License-Identifier: MIT

internal import CRealtimeScope

/// A cycle's record in memory: the size of one cache line of the processor, and only values that need no computation
/// while it is written.
struct CycleWords {
  static var count: Int { @_noLocks get { 8 } }

  var entryTicks: UInt64
  /// The duration of the callback.
  var ticks: UInt64
  /// The ticks of the sources, and the slowest node's number.
  var sourcesAndNode: UInt64
  /// The ticks of the user's callbacks, and of the slowest node.
  var callbacksAndNode: UInt64
  /// The sound in the ring; `.max` for none.
  var bufferedNanoseconds: UInt64
  /// The frame clock, and the frames of the cycle.
  var frames: UInt64
  /// Frames from the start of the server's cycle to the callback's entry, and the frames missed before it.
  var delays: UInt64
  /// The server's xruns so far, packets, and flags.
  var counts: UInt64

  private static var isStarved: UInt64 { @_noLocks get { 1 } }
  private static var isHeld: UInt64 { @_noLocks get { 2 } }
  private static var isFreewheeling: UInt64 { @_noLocks get { 4 } }
  private static var isMeasured: UInt64 { @_noLocks get { 8 } }
  private static var wasPreempted: UInt64 { @_noLocks get { 16 } }
  private static var knowsNoPreemption: UInt64 { @_noLocks get { 32 } }
  private static var flagBits: UInt64 { @_noLocks get { 6 } }
  /// More than the packets of any cycle.
  private static var mostPackets: UInt64 { @_noLocks get { 0x3FF_FFFF } }

  @_noLocks
  @inline(__always)
  init(
    entryTicks: UInt64, ticks: UInt64, sourcesAndNode: UInt64, callbacksAndNode: UInt64,
    bufferedNanoseconds: UInt64, frames: UInt64, delays: UInt64, counts: UInt64
  ) {
    self.entryTicks = entryTicks
    self.ticks = ticks
    self.sourcesAndNode = sourcesAndNode
    self.callbacksAndNode = callbacksAndNode
    self.bufferedNanoseconds = bufferedNanoseconds
    self.frames = frames
    self.delays = delays
    self.counts = counts
  }

  /// Encodes a record. Inlined into its caller: decoding since the cycle before has filled the processor's caches, and
  /// every line of code that a cycle loads again costs time.
  @_noLocks
  @inline(__always)
  init(_ facts: CycleFacts, entryTicks: UInt64, exitTicks: UInt64, preemption: Preemption) {
    let done = facts.work
    self.entryTicks = entryTicks
    ticks = exitTicks &- entryTicks
    sourcesAndNode = Self.pair(Self.short(done.sourceTicks), done.slowestNode)
    callbacksAndNode = Self.pair(Self.short(done.callbackTicks), Self.short(done.slowestNodeTicks))
    bufferedNanoseconds = done.bufferedNanoseconds
    frames = Self.pair(facts.frameTime, facts.frameCount)
    delays = Self.pair(facts.wakeFrames, facts.missedFrames)
    let packets = done.packets < Self.mostPackets ? done.packets : Self.mostPackets
    counts =
      facts.xruns &<< 32 | packets &<< Self.flagBits
      | Self.flag(done.isStarved, Self.isStarved) | Self.flag(facts.isHeld, Self.isHeld)
      | Self.flag(facts.isFreewheeling, Self.isFreewheeling)
      | Self.flag(facts.isMeasured, Self.isMeasured)
      | Self.flag(preemption == .some, Self.wasPreempted)
      | Self.flag(preemption == .unknown, Self.knowsNoPreemption)
  }

  func record(_ index: UInt64, scale: TickScale) -> CycleRecord {
    var record = CycleRecord(
      index: index, entryNanoseconds: scale.time(atTicks: entryTicks),
      durationNanoseconds: scale.nanoseconds(ticks),
      frameTime: UInt32(truncatingIfNeeded: frames >> 32), frameCount: Int(frames & 0xFFFF_FFFF))
    record.sourceNanoseconds = scale.nanoseconds(sourcesAndNode >> 32)
    record.callbackNanoseconds = scale.nanoseconds(callbacksAndNode >> 32)
    let node = UInt32(truncatingIfNeeded: sourcesAndNode)
    if node > 0 {
      record.slowestNode = node
      record.slowestNodeNanoseconds = scale.nanoseconds(callbacksAndNode & 0xFFFF_FFFF)
    }
    record.wakeFrames = Int(delays >> 32)
    record.missedFrames = Int(delays & 0xFFFF_FFFF)
    record.xruns = UInt32(truncatingIfNeeded: counts >> 32)
    record.packets = Int(counts >> Self.flagBits & Self.mostPackets)
    record.bufferedNanoseconds = bufferedNanoseconds == .max ? nil : bufferedNanoseconds
    record.isStarved = counts & Self.isStarved != 0
    record.isHeld = counts & Self.isHeld != 0
    record.isFreewheeling = counts & Self.isFreewheeling != 0
    record.isMeasured = counts & Self.isMeasured != 0
    record.wasPreempted =
      counts & Self.knowsNoPreemption != 0 ? nil : counts & Self.wasPreempted != 0
    return record
  }

  @_noLocks
  @inline(__always)
  private static func pair(_ high: UInt32, _ low: UInt32) -> UInt64 {
    UInt64(high) &<< 32 | UInt64(low)
  }

  /// Returns ticks in 32 bits, which hold a second at least.
  @_noLocks
  @inline(__always)
  private static func short(_ ticks: UInt64) -> UInt32 {
    ticks > UInt64(UInt32.max) ? .max : UInt32(truncatingIfNeeded: ticks)
  }

  @_noLocks
  @inline(__always)
  private static func flag(_ isSet: Bool, _ bit: UInt64) -> UInt64 { isSet ? bit : 0 }
}
