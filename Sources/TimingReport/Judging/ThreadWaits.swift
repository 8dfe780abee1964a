// SPDX-License-Identifier: MIT

internal import RenderCore

/// The kernel's facts about a bad cycle that its record does not contain.
struct CycleWaits: Equatable {
  /// Processor time that the callback lost: to another thread, or to others on the machine's host.
  var lostNanoseconds: UInt64
  /// The time for which its thread was ready to run and did not, before and in this cycle and those that were read
  /// with it, beyond its usual waits.
  var waitNanoseconds: UInt64
  /// The time for which the whole process was stopped before or in this cycle.
  var stoppedNanoseconds: UInt64 = 0
}

/// An estimate of the time that cycles waited for their processor.
///
/// The record shows that a callback was preempted, but the callback could measure for how long only with a system
/// call. So the reader of the records asks the kernel now and then for the usage of the callback's thread. The cycles
/// lost the time that they took beyond that usage.
///
/// To its own kernel, a virtual machine that its host has stopped was not preempted. But if the host reports this
/// steal time, the kernel does not count it as used.
struct ThreadWaits {
  private var last: ThreadUsage?
  /// The thread's usual processor time around each callback: waking up, and notifying the server.
  private var overhead = UsualTime()
  /// The thread's usual wait for its processor in a cycle.
  private var usualWait = UsualTime()
  /// The usage beyond the usual one before the last reading; if a cycle was at work then, for that one.
  private var surplusNanoseconds = 0.0

  /// Estimates the waits of the next cycles.
  ///
  /// - Parameters:
  ///   - records: all cycles since the last call.
  ///   - usage: the thread's usage after the last of them; nil if the kernel does not report it.
  /// - Returns: a record's waits; nil if they are not known.
  mutating func estimate(
    _ records: [CycleRecord], usage: ThreadUsage?
  ) -> (CycleRecord) -> CycleWaits? {
    defer { last = usage }
    guard let usage, let last, usage.cpuNanoseconds >= last.cpuNanoseconds,
      usage.waitNanoseconds >= last.waitNanoseconds
    else {
      surplusNanoseconds = 0
      return { _ in nil }
    }
    let used = Double(usage.cpuNanoseconds - last.cpuNanoseconds)
    let took = records.reduce(0.0) { $0 + Double($1.durationNanoseconds) }
    let longestFirst = records.sorted { $0.durationNanoseconds > $1.durationNanoseconds }
    let preempted = longestFirst.filter { $0.wasPreempted == true }
    let usualRest = overhead.nanoseconds * Double(records.count)
    let rest = used - took - usualRest
    let isCutInTwo = records.first.map { $0.entryNanoseconds < last.timeNanoseconds } ?? false
    var lost = UInt64(max(0, -rest - (isCutInTwo ? surplusNanoseconds : 0)))
    surplusNanoseconds = overhead.isKnown ? max(0, rest) : 0
    // The loss is that of the longest preempted cycles. A rest beyond the variation of the time around the
    // callbacks, also of those before and after, is that of the longest other cycles.
    let doubtful = overhead.nanoseconds * max(Double(records.count) / 2, 2)
    var losses: [UInt64: UInt64] = [:]
    for record in preempted + longestFirst.filter({ $0.wasPreempted != true }) {
      let share = min(lost, record.durationNanoseconds)
      if record.wasPreempted != true, !overhead.isKnown || Double(share) <= doubtful { break }
      losses[record.index] = share
      lost -= share
    }
    if losses.isEmpty { overhead.learn(max(0, used - took), cycles: records.count) }
    let waited = Double(usage.waitNanoseconds - last.waitNanoseconds)
    let isUsual =
      preempted.isEmpty
      && records.allSatisfy { $0.wakeFrames * 2 < $0.frameCount && $0.missedFrames == 0 }
    if isUsual { usualWait.learn(waited, cycles: records.count) }
    let unusual = UInt64(max(0, waited - usualWait.nanoseconds * Double(records.count)))
    return { CycleWaits(lostNanoseconds: losses[$0.index] ?? 0, waitNanoseconds: unusual) }
  }
}

/// A thread's usual time in a cycle: the mean of its last cycles. Each counts the same, however many are read at once:
/// a cycle that is read by itself may show time that the next ones lack.
private struct UsualTime {
  /// The mean; 0 while nothing is known.
  private(set) var nanoseconds = 0.0
  private var cycles = 0.0
  var isKnown: Bool { cycles > 0 }
  /// The maximum number of cycles in the mean: some 20 seconds of 1024 frames, a second of 64.
  private static let mostCycles = 1000.0

  /// Adds the time that several cycles took together.
  mutating func learn(_ sum: Double, cycles count: Int) {
    guard count > 0 else { return }
    cycles = min(cycles + Double(count), Self.mostCycles)
    nanoseconds += (sum / Double(count) - nanoseconds) * min(1, Double(count) / cycles)
  }
}
