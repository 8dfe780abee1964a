// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import TimingReport

/// A repeatable generator: SplitMix64.
private struct RepeatableNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

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
    "distinguishes better, worse and chance",
    arguments: [
      ([0.10, 0.11, 0.10], [0.05, 0.05, 0.06], .better),
      ([0.05, 0.05, 0.06], [0.10, 0.11, 0.10], .worse),
      // The ranges overlap.
      ([0.10, 0.20, 0.10], [0.15, 0.15, 0.15], .noise),
      // The medians differ by less than 3 %.
      ([0.100, 0.100, 0.100], [0.102, 0.102, 0.102], .noise),
      ([0.102, 0.102, 0.102], [0.100, 0.100, 0.100], .noise),
      ([0.100, 0.100, 0.100], [0.104, 0.104, 0.104], .worse),
      // The ranges are apart, but no more than by chance.
      ([0.10, 0.12, 0.13], [0.131, 0.131, 0.131], .noise),
      ([0.131, 0.131, 0.131], [0.10, 0.12, 0.13], .noise),
      ([0.10, 0.11, 0.12], [0.13, 0.14, 0.15], .noise),
      ([0.10, 0.11, 0.12, 0.10, 0.11], [0.13, 0.14, 0.15, 0.14, 0.13], .worse),
      // The spread of a single run is unknown.
      ([0.10], [0.05, 0.05, 0.05], .unknown),
      ([0.10, 0.10], [0.05, 0.05], .unknown),
      ([0.10, 0.10, 0.10], [0.05, 0.05], .unknown),
      ([0, 0, 0], [0, 0, 0], .noise),
      ([0, 0, 0], [0.1, 0.1, 0.1], .worse),
      ([0.1, 0.1, 0.1], [0, 0, 0], .better),
    ] as [([Double], [Double], TimingComparison.Verdict)])
  func verdicts(a: [Double], b: [Double], verdict: TimingComparison.Verdict) throws {
    #expect(try dspLoad(a, b).verdict == verdict)
  }

  /// The variation between runs of the same program: some hundredths in the middle of many cycles, factors in
  /// the worst of them, with one run in ten disturbed by something else.
  enum Noise: CaseIterable {
    case small, large, disturbed, worst, twoStates

    fileprivate func factor(_ random: inout RepeatableNumbers) -> Double {
      // The sum of twelve uniform numbers, less six, approximates a normal distribution.
      let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random)
      }
      let isRare = Double.random(in: 0..<1, using: &random) < 0.1
      switch self {
      case .small: return exp(0.03 * normal)
      case .large: return exp(0.3 * normal)
      case .disturbed: return exp(0.05 * normal) * (isRare ? 3 : 1)
      case .worst: return pow(Double.random(in: 1e-9..<1, using: &random), -1 / 1.5)
      case .twoStates: return exp(0.02 * normal) * (Bool.random(using: &random) ? 1.3 : 1)
      }
    }
  }

  private func verdicts(
    _ noise: Noise, repetitions: Int, factor: Double, _ random: inout RepeatableNumbers
  ) -> [TimingComparison.Verdict] {
    (0..<2000).compactMap { _ in
      let a = (0..<repetitions).map { _ in noise.factor(&random) }
      let b = (0..<repetitions).map { _ in factor * noise.factor(&random) }
      return TimingComparison.Row(measure: .dspLoad, a: a, b: b)?.verdict
    }
  }

  @Test(
    "reports at most five of a hundred equal figures as better or worse", arguments: Noise.allCases,
    [3, 4, 5, 10])
  func equal(_ noise: Noise, repetitions: Int) {
    var random = RepeatableNumbers(state: 1)
    let wrong = verdicts(noise, repetitions: repetitions, factor: 1, &random).count {
      $0 != .noise
    }
    #expect(wrong <= 100, "of 2000")
  }

  @Test("detects a doubled figure, with five runs a fifth more", arguments: [(3, 2.0), (5, 1.2)])
  func unequal(repetitions: Int, factor: Double) {
    var random = RepeatableNumbers(state: 2)
    let found = verdicts(.small, repetitions: repetitions, factor: factor, &random).count {
      $0 == .worse
    }
    #expect(found >= 1900, "of 2000")
    let less = verdicts(.small, repetitions: repetitions, factor: 1 / factor, &random).count {
      $0 == .better
    }
    #expect(less >= 1900, "of 2000")
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

  @Test("has the figures of both sides, and leaves out the others")
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

  @Test("compares runs with the same subject and conditions, and lists the others")
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

  @Test("is the same after writing and reading JSON")
  func coding() throws {
    var a = document(loads: [0, 0])
    a.runs += document(loads: [0.1], subject: "other").runs
    let comparison = TimingComparison(a, document(loads: [0.1, 0.2]))
    let data = try JSONEncoder().encode(comparison)
    #expect(try JSONDecoder().decode(TimingComparison.self, from: data) == comparison)
  }
}
