// SPDX-License-Identifier: MIT

public import RenderCore

/// Judges cycles, one after the other: how each kept its time, and why those went wrong that did.
///
/// A cycle is bad when the callback ended after the time at which the next one should begin, when the server
/// went on without the client, when a source that is to play began to have nothing to play, or when the server told of
/// an xrun. One mishap is one bad cycle: what follows from it, such as the xrun that the server tells of,
/// a grid that begins anew, or the cycles until there is something to play again, is not counted again.
public struct CycleJudge: Sendable {
  /// What came of a record.
  public struct Judgement: Sendable, Equatable {
    /// How the cycle kept its time; nil where time does not count: in a freewheeling server's cycles, and
    /// while the client is held.
    public var timing: CycleTiming?
    /// What was found to be wrong: with this cycle, or, of an xrun that nothing explains, a few before.
    public var badCycles: [BadCycle]
  }

  /// Cycles that an xrun may be told before and after what it is about: another thread counts it.
  private static let xrunDelayCycles = 4

  /// Frames per second of the server. To be set when that changes.
  public var sampleRate: Double
  private var grid = CycleGrid()
  private var last: CycleRecord?
  /// The grid begins anew with the next cycle.
  private var isGridBroken = true
  /// Something was wrong with the last cycle's time.
  private var wasLate = false
  /// Nothing was there to play in the last cycle.
  private var wasStarved = false
  /// How late the next cycle may begin because of the last one.
  private var aftermathNanoseconds: UInt64 = 0
  private var cyclesSinceBad = Int.max
  /// Cycles since an xrun was told that nothing explains yet.
  private var cyclesSinceXRun: Int?

  /// Begins with the next record.
  public init(sampleRate: Double) {
    self.sampleRate = sampleRate
  }

  /// Takes in the next record. With records missing in between it begins anew.
  public mutating func judge(_ record: CycleRecord) -> Judgement {
    judge(record, waits: nil)
  }

  /// Takes in the next record.
  ///
  /// - Parameter waits: how it waited for its processor; nil when that is not known.
  mutating func judge(_ record: CycleRecord, waits: CycleWaits?) -> Judgement {
    defer { last = record }
    let isNext = last.map { $0.index &+ 1 == record.index } ?? false
    guard !record.isHeld, !record.isFreewheeling, record.frameCount > 0 else {
      isGridBroken = true
      wasLate = false
      cyclesSinceXRun = nil
      return Judgement(timing: nil, badCycles: [])
    }
    let isMeasured = isNext && record.isMeasured && last?.frameCount == record.frameCount
    if !isMeasured || isGridBroken { wasLate = false }
    let timing = time(record, follows: isMeasured)
    var bad: [BadCycle] = []
    if let lateness = judge(timing, of: record, waits: waits, follows: isMeasured) {
      bad.append(lateness)
    }
    wasLate = !bad.isEmpty
    aftermathNanoseconds = max(
      timing.serverLatenessNanoseconds, UInt64(max(0, -timing.headroomNanoseconds)))
    if record.isStarved, !wasStarved {
      bad.append(BadCycle(index: record.index, cause: .starved))
    }
    wasStarved = record.isStarved
    // A source without sound keeps its time: no xrun comes of it.
    if let xrun = judgeXRuns(record, follows: isNext, isExplained: wasLate) {
      bad.append(xrun)
    }
    return Judgement(timing: timing, badCycles: bad)
  }

  private mutating func time(_ record: CycleRecord, follows isMeasured: Bool) -> CycleTiming {
    let nanosecondsPerFrame = 1_000_000_000 / sampleRate
    let wake = UInt64(Double(record.wakeFrames) * nanosecondsPerFrame)
    let start = record.entryNanoseconds &- wake
    var clockFrames: Int?
    if isMeasured, !isGridBroken, let last {
      clockFrames = last.frameCount + record.missedFrames
    }
    var lateness = grid.add(
      start: start, clockFrames: clockFrames, nanosecondsPerFrame: nanosecondsPerFrame)
    let period = UInt64(Double(record.frameCount) * nanosecondsPerFrame)
    // After a mishap the driver may begin a new grid: what it is late by then is the mishap's doing. What goes
    // beyond that by half a period is another one's.
    if wasLate, clockFrames != nil, lateness > 0 {
      let rest = lateness > aftermathNanoseconds ? lateness - aftermathNanoseconds : 0
      lateness = rest > period / 2 ? rest : 0
      _ = grid.add(
        start: start &- lateness, clockFrames: nil, nanosecondsPerFrame: nanosecondsPerFrame)
    }
    isGridBroken = false
    return CycleTiming(
      periodNanoseconds: period, serverLatenessNanoseconds: lateness, wakeNanoseconds: wake,
      durationNanoseconds: record.durationNanoseconds)
  }

