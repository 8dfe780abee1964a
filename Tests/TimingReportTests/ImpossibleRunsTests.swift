// SPDX-License-Identifier: MIT

import RenderCore
import Testing

@testable import TimingReport

/// Documents with impossible numbers, which a file may contain.
@Suite("Impossible numbers of a run")
struct ImpossibleRunsTests {
  private static let runs: [TimingRun] = {
    var runs: [TimingRun] = []
    var empty = SampleRuns.run(cycles: 0)
    empty.distributions = [:]
    runs.append(empty)
    for rate in [
      Double.nan, .infinity, 0, -48000, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    ] {
      var run = SampleRuns.run(cycles: 50)
      run.conditions.sampleRate = rate
      run.dspLoad = rate
      runs.append(run)
    }
    for frames in [0, -1, Int.min, Int.max] {
      runs.append(SampleRuns.run(periodFrames: 64, cycles: 50))
      runs[runs.count - 1].conditions.periodFrames = frames
      runs[runs.count - 1].conditions.streams = frames
      runs[runs.count - 1].repetition = frames
    }
    var huge = SampleRuns.run(cycles: 50, causes: [.server, .starved])
    let most = UInt64.max
    huge.cycles = most
    huge.missedCycles = most
    huge.xruns = most
    huge.lostRecords = most
    huge.causes = ["server": most, "starved": most]
    huge.leastBufferedNanoseconds = most
    huge.process = ProcessCost(
      wallNanoseconds: 1, cpuNanoseconds: most, voluntarySwitches: most, involuntarySwitches: most,
      residentBytes: most, anonymousBytes: most)
    for quantity in TimingStatistics.Quantity.allCases {
      huge.distributions[quantity.rawValue] = TimingDistribution(buckets: [
        .init(nanoseconds: most, count: most), .init(nanoseconds: 0, count: most),
        .init(nanoseconds: most, count: 0), .init(nanoseconds: most, count: most),
      ])
    }
    huge.series.points = [most, 0, most, 7].map {
      .init(timeNanoseconds: $0, latenessNanoseconds: $0, durationNanoseconds: most - $0)
    }
    huge.series.marks = [most, 0].map { .init(timeNanoseconds: $0, cause: .preempted) }
    var record = CycleRecord(
      index: most, entryNanoseconds: 0, durationNanoseconds: most, frameTime: .max,
      frameCount: .min)
    record.bufferedNanoseconds = most
    record.wakeFrames = .min
    record.missedFrames = .max
    var other = record
    other.entryNanoseconds = 1 << 63
    other.index = 3
    huge.incidents = [
      .init(
        badCycle: BadCycle(index: most, cause: .server, overrunNanoseconds: most),
        records: [record, other]),
      .init(badCycle: BadCycle(index: 0, cause: .starved), records: []),
    ]
    runs.append(huge)
    return runs
  }()

  @Test("include a period of 0")
  func periods() {
    let periods = Self.runs[1..<Self.runs.count - 1].map(\.conditions.periodNanoseconds)
    #expect(periods.allSatisfy { $0 == 0 })
    #expect(SampleRuns.run(cycles: 1).conditions.periodNanoseconds == 1_333_333)
  }

  @Test("are counted up to the largest count")
  func counts() {
    let buckets = [TimingDistribution.Bucket](
      repeating: .init(nanoseconds: 5, count: .max), count: 3)
    let distribution = TimingDistribution(buckets: buckets)
    #expect(distribution.count == .max && distribution.p50Nanoseconds == 5)
    let joined = TimingDistribution(joining: [distribution, distribution])
    #expect(joined.buckets == [.init(nanoseconds: 5, count: .max)])
    #expect(TimingDistribution(joining: []).maximumNanoseconds == 0)
  }

  @Test("are drawn inside of the plots")
  func plots() throws {
    for run in Self.runs {
      for plot in [TimingPlot.series(of: run), .histogram(of: run)] { try PlotBounds(plot).check() }
    }
    for runs in [Self.runs, [], Array(Self.runs.prefix(1)), Array(Self.runs.suffix(1))] {
      try PlotBounds(.durationAgainstDeadline(of: runs)).check()
      for quantity in TimingStatistics.Quantity.allCases {
        try PlotBounds(.percentiles(of: runs, quantity: quantity)).check()
      }
    }
    let shares = [Double.nan, .infinity, -.infinity, -1, 0, 5, 1e300]
    for frames in [Int.min, 0, 64, Int.max] {
      try PlotBounds(
        .sustainableLoad(shares.map { .init(periodFrames: frames, share: $0) })
      ).check()
    }
    try PlotBounds(.sustainableLoad([])).check()
  }

  @Test("are shown on a page")
  func page() throws {
    var machine = SampleRuns.machine
    machine.processors = .min
    machine.realtimeRuntimeMicroseconds = .min
    machine.lockableBytes = .max
    machine.loadAverages = [.nan, .infinity]
    machine.stealNanosecondsPerSecond = .max
    let document = TimingDocument(command: "", machine: machine, runs: Self.runs)
    let page = try MarkupReading(TimingPage(document).html)
    #expect(page["svg"].count > 2 * Self.runs.count)
  }

  @Test("are written as percentiles")
  func percentiles() {
    var runs = Self.runs
    for count in [UInt64(Int64.max), .max] {
      var run = SampleRuns.run(subject: "\(count)", cycles: 50)
      run.distributions["duration"] = TimingDistribution(buckets: [
        .init(nanoseconds: 0, count: 3), .init(nanoseconds: 1000, count: count),
        .init(nanoseconds: .max, count: count),
      ])
      runs.append(run)
    }
    let document = TimingDocument(command: "", machine: SampleRuns.machine, runs: runs)
    let texts = PercentileText.texts(of: .duration, in: document)
    #expect(texts.count >= 2)
    for percentiles in texts {
      var text = ""
      percentiles.write(to: &text)
      #expect(text.hasPrefix("#[") && text.contains("#[Max") && text.utf8.count < 100_000)
    }
  }

  @Test("are compared")
  func comparison() {
    let document = TimingDocument(command: "", machine: SampleRuns.machine, runs: Self.runs)
    let comparison = TimingComparison(document, document)
    let ratios = comparison.pairs.flatMap(\.rows).compactMap(\.ratio)
    #expect(ratios.allSatisfy { $0 == 1 })
    // A NaN rate does not equal another one.
    #expect(comparison.onlyInA.count == 1 && comparison.onlyInB.count == 1)
  }

  @Test("keep a text short that would be far too long")
  func longTexts() throws {
    let long = String(repeating: "e\u{301}\u{302}", count: 20_000)
    let run = SampleRuns.run(subject: long, load: long, cycles: 50)
    let other = SampleRuns.run(subject: "x", cycles: 50)
    for plot in [
      TimingPlot.series(of: run), .percentiles(of: [run, other], quantity: .lateness),
      .durationAgainstDeadline(of: [run, other]),
    ] {
      try PlotBounds(plot).check()
      #expect(plot.svg.utf8.count < 100_000)
    }
  }
}
