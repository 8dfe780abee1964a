// SPDX-License-Identifier: MIT

import RenderCore
import Testing

@testable import TimingReport

@Suite("The cycles' wait for their processor")
struct ThreadWaitsTests {
  /// The thread's processor time around each callback.
  private static let overhead: UInt64 = 10_000
  private static let duration: UInt64 = 60_000

  /// A thread that renders, and the estimate of its cycles' waits.
  private struct Scene {
    var sequence = CycleSequence()
    var waits = ThreadWaits()
    var usage = ThreadUsage(
      cpuNanoseconds: 5_000_000, waitNanoseconds: 100_000, timeNanoseconds: 0)

    /// Reads ten windows of uneventful cycles.
    mutating func settle() {
      for _ in 0..<10 { _ = read((0..<75).map { _ in cycle() }) }
    }

    /// Returns a cycle that lost `lost` nanoseconds of its processor.
    mutating func cycle(
      _ durationNanoseconds: UInt64 = duration, lost: UInt64 = 0, wasPreempted: Bool = false
    ) -> CycleRecord {
      var record = sequence.next(durationNanoseconds: durationNanoseconds)
      record.wasPreempted = wasPreempted
      usage.cpuNanoseconds += durationNanoseconds - lost + overhead
      usage.waitNanoseconds += lost
      usage.timeNanoseconds = record.entryNanoseconds + durationNanoseconds
      return record
    }

    mutating func read(_ records: [CycleRecord]) -> (CycleRecord) -> CycleWaits? {
      waits.estimate(records, usage: usage)
    }
  }

  @Test("is unknown before the thread's use was read twice, and if the kernel does not count")
  func unknown() {
    var scene = Scene()
    let record = scene.cycle()
    #expect(scene.read([record])(record) == nil)
    let next = scene.cycle()
    #expect(scene.read([next])(next) != nil)
    #expect(scene.waits.estimate([next], usage: nil)(next) == nil)
  }

  @Test("is 3 ms for a callback that lost its processor for 3 ms")
  func preempted() throws {
    var scene = Scene()
    scene.settle()
    let before = (0..<20).map { _ in scene.cycle() }
    let bad = scene.cycle(Self.duration + 3_000_000, lost: 3_000_000, wasPreempted: true)
    let after = (0..<20).map { _ in scene.cycle() }
    let found = try #require(scene.read(before + [bad] + after)(bad))
    #expect((2_900_000...3_100_000).contains(found.lostNanoseconds))
    #expect(found.waitNanoseconds == 3_000_000)
  }

  @Test("is known as well right after the first two readings")
  func early() throws {
    var scene = Scene()
    for _ in 0..<2 { _ = scene.read((0..<75).map { _ in scene.cycle() }) }
    let bad = scene.cycle(Self.duration + 3_000_000, lost: 3_000_000, wasPreempted: true)
    let found = try #require(scene.read([bad] + (0..<20).map { _ in scene.cycle() })(bad))
    #expect((2_900_000...3_100_000).contains(found.lostNanoseconds))
  }

  @Test("is short for a callback that computed for 3 ms and was preempted briefly")
  func computing() throws {
    var scene = Scene()
    scene.settle()
    let bad = scene.cycle(3_040_000, lost: 40_000, wasPreempted: true)
    let found = try #require(scene.read([bad] + (0..<20).map { _ in scene.cycle() })(bad))
    #expect(found.lostNanoseconds < 200_000)
  }

