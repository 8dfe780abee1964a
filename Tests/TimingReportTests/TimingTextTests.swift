// SPDX-License-Identifier: MIT

import AudioModel
import RenderCore
import Testing

@testable import TimingReport

@Suite("Measured runs as text")
struct TimingTextTests {
  /// Runs of a second each, with one callback of 3 ms in it.
  private func document(repetitions: Int = 2) -> TimingDocument {
    let runs = (0..<repetitions).map { repetition in
      var sequence = CycleSequence()
      var statistics = TimingStatistics(
        sampleRate: CycleSequence.sampleRate, warmUpNanoseconds: 0)
      for index in 0..<750 {
        statistics.add(sequence.next(durationNanoseconds: index == 400 ? 3_000_000 : 50_000))
      }
      statistics.finish()
      return statistics.run(
        subject: "drawbar",
        conditions: TimingConditions(
          periodFrames: 64, sampleRate: CycleSequence.sampleRate, input: "silence", streams: 1,
          load: "none"),
        repetition: repetition)
    }
    return TimingDocument(
      command: "drawbar bench",
      machine: MachineFacts(kernel: "Linux", processors: 2, loadAverages: []), runs: runs)
  }

  @Test("are a table of 80 columns with the repetitions combined")
  func table() {
    var text = ""
    TimingTable(document()).write(to: &text)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.count == 11)
    #expect(lines[0] == "2 of 1 500 cycles were bad: 2 over budget.")
    #expect(lines[1].hasPrefix("- The callback took too long 2 times"))
    #expect(lines[3] == "2 processors")
    #expect(lines[4] == "drawbar, 64 frames, 48000 Hz, silence, 1 stream, no load, 2 runs")
    #expect(lines.dropFirst().allSatisfy { $0.count <= 80 })
    let durations = lines[7].split(separator: " ").dropFirst().compactMap { Double($0) }
    #expect(durations.prefix(3).allSatisfy { abs($0 - 50) <= 0.1 })
    #expect(durations.suffix(2).allSatisfy { abs($0 - 3000) <= 3 })
    // 1500 cycles are too few for 99.99 %.
    #expect(durations.count == 5 && lines[7].contains("–"))
    // The headroom that half of the cycles exceed, and the least of all.
    let headroom = lines[8].split(separator: " ").dropFirst().compactMap { Double($0) }
    #expect(headroom[0] > 1250 && headroom[0] < 1290 && headroom.last == 0)
    #expect(lines[9].contains("1500 cycles"))
    #expect(text.contains("went wrong: 2 over budget"))
    #expect(!text.contains("preempted"))
  }

  @Test("state the longest callback that kept its processor, if others lost it")
  func preempted() {
    var document = document()
    document.runs[0].preemptedCycles = 2
    document.runs[0].longestUnpreemptedNanoseconds = 61_200
    document.runs[1].longestUnpreemptedNanoseconds = 60_000
    var text = ""
    TimingTable(document).write(to: &text)
    let line = "  preempted: 2, in time or not; the longest of the others took 61.2 µs\n"
    #expect(text.contains(line), "\(text)")
  }

  @Test("are HdrHistogram's percentiles in microseconds, for each kind of run")
  func percentiles() throws {
    let texts = PercentileText.texts(of: .duration, in: document())
    #expect(texts.count == 1)
    var text = ""
    try #require(texts.first).write(to: &text)
    #expect(text.hasPrefix("#[drawbar, 64 frames, 48000 Hz, silence, 1 stream, no load, duration"))
    #expect(text.contains("Value") && text.contains("1/(1-Percentile)"))
    #expect(text.contains("50.0") && text.contains("#[Max") && text.contains("1500"))
  }

  @Test("have the largest number if the sum of a document's counts exceeds it")
  func saturatedSums() {
    var document = document()
    for index in document.runs.indices {
      document.runs[index].cycles = .max - 1
      document.runs[index].missedCycles = .max / 2 + 2
      document.runs[index].xruns = .max
      document.runs[index].lostRecords = .max
      document.runs[index].preemptedCycles = .max
      document.runs[index].causes = [CycleCause.overBudget.rawValue: .max]
      document.runs[index].slowNodes = ["limiter": .max - 3]
    }
    var text = ""
    TimingTable(document).write(to: &text)
    let most = UInt64.max
    for part in [
      "\(most) cycles", "\(most) missed", "\(most) xruns", "went wrong: \(most) over budget",
      "over budget in: limiter \(most)", "preempted: \(most), ", "\(most) cycles are missing",
    ] {
      #expect(text.contains(part), "\(text)")
    }
  }

  @Test("have no terminal control character of the document")
  func foreignText() {
    var document = document(repetitions: 1)
    let hostile = "a\u{1B}[2J\u{9B}31m\u{85}\u{2028}\u{202E}\u{2066}\r\nb"
    document.runs[0].subject = hostile
    document.runs[0].conditions.input = hostile
    document.runs[0].conditions.load = hostile
    document.runs[0].decoding = hostile
    document.runs[0].slowNodes = [hostile: 3]
    var stalls = MachineStalls()
    stalls.scheduling = hostile
    stalls.add(gapNanoseconds: 1_000_000_000)
    document.machine.stalls = stalls
    var text = ""
    TimingTable(document).write(to: &text)
    ComparisonTable(TimingComparison(document, document)).write(to: &text)
    var other = document
    other.runs[0].conditions.periodFrames = 128
    ComparisonTable(TimingComparison(document, other)).write(to: &text)
    for percentiles in PercentileText.texts(of: .duration, in: document) {
      percentiles.write(to: &text)
    }
    let controls = text.unicodeScalars.filter { $0.isControlling && $0 != "\n" }
    #expect(controls.isEmpty, "\(controls)")
    #expect(text.contains("a\\u{1b}[2J"))
  }

  @Test("print names of any length in bounded lines")
  func longNames() {
    var document = document(repetitions: 1)
    let name = String(repeating: "long ", count: 200_000)
    document.runs[0].decoding = name
    document.runs[0].slowNodes = [name: 3]
    document.runs[0].subject = name
    var text = ""
    TimingTable(document).write(to: &text)
    let longest = text.split(separator: "\n").map(\.utf8.count).max() ?? 0
    #expect(longest > 400 && longest < 1000)
  }

  @Test("state only noise for a comparison with itself, and unknown for two runs")
  func comparison() {
    for (repetitions, word) in [(3, "noise"), (2, "unknown")] {
      let document = document(repetitions: repetitions)
      var text = ""
      ComparisonTable(TimingComparison(document, document)).write(to: &text)
      let lines = text.split(separator: "\n").dropFirst(2)
      #expect(lines.count == 9)
      #expect(lines.allSatisfy { $0.contains(word) && $0.count <= 80 }, "\(text)")
    }
  }
}
