// SPDX-License-Identifier: MIT

import RenderCore
import Testing

@testable import TimingReport

@Suite("The judge of cycles")
struct CycleJudgeTests {
  private typealias Judged = (causes: [CycleCause], timings: [CycleTiming])

  /// Judges a hundred cycles in time, the given cycles, and twenty in time.
  private func judge(
    _ make: (inout CycleSequence) -> [CycleRecord]
  ) -> (bad: [BadCycle], timings: [CycleTiming?]) {
    var sequence = CycleSequence()
    var judge = CycleJudge(sampleRate: CycleSequence.sampleRate)
    var records = (0..<100).map { _ in sequence.next() }
    records += make(&sequence)
    records += (0..<20).map { _ in sequence.next() }
    let judgements = records.map { judge.judge($0) }
    return (judgements.flatMap(\.badCycles), judgements.map(\.timing))
  }

  @Test("finds no bad cycle among cycles in time, and measures their parts")
  func inTime() throws {
    let (bad, timings) = judge { _ in [] }
    #expect(bad == [])
    let last = try #require(timings.last ?? nil)
    #expect(last.periodNanoseconds == CycleSequence.periodNanoseconds)
    #expect(last.serverLatenessNanoseconds <= 1 && last.wakeNanoseconds == 20833)
    #expect(last.durationNanoseconds == CycleSequence.periodNanoseconds / 20)
    let headroom = Int64(CycleSequence.periodNanoseconds * 19 / 20) - 20833
    #expect(abs(last.headroomNanoseconds - headroom) <= 2)
  }

  @Test("calls a callback that takes too long over budget, or preempted if it lost its processor")
  func tooLong() {
    for (wasPreempted, cause) in [
      (false, CycleCause.overBudget), (nil, .overBudget), (true, .preempted),
    ] {
      // The server continues without the client, reports an xrun, and is two cycles ahead afterwards.
      let (bad, _) = judge { sequence in
        var late = sequence.next(durationNanoseconds: 3_000_000)
        late.wasPreempted = wasPreempted
        return [late, sequence.next(missedCycles: 2, newXRuns: 1)]
      }
      #expect(bad.map(\.cause) == [cause] && bad.map(\.index) == [100])
      #expect(bad.allSatisfy { (1_680_000...1_700_000).contains($0.overrunNanoseconds) })
    }
  }

  @Test("does not blame a server that waits for its clients for a client's delay")
  func waitingServer() {
    let (bad, _) = judge { sequence in
      [
        sequence.next(durationNanoseconds: 3_000_000),
        sequence.next(lateNanoseconds: 1_700_000, keepsTime: false, newXRuns: 1),
      ]
    }
    #expect(bad.map(\.cause) == [.overBudget])
  }

  @Test("reports woken late when the callback is entered late, or not at all")
  func wokenLate() {
    let (late, timings) = judge { [$0.next(wakeFrames: 63)] }
    #expect(late.map(\.cause) == [.wokenLate] && late.map(\.index) == [100])
    #expect(timings[100]?.wakeNanoseconds == 1_312_500)
    let (skipped, _) = judge { [$0.next(missedCycles: 3, newXRuns: 2)] }
    #expect(skipped.map(\.cause) == [.wokenLate])
  }

  @Test("blames the server when it begins late, with time lost or made up for")
  func server() {
    for keepsTime in [true, false] {
      let (bad, _) = judge {
        [$0.next(lateNanoseconds: 3_000_000, keepsTime: keepsTime, newXRuns: 1)]
      }
      #expect(bad.map(\.cause) == [.server] && bad.map(\.index) == [100], "\(keepsTime): \(bad)")
    }
  }

  @Test("reports a stall directly after another fault, but not the rest of that fault")
  func again() {
    let (bad, _) = judge { sequence in
      [
        sequence.next(wakeFrames: 80),
        sequence.next(lateNanoseconds: 4_000_000, keepsTime: false, newXRuns: 1),
      ]
    }
    #expect(bad.map(\.cause) == [.wokenLate, .server] && bad.map(\.index) == [100, 101])
    let (twice, timings) = judge { sequence in
      (0..<2).map { _ in sequence.next(lateNanoseconds: 3_000_000, keepsTime: false, newXRuns: 1) }
    }
    #expect(twice.map(\.cause) == [.server, .server])
    let lateness = timings[101]?.serverLatenessNanoseconds ?? 0
    #expect((2_990_000...3_010_000).contains(lateness))
  }

  @Test("blames the server for an unexplained xrun, whenever it is reported")
  func xruns() {
    let (bad, _) = judge { [$0.next(newXRuns: 2)] }
    #expect(bad.map(\.cause) == [.server] && bad.map(\.index) == [100])
    // The xrun is reported up to four cycles before or after its cause.
    for delay in -4...4 {
      let (bad, _) = judge { sequence in
        (0..<9).map { position in
          let duration: UInt64 = position == 4 ? 3_000_000 : 60_000
          return sequence.next(
            durationNanoseconds: duration, newXRuns: position == 4 + delay ? 1 : 0)
        }
      }
      #expect(bad.map(\.cause) == [.overBudget], "\(delay): \(bad)")
    }
  }

  @Test("counts a starvation once, whatever other faults occur while it lasts")
  func starved() {
    let (bad, _) = judge { sequence in
      var records = (0..<200).map { position in
        sequence.next(
          durationNanoseconds: position == 0 || position == 150 ? 3_000_000 : 60_000,
          newXRuns: position == 80 ? 1 : 0)
      }
      for position in records.indices { records[position].isStarved = true }
      records.append(sequence.next())
      var next = sequence.next()
      next.isStarved = true
      return records + [next]
    }
    #expect(bad.map(\.cause) == [.overBudget, .starved, .server, .overBudget, .starved])
    #expect(bad.map(\.index) == [100, 100, 180, 250, 301])
  }

