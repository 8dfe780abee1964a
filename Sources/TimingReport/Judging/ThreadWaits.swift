// SPDX-License-Identifier: MIT

internal import RenderCore

/// What the kernel knows of a cycle that went wrong, and its record does not.
struct CycleWaits: Equatable {
  /// Processor time that the callback lost: to another thread, or to others on the machine's host.
  var lostNanoseconds: UInt64
  /// The time for which its thread was ready to run and did not, before and in this cycle and those that
  /// were read with it, beyond what it waits in every cycle.
  var waitNanoseconds: UInt64
  /// The time for which the whole process was stopped before or in this cycle.
  var stoppedNanoseconds: UInt64 = 0
}

/// How long cycles waited for their processor.
///
/// That a callback was preempted, the record tells; how long, nothing in the callback could tell without a
/// system call. So whoever reads the records asks the kernel now and then what the callback's thread has
/// used. What the cycles since then took beyond that, they lost.
///
/// A virtual machine that its host has stopped was not preempted for all that its kernel saw. But a kernel that is
/// told of it by the host (steal time) does not count it as used.
struct ThreadWaits {
  private var last: ThreadUsage?
  /// What the thread uses around each callback: waking up, and telling the server.
  private var overhead = UsualTime()
  /// What the thread waits for its processor in a cycle in which nothing goes wrong.
  private var usualWait = UsualTime()
  /// Used beyond what is usual before the last reading; if a cycle was at work then, for that one.
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
    let longestFirst = records.sorted { $0.durationNanoseconds > $1.durationNanoseconds }
    let preempted = longestFirst.filter { $0.wasPreempted == true }
    let usualRest = overhead.nanoseconds * Double(records.count)
    let rest = used - took - usualRest
    let isCutInTwo = records.first.map { $0.entryNanoseconds < last.timeNanoseconds } ?? false
    var lost = UInt64(max(0, -rest - (isCutInTwo ? surplusNanoseconds : 0)))
    surplusNanoseconds = overhead.isKnown ? max(0, rest) : 0
    // The longest of those that were preempted are what lost it. Where it is more than the time around the
    // callbacks may differ by, or be counted with the cycles before or behind, the longest of the others.
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

/// What a thread takes in a cycle when nothing happens: the mean of its last cycles. Each counts the same, however
/// many are read at once: what is one cycle's when it is read by itself may not be the next ones'.
private struct UsualTime {
  /// In a cycle; 0 while nothing is known.
  private(set) var nanoseconds = 0.0
  private var cycles = 0.0
  var isKnown: Bool { cycles > 0 }
  /// Those that count: some 20 seconds of 1024 frames, a second of 64.
  private static let mostCycles = 1000.0

  /// Takes in what so many cycles took together.
  mutating func learn(_ sum: Double, cycles count: Int) {
    guard count > 0 else { return }
    cycles = min(cycles + Double(count), Self.mostCycles)
    nanoseconds += (sum / Double(count) - nanoseconds) * min(1, Double(count) / cycles)
  }
}
