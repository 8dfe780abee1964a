// SPDX-License-Identifier: MIT

import RenderCore
import Testing

@testable import TimingReport

@Suite("Timing statistics")
struct TimingStatisticsTests {
  /// The cycles of the first half second, which do not count.
  private static let warmUpCycles = 376

  private func statistics(
    _ make: (inout CycleSequence) -> [CycleRecord]
  ) -> TimingStatistics {
    var sequence = CycleSequence()
    var statistics = TimingStatistics(sampleRate: CycleSequence.sampleRate)
    for _ in 0..<Self.warmUpCycles { statistics.add(sequence.next()) }
    for record in make(&sequence) { statistics.add(record) }
    statistics.finish()
    return statistics
  }

  @Test("count the cycles after the first half second")
  func warmUp() {
    var sequence = CycleSequence()
    var statistics = TimingStatistics(sampleRate: CycleSequence.sampleRate)
    for _ in 0..<200 { statistics.add(sequence.next(durationNanoseconds: 2_000_000)) }
    #expect(statistics.cycles == 0 && statistics.badCycles == 0)
    #expect(statistics.greatest(.duration) == 0)
    #expect(statistics.nanoseconds(.duration, percentile: 99) == 0)
  }

  @Test("have percentiles exact to a thousandth")
  func percentiles() {
    let statistics = statistics { sequence in
      (1...1000).map { sequence.next(durationNanoseconds: UInt64($0) * 100) }
    }
    #expect(statistics.cycles == 1000)
    for (percentile, wanted) in [(50.0, 50_000.0), (90, 90_000), (99, 99_000), (99.9, 99_900)] {
      let value = Double(statistics.nanoseconds(.duration, percentile: percentile))
      #expect(abs(value / wanted - 1) < 0.002, "\(percentile): \(value)")
    }
    #expect(statistics.greatest(.duration) >= 100_000)
    #expect(statistics.greatest(.duration) < 100_200)
    #expect(statistics.nanoseconds(.interval, percentile: 50) / 1000 == 1333)
  }

  @Test("count packets, sound in the ring, missed cycles, xruns and lost processors")
  func counts() {
    let statistics = statistics { sequence in
      (0..<100).map { position in
        var record = sequence.next(
          missedCycles: position == 50 ? 3 : 0, newXRuns: position == 50 ? 2 : 0)
        record.packets = position % 2
        record.bufferedNanoseconds = position == 0 ? nil : UInt64(1000 - position) * 1_000_000
        record.wasPreempted = position % 10 == 0
        record.durationNanoseconds = UInt64(position % 10 == 0 ? 400_000 : 60_000 + position)
        return record
      }
    }
    #expect(statistics.packets == 50 && statistics.missedCycles == 3 && statistics.xruns == 2)
    #expect(statistics.leastBufferedNanoseconds == 901_000_000)
    #expect(statistics.preemptedCycles == 10)
    #expect(statistics.longestUnpreemptedNanoseconds == 60_099)
    #expect(statistics.greatest(.duration) >= 400_000)
    #expect(statistics.count(of: .wokenLate) == 1 && statistics.badCycles == 1)
  }

  @Test("count a callback that its host stopped as preempted")
  func stolen() {
    var sequence = CycleSequence()
    var statistics = TimingStatistics(
      sampleRate: CycleSequence.sampleRate, warmUpNanoseconds: 0)
    for duration: UInt64 in [60_000, 900_000, 100_000] {
      let waits = CycleWaits(lostNanoseconds: duration == 900_000 ? 800_000 : 0, waitNanoseconds: 0)
      _ = statistics.add(sequence.next(durationNanoseconds: duration), waits: waits)
    }
    #expect(statistics.preemptedCycles == 1)
    #expect(statistics.longestUnpreemptedNanoseconds == 100_000)
  }

  @Test("keep the worst bad cycles, each with four cycles before and after it")
  func incidents() throws {
    let statistics = statistics { sequence in
      (0..<1000).map { position in
        sequence.next(
          durationNanoseconds: position % 20 == 10 ? 1_500_000 + UInt64(position) : 60_000)
      }
    }
    #expect(statistics.count(of: .overBudget) == 50)
    #expect(statistics.incidents.count == TimingStatistics.maximumIncidents)
    let overruns = statistics.incidents.map(\.badCycle.overrunNanoseconds)
    #expect(overruns == overruns.sorted(by: >))
    for incident in statistics.incidents {
      let first = incident.badCycle.index - 4
      #expect(incident.records.map(\.index) == Array(first...first + 8))
    }
    let worst = try #require(statistics.incidents.first)
    #expect(worst.badCycle.index == UInt64(Self.warmUpCycles + 990))
  }

  @Test("keep the worst bad cycles of each cause, however much worse another cause's are")
  func incidentsOfEachCause() {
    let statistics = statistics { sequence in
      (0..<1000).map { position in
        if [100, 300, 500, 700].contains(position) {
          return sequence.next(durationNanoseconds: 1_400_000 + UInt64(position))
        }
        let isStopped = position % 20 == 10
        var record = sequence.next(
          durationNanoseconds: isStopped ? 4_000_000 + UInt64(position) : 60_000)
        record.wasPreempted = isStopped
        return record
      }
    }
    #expect(statistics.count(of: .overBudget) == 4)
    #expect(statistics.count(of: .preempted) == 50)
    #expect(statistics.incidents.count == TimingStatistics.maximumIncidents)
    let kept = statistics.incidents.map(\.badCycle).filter { $0.cause == .overBudget }
    #expect(kept.map(\.index) == [700, 500, 300].map { UInt64(Self.warmUpCycles + $0) })
    let overruns = statistics.incidents.map(\.badCycle.overrunNanoseconds)
    #expect(overruns == overruns.sorted(by: >))
  }

  @Test("include a bad cycle at the very end with the available cycles around it")
  func lastIncident() {
    let statistics = statistics { [$0.next(durationNanoseconds: 3_000_000)] }
    #expect(statistics.incidents.map(\.records.count) == [5])
  }
}
