// SPDX-License-Identifier: MIT

internal import RenderCore

/// What the kernel knows of a cycle that went wrong, and its record does not.
struct CycleWaits: Equatable {
  /// Processor time that the callback lost, if it was preempted.
  var lostNanoseconds: UInt64
  /// The time for which its thread was ready to run and did not, before and in this cycle and those that
  /// were read with it, beyond what it waits in every cycle.
  var waitNanoseconds: UInt64
}

/// How long cycles waited for their processor.
///
/// That a callback was preempted, the record tells; how long, nothing in the callback could tell without a
/// system call. So whoever reads the records asks the kernel now and then what the callback's thread has
/// used. What the cycles since then took beyond that, they lost.
struct ThreadWaits {
  private var last: ThreadUsage?
  /// What the thread uses around each callback: waking up, and telling the server.
  private var overheadNanoseconds: Double?
  /// What the thread waits for its processor in a cycle in which nothing goes wrong.
  private var usualWaitNanoseconds: Double?
  /// Used before, for a cycle that had not ended by then.
  private var surplusNanoseconds = 0.0

  /// Finds out how the next cycles waited.
  ///
  /// - Parameters:
  ///   - records: all cycles since the last call.
  ///   - usage: the thread's, after the last of them; nil when the kernel does not tell.
  /// - Returns: a record's waits; nil when they cannot be told.
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
    let preempted = records.filter { $0.wasPreempted == true }
    if preempted.isEmpty, !records.isEmpty {
      let overhead = max(0, used - took) / Double(records.count)
      let known = overheadNanoseconds ?? overhead
      overheadNanoseconds = known + (overhead - known) / 8
    }
    let rest = used - took - (overheadNanoseconds ?? 0) * Double(records.count)
    // The longest are what lost it.
    var lost = UInt64(max(0, -rest - surplusNanoseconds))
    surplusNanoseconds = max(0, rest)
    var losses: [UInt64: UInt64] = [:]
    for record in preempted.sorted(by: { $0.durationNanoseconds > $1.durationNanoseconds }) {
      let share = min(lost, record.durationNanoseconds)
      losses[record.index] = share
      lost -= share
    }
    let waited = Double(usage.waitNanoseconds - last.waitNanoseconds)
    let count = Double(records.count)
    let isUsual =
      preempted.isEmpty
      && records.allSatisfy { $0.wakeFrames * 2 < $0.frameCount && $0.missedFrames == 0 }
    if isUsual, count > 0 {
      let known = usualWaitNanoseconds ?? waited / count
      usualWaitNanoseconds = known + (waited / count - known) / 8
    }
    let unusual = UInt64(max(0, waited - (usualWaitNanoseconds ?? 0) * count))
    return { CycleWaits(lostNanoseconds: losses[$0.index] ?? 0, waitNanoseconds: unusual) }
  }
}
