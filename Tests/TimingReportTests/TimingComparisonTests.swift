// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import TimingReport

@Suite("A comparison")
struct TimingComparisonTests {
  private func document(
    loads: [Double], subject: String = "drawbar", periodFrames: Int = 64
  ) -> TimingDocument {
    TimingDocument(
      command: "drawbar bench", machine: SampleRuns.machine,
      runs: loads.enumerated().map { repetition, load in
        var run = SampleRuns.run(
          subject: subject, periodFrames: periodFrames, repetition: repetition, cycles: 100)
        run.dspLoad = load
        return run
      })
  }

  private func dspLoad(_ a: [Double], _ b: [Double]) throws -> TimingComparison.Row {
    let comparison = TimingComparison(document(loads: a), document(loads: b))
    return try #require(comparison.pairs.first?.rows.first { $0.measure == .dspLoad })
  }

  @Test(
    "tells better from worse, and both from chance",
    arguments: [
      ([0.10, 0.11, 0.10], [0.05, 0.05, 0.06], .better),
      ([0.05, 0.05, 0.06], [0.10, 0.11, 0.10], .worse),
      // The ranges meet.
      ([0.10, 0.20, 0.10], [0.15, 0.15, 0.15], .noise),
      // Within 3 %.
      ([0.100, 0.100], [0.102, 0.102], .noise),
      ([0.102, 0.102], [0.100, 0.100], .noise),
      ([0.100, 0.100], [0.104, 0.104], .worse),
      // Apart, but by less than A's runs are from each other.
      ([0.10, 0.10, 0.13], [0.131, 0.131, 0.131], .worse),
      ([0.10, 0.12, 0.13], [0.131, 0.131, 0.131], .noise),
      ([0.131, 0.131, 0.131], [0.10, 0.12, 0.13], .noise),
      // Nobody knows how others would have been.
      ([0.10], [0.05, 0.05], .unknown),
      ([0.10, 0.10], [0.05], .unknown),
      ([0, 0], [0, 0], .noise),
      ([0, 0], [0.1, 0.1], .worse),
      ([0.1, 0.1], [0, 0], .better),
    ] as [([Double], [Double], TimingComparison.Verdict)])
  func verdicts(a: [Double], b: [Double], verdict: TimingComparison.Verdict) throws {
    #expect(try dspLoad(a, b).verdict == verdict)
  }

  @Test("has the median, the range and the ratio of the medians")
  func sides() throws {
    let row = try dspLoad([0.30, 0.10, 0.20], [0.10, 0.40, 0.20, 0.20])
    #expect(row.a.median == 0.20 && row.a.minimum == 0.10 && row.a.maximum == 0.30)
    #expect(row.a.repetitions == 3 && row.b.repetitions == 4)
    #expect(row.b.median == 0.20 && row.ratio == 1)
    #expect(abs(row.a.spread - 1) < 1e-12 && abs(row.b.spread - 1.5) < 1e-12)
    #expect(try dspLoad([0, 0], [0.1, 0.1]).ratio == nil)
  }

  @Test("has every figure that both sides have, and leaves out the others")
  func measures() throws {
    let a = document(loads: [0.1])
    var b = document(loads: [0.1])
    let all = try #require(TimingComparison(a, b).pairs.first)
    #expect(all.rows.map(\.measure) == TimingComparison.Measure.allCases)
    let processor = try #require(all.rows.last)
    #expect(abs(processor.a.median / (2.1 / 26.7 * 1e9) - 1) < 1e-9)
    b.runs[0].process = nil
    b.runs[0].distributions["lateness"] = nil
    b.runs[0].dspLoad = .nan
    let some = try #require(TimingComparison(a, b).pairs.first)
    #expect(
      some.rows.map(\.measure) == [
        .durationP50, .durationP99, .durationP999, .durationMaximum,
      ])
  }

  @Test("is of runs with the same subject and conditions, and lists the others")
  func partners() {
    var a = document(loads: [0.1, 0.1])
    a.runs += document(loads: [0.1, 0.1, 0.1], subject: "empty client").runs
    var b = document(loads: [0.1, 0.1, 0.1])
    b.runs += document(loads: [0.1], periodFrames: 128).runs
    let comparison = TimingComparison(a, b)
    #expect(comparison.pairs.map(\.subject) == ["drawbar"])
    #expect(comparison.pairs.first?.conditions.periodFrames == 64)
    #expect(comparison.onlyInA.map(\.subject) == ["empty client"])
    #expect(comparison.onlyInA.map(\.repetitions) == [3])
    #expect(comparison.onlyInB.map(\.conditions.periodFrames) == [128])
    let none = TimingComparison(document(loads: []), document(loads: []))
    #expect(none.pairs.isEmpty && none.onlyInA.isEmpty && none.onlyInB.isEmpty)
  }

  @Test("is the same when it was written as JSON and read back")
  func coding() throws {
    var a = document(loads: [0, 0])
    a.runs += document(loads: [0.1], subject: "other").runs
    let comparison = TimingComparison(a, document(loads: [0.1, 0.2]))
    let data = try JSONEncoder().encode(comparison)
    #expect(try JSONDecoder().decode(TimingComparison.self, from: data) == comparison)
  }
}