  @Test("includes the host's time taken from a callback that was not preempted in the machine")
  func stolen() throws {
    var scene = Scene()
    scene.settle()
    let before = (0..<20).map { _ in scene.cycle() }
    let bad = scene.cycle(Self.duration + 3_000_000, lost: 3_000_000)
    let after = (0..<20).map { _ in scene.cycle() }
    let found = scene.read(before + [bad] + after)
    #expect((2_900_000...3_100_000).contains(try #require(found(bad)).lostNanoseconds))
    for record in before + after { #expect(found(record)?.lostNanoseconds == 0) }
    // A difference as small as the variation of the time around callbacks is not a loss.
    let long = scene.cycle(200_000, lost: 90_000)
    let usual = scene.read([long] + (0..<20).map { _ in scene.cycle() })
    #expect(usual(long)?.lostNanoseconds == 0)
    // Neither is a loss that is longer than any callback.
    let short = (0..<21).map { _ in scene.cycle() }
    scene.usage.cpuNanoseconds -= 400_000
    let brief = scene.read(short)
    for record in short { #expect(brief(record)?.lostNanoseconds == 0) }
    scene.settle()
    let busy = scene.cycle(3_000_000)
    let computed = scene.read([busy] + (0..<20).map { _ in scene.cycle() })
    #expect(computed(busy)?.lostNanoseconds == 0)
  }

  @Test("does not include computing during a reading of the thread's use")
  func straddling() throws {
    var scene = Scene()
    scene.settle()
    // 2 ms of the callback are counted with the cycles before it.
    let before = (0..<20).map { _ in scene.cycle() }
    let bad = scene.cycle(3_000_000, wasPreempted: true)
    let whole = scene.usage
    scene.usage.cpuNanoseconds -= 1_000_000 + Self.overhead
    scene.usage.timeNanoseconds = bad.entryNanoseconds + 2_000_000
    _ = scene.read(before)
    scene.usage = whole
    let found = try #require(scene.read([bad])(bad))
    #expect(found.lostNanoseconds < 500_000)
  }

  @Test("does not depend on earlier use if no callback ran during that reading")
  func whole() throws {
    var scene = Scene()
    scene.settle()
    let before = (0..<20).map { _ in scene.cycle() }
    scene.usage.cpuNanoseconds += 2_000_000
    _ = scene.read(before)
    let bad = scene.cycle(3_000_000, lost: 2_900_000)
    let found = try #require(scene.read([bad] + (0..<20).map { _ in scene.cycle() })(bad))
    #expect((2_800_000...3_000_000).contains(found.lostNanoseconds))
  }

  @Test("is exact to 0.1 ms when a few cycles are read at a time")
  func fine() throws {
    var scene = Scene()
    scene.settle()
    for lost: UInt64 in [60_000, 300_000] {
      let bad = scene.cycle(lost + 20_000, lost: lost)
      let found = try #require(scene.read([bad] + (0..<6).map { _ in scene.cycle() })(bad))
      #expect((lost - 5000...lost + 5000).contains(found.lostNanoseconds))
      _ = scene.read((0..<7).map { _ in scene.cycle() })
    }
    // The thread's use behind a callback's end may be counted with the next cycles.
    let last = scene.cycle()
    scene.usage.cpuNanoseconds -= Self.overhead
    let found = try #require(scene.read([last])(last))
    #expect(found.lostNanoseconds == 0)
  }

  @Test(
    "excludes the usual wait of every cycle, which is not learned from bad cycles")
  func usual() throws {
    var scene = Scene()
    func read(_ records: [CycleRecord], extra: UInt64 = 0) -> (CycleRecord) -> CycleWaits? {
      scene.usage.waitNanoseconds += 50_000 * UInt64(records.count) + extra
      return scene.read(records)
    }
    for _ in 0..<10 { _ = read((0..<75).map { _ in scene.cycle() }) }
    for _ in 0..<10 {
      let missed = scene.sequence.next(missedCycles: 1)
      let woken = read([missed] + (0..<29).map { _ in scene.cycle() }, extra: 1_500_000)
      #expect((1_400_000...1_600_000).contains(try #require(woken(missed)).waitNanoseconds))
    }
    let late = scene.sequence.next(wakeFrames: 72)
    let called = read([late] + (0..<29).map { _ in scene.cycle() })
    #expect(try #require(called(late)).waitNanoseconds < 100_000)
  }

  @Test("is measured as well after readings of single unusual cycles")
  func unusual() throws {
    var scene = Scene()
    scene.settle()
    for _ in 0..<3 {
      let cycle = scene.cycle()
      // A callback that runs during a reading of the thread's use, and one that waited.
      scene.usage.cpuNanoseconds += 500_000
      scene.usage.waitNanoseconds += 1_500_000
      _ = scene.read([cycle])
      let before = (0..<10).map { _ in scene.cycle() }
      let missed = scene.sequence.next(missedCycles: 1)
      scene.usage.waitNanoseconds += 1_500_000
      let found = scene.read(before + [missed] + (0..<20).map { _ in scene.cycle() })(missed)
      #expect((1_200_000...1_600_000).contains(try #require(found).waitNanoseconds))
    }
    let bad = scene.cycle(Self.duration + 3_000_000, lost: 3_000_000, wasPreempted: true)
    let found = scene.read([bad] + (0..<20).map { _ in scene.cycle() })(bad)
    #expect((2_700_000...3_100_000).contains(try #require(found).lostNanoseconds))
  }

  @Test("lets a judge distinguish a thread that waited from a server that called late")
  func woken() {
    for (waited, cause) in [(UInt64(1_400_000), CycleCause.wokenLate), (20_000, .server)] {
      var sequence = CycleSequence()
      var judge = CycleJudge(sampleRate: CycleSequence.sampleRate)
      for _ in 0..<100 { _ = judge.judge(sequence.next()) }
      let late = sequence.next(wakeFrames: 80)
      let waits = CycleWaits(lostNanoseconds: 0, waitNanoseconds: waited)
      #expect(judge.judge(late, waits: waits).badCycles.map(\.cause) == [cause])
    }
  }

  @Test("lets a judge distinguish lost time from a late start and from computing")
  func longest() {
    for (lost, cause) in [(UInt64(2_900_000), CycleCause.preempted), (1_200_000, .overBudget)] {
      var sequence = CycleSequence()
      var judge = CycleJudge(sampleRate: CycleSequence.sampleRate)
      for _ in 0..<100 { _ = judge.judge(sequence.next()) }
      var late = sequence.next(wakeFrames: 60, durationNanoseconds: 3_000_000)
      late.wasPreempted = true
      let waits = CycleWaits(lostNanoseconds: lost, waitNanoseconds: lost)
      #expect(judge.judge(late, waits: waits).badCycles.map(\.cause) == [cause])
    }
  }

  @Test(
    "lets a judge distinguish a too long callback from one that would have been in time")
  func budget() {
    for (lost, cause) in [(UInt64(2_000_000), CycleCause.preempted), (40_000, .overBudget)] {
      for wasPreempted in [true, false, nil] {
        var sequence = CycleSequence()
        var judge = CycleJudge(sampleRate: CycleSequence.sampleRate)
        for _ in 0..<100 { _ = judge.judge(sequence.next()) }
        var late = sequence.next(durationNanoseconds: 3_000_000)
        late.wasPreempted = wasPreempted
        let waits = CycleWaits(lostNanoseconds: lost, waitNanoseconds: lost)
        #expect(judge.judge(late, waits: waits).badCycles.map(\.cause) == [cause])
      }
    }
  }
}
