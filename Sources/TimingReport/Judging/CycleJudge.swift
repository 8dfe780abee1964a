// SPDX-License-Identifier: MIT

public import RenderCore

/// A judge of cycles, one after the other: the lateness of each, and the causes of bad ones.
///
/// A cycle is bad if the callback ended after the next one's ideal start, if the server went on without the client, if
/// a source that is to play ran out of sound, or if the server reported an xrun. One mishap is one bad cycle: its
/// consequences, such as the server's xrun report, a new grid, or the cycles until there is sound again, are not
/// counted.
public struct CycleJudge: Sendable {
  /// The judgement of a record.
  public struct Judgement: Sendable, Equatable {
    /// The times of the cycle; nil where time does not count: in a freewheeling server's cycles, and while the client
    /// is held.
    public var timing: CycleTiming?
    /// The bad cycles found: this one or, for an unexplained xrun, one a few cycles before.
    public var badCycles: [BadCycle]
  }

  /// Cycles by which an xrun's report may precede or follow its cause: another thread counts it.
  private static let xrunDelayCycles = 4

  /// Frames per second of the server. Set it when that changes.
  public var sampleRate: Double
  private var grid = CycleGrid()
  private var last: CycleRecord?
  /// Whether the grid begins anew with the next cycle.
  private var isGridBroken = true
  /// Whether the last cycle was bad in its time.
  private var wasLate = false
  /// Whether there was nothing to play in the last cycle.
  private var wasStarved = false
  /// The lateness of the next cycle that the last one explains.
  private var aftermathNanoseconds: UInt64 = 0
  private var cyclesSinceBad = Int.max
  /// Cycles since the report of an xrun that nothing explains yet.
  private var cyclesSinceXRun: Int?

  /// Creates a judge that begins with the next record.
  public init(sampleRate: Double) {
    self.sampleRate = sampleRate
  }

  /// Judges the next record. Begins anew if records are missing before it.
  public mutating func judge(_ record: CycleRecord) -> Judgement {
    judge(record, waits: nil)
  }

  /// Judges the next record.
  ///
  /// - Parameter waits: its waits for the processor; nil if they are not known.
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
    // A source without sound does not delay the cycle: no xrun comes of it.
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
    // After a mishap the driver may begin a new grid: lateness by then belongs to the mishap. If more than half a
    // period goes beyond that, it is a new mishap.
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

  /// Returns the bad cycle if a cycle's time was wrong.
  private func judge(
    _ timing: CycleTiming, of record: CycleRecord, waits: CycleWaits?, follows isMeasured: Bool
  ) -> BadCycle? {
    if timing.headroomNanoseconds < 0 {
      return BadCycle(
        index: record.index, cause: cause(of: timing, record.wasPreempted, waits),
        overrunNanoseconds: UInt64(-timing.headroomNanoseconds))
    }
    // The cycle before was in time, and the server did not wait for this one: the server's clock went on, so it was in
    // time, too.
    if isMeasured, record.missedFrames > 0, !wasLate {
      let missed = UInt64(Double(record.missedFrames) * 1_000_000_000 / sampleRate)
      return BadCycle(
        index: record.index, cause: Self.cause(ofWake: missed, waits), overrunNanoseconds: missed)
    }
    return nil
  }

  /// Returns the cause by the longest of the parts that made a cycle late.
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
        // Preempted, if it would have been in time without the loss, or if the loss was the longest part.
        let lost = min(waits.lostNanoseconds, timing.durationNanoseconds)
        return Int64(lost) + timing.headroomNanoseconds >= 0
          || lost > max(timing.durationNanoseconds - lost, timing.latenessNanoseconds)
      }
      return isLoss ?? (wasPreempted == true) ? .preempted : .overBudget
    }
    if timing.wakeNanoseconds < timing.serverLatenessNanoseconds { return .server }
    return Self.cause(ofWake: timing.wakeNanoseconds, waits)
  }

  /// Returns true if a stop of the process took at least half of a time.
  private static func wasStopped(for nanoseconds: UInt64, _ waits: CycleWaits?) -> Bool {
    waits.map { $0.stoppedNanoseconds > 0 && $0.stoppedNanoseconds >= nanoseconds / 2 } ?? false
  }

  /// Returns the cause of a late wake-up. A thread that was called in time waits for its processor. One that did not
  /// wait was called late: the server stood still between its cycle's start and the call.
  private static func cause(ofWake nanoseconds: UInt64, _ waits: CycleWaits?) -> CycleCause {
    if wasStopped(for: nanoseconds, waits) { return .stopped }
    return waits.map { $0.waitNanoseconds < nanoseconds / 2 } ?? false ? .server : .wokenLate
  }

  /// Returns a bad cycle for a reported xrun that no other bad cycle explains.
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