  /// What was wrong with a cycle's time.
  private func judge(
    _ timing: CycleTiming, of record: CycleRecord, waits: CycleWaits?, follows isMeasured: Bool
  ) -> BadCycle? {
    if timing.headroomNanoseconds < 0 {
      return BadCycle(
        index: record.index, cause: cause(of: timing, record.wasPreempted, waits),
        overrunNanoseconds: UInt64(-timing.headroomNanoseconds))
    }
    // The cycle before was in time, and the server did not wait for this one: its clock went on, so it was
    // in time, too.
    if isMeasured, record.missedFrames > 0, !wasLate {
      let missed = UInt64(Double(record.missedFrames) * 1_000_000_000 / sampleRate)
      return BadCycle(
        index: record.index, cause: Self.cause(ofWake: missed, waits), overrunNanoseconds: missed)
    }
    return nil
  }

  /// Of the parts that made a cycle late, the longest.
  private func cause(
    of timing: CycleTiming, _ wasPreempted: Bool?, _ waits: CycleWaits?
  ) -> CycleCause {
    if Self.wasStopped(
      for: timing.latenessNanoseconds + timing.durationNanoseconds, waits)
    {
      return .stopped
    }
    if timing.durationNanoseconds >= timing.latenessNanoseconds {
      let isLoss = waits.map { waits in
        // Preempted, if it would have been in time without what it lost, or was late by that most of all.
        let lost = min(waits.lostNanoseconds, timing.durationNanoseconds)
        return Int64(lost) + timing.headroomNanoseconds >= 0
          || lost > max(timing.durationNanoseconds - lost, timing.latenessNanoseconds)
      }
      return isLoss ?? (wasPreempted == true) ? .preempted : .overBudget
    }
    if timing.wakeNanoseconds < timing.serverLatenessNanoseconds { return .server }
    return Self.cause(ofWake: timing.wakeNanoseconds, waits)
  }

  /// Whether a stop of the process was most of a time.
  private static func wasStopped(for nanoseconds: UInt64, _ waits: CycleWaits?) -> Bool {
    waits.map { $0.stoppedNanoseconds > 0 && $0.stoppedNanoseconds >= nanoseconds / 2 } ?? false
  }

  /// A thread that was called for in time waits for its processor. One that does not wait was called late:
  /// the server stood still between its cycle's beginning and the call.
  private static func cause(ofWake nanoseconds: UInt64, _ waits: CycleWaits?) -> CycleCause {
    if wasStopped(for: nanoseconds, waits) { return .stopped }
    return waits.map { $0.waitNanoseconds < nanoseconds / 2 } ?? false ? .server : .wokenLate
  }

  /// An xrun that was told and that no bad cycle explains.
  private mutating func judgeXRuns(
    _ record: CycleRecord, follows isNext: Bool, isExplained: Bool
  ) -> BadCycle? {
    cyclesSinceBad = isExplained ? 0 : cyclesSinceBad == .max ? .max : cyclesSinceBad + 1
    if isNext, let last, record.xruns != last.xruns { cyclesSinceXRun = cyclesSinceXRun ?? 0 }
    guard let since = cyclesSinceXRun else { return nil }
    if cyclesSinceBad <= Self.xrunDelayCycles {
      cyclesSinceXRun = nil
      return nil
    }
    if since < Self.xrunDelayCycles {
      cyclesSinceXRun = since + 1
      return nil
    }
    cyclesSinceXRun = nil
    return BadCycle(index: record.index &- UInt64(Self.xrunDelayCycles), cause: .server)
  }
}