  @Test("reports a stop of the process as the cause, and nothing else")
  func stopped() {
    func cause(_ record: CycleRecord, stopped: UInt64, waited: UInt64 = 0) -> [CycleCause] {
      var sequence = CycleSequence()
      var judge = CycleJudge(sampleRate: CycleSequence.sampleRate)
      for _ in 0..<100 { _ = judge.judge(sequence.next()) }
      var late = record
      late.index = 100
      late.entryNanoseconds += sequence.next().entryNanoseconds
      let waits = CycleWaits(
        lostNanoseconds: 0, waitNanoseconds: waited, stoppedNanoseconds: stopped)
      return judge.judge(late, waits: waits).badCycles.map(\.cause)
    }
    var skipped = CycleRecord(
      index: 0, entryNanoseconds: 0, durationNanoseconds: 60_000, frameTime: 0,
      frameCount: CycleSequence.frameCount)
    skipped.missedFrames = 100 * CycleSequence.frameCount
    skipped.entryNanoseconds = 100 * CycleSequence.periodNanoseconds
    #expect(cause(skipped, stopped: 130_000_000) == [.stopped])
    #expect(cause(skipped, stopped: 0) == [.server])
    #expect(cause(skipped, stopped: 20_000_000) == [.server])
    #expect(cause(skipped, stopped: 20_000_000, waited: 133_000_000) == [.wokenLate])
    // A stop during a callback, and with a server that waits for its clients.
    var long = skipped
    (long.missedFrames, long.entryNanoseconds, long.durationNanoseconds) = (0, 0, 100_000_000)
    #expect(cause(long, stopped: 99_000_000) == [.stopped])
    #expect(cause(long, stopped: 0) == [.overBudget])
    var late = long
    (late.entryNanoseconds, late.durationNanoseconds) = (100_000_000, 60_000)
    #expect(cause(late, stopped: 99_000_000) == [.stopped])
    #expect(cause(late, stopped: 0) == [.server])
  }

  @Test("finds a stop by the time in which the reading thread neither slept, ran nor waited")
  func stops() {
    func usage(_ time: UInt64, cpu: UInt64 = 0, wait: UInt64 = 0) -> ThreadUsage {
      ThreadUsage(
        cpuNanoseconds: cpu * 1_000_000, waitNanoseconds: wait * 1_000_000,
        timeNanoseconds: time * 1_000_000)
    }
    func record(_ time: UInt64) -> CycleRecord {
      CycleRecord(
        index: 0, entryNanoseconds: time * 1_000_000, durationNanoseconds: 60_000, frameTime: 0,
        frameCount: 64)
    }
    func stop(
      _ later: ThreadUsage, paused: UInt64? = 10, thread: UInt = 1, at time: UInt64 = 1399
    ) -> UInt64 {
      var stops = ProcessStops()
      stops.look(thread: 1, usage: usage(1000), pausedNanoseconds: nil)
      stops.look(
        thread: thread, usage: later, pausedNanoseconds: paused.map { $0 * 1_000_000 })
      return stops.nanoseconds(at: record(time)) / 1_000_000
    }
    #expect(stop(usage(1400)) == 400)
    // Cycles before the stop, and long after it.
    #expect(stop(usage(1400), at: 990) == 0 && stop(usage(1400), at: 1430) == 0)
    // The cycle is shortly after the reading.
    #expect(stop(usage(1400), at: 1405) == 400)
    // The thread slept, waited, ran, or was another one.
    #expect(stop(usage(1400), paused: 396) == 0)
    #expect(stop(usage(1400, wait: 388)) == 0)
    #expect(stop(usage(1400, cpu: 388)) == 0)
    #expect(stop(usage(1400), thread: 2) == 0)
    #expect(stop(usage(1400), paused: nil) == 0)
  }

  @Test("follows a server whose clock is slower or faster than the machine's")
  func skew() {
    for skew in [-50e-6, 50e-6] {
      var sequence = CycleSequence()
      sequence.skew = skew
      var judge = CycleJudge(sampleRate: CycleSequence.sampleRate)
      var latest: UInt64 = 0
      for _ in 0..<60 * 750 {
        let judgement = judge.judge(sequence.next())
        #expect(judgement.badCycles == [])
        latest = max(latest, judgement.timing?.serverLatenessNanoseconds ?? 0)
      }
      #expect(latest <= 101_000, "\(skew): \(latest)")
    }
  }

  @Test("does not judge cycles without a deadline, and starts again after them")
  func untimed() {
    let (bad, timings) = judge { sequence in
      var held = sequence.next(durationNanoseconds: 3_000_000)
      held.isHeld = true
      var free = sequence.next(lateNanoseconds: 900_000_000, durationNanoseconds: 3_000_000)
      free.isFreewheeling = true
      let after = sequence.next(lateNanoseconds: 5_000_000, keepsTime: false)
      return [held, free, after]
    }
    #expect(bad == [])
    #expect(timings[100] == nil && timings[101] == nil && timings[102] != nil)
  }

  @Test("starts again with cycles of another size, and after missing records")
  func breaks() {
    let (bad, _) = judge { sequence in
      var other = sequence.next(lateNanoseconds: 5_000_000, keepsTime: false)
      other.isMeasured = false
      for _ in 0..<10 { _ = sequence.next(lateNanoseconds: 5_000_000, keepsTime: false) }
      return [other, sequence.next()]
    }
    #expect(bad == [])
  }
}
