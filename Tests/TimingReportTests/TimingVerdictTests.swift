// SPDX-License-Identifier: MIT

import Testing

@testable import TimingReport

@Suite("The verdict on measured runs")
struct TimingVerdictTests {
  private func verdict(
    _ runs: [TimingRun], machine change: (inout MachineFacts) -> Void = { _ in }
  ) -> TimingVerdict {
    var machine = MachineFacts(kernel: "Linux", processors: 2, loadAverages: [0.1])
    machine.realtimePriorityLimit = 95
    machine.governor = "performance"
    change(&machine)
    return TimingVerdict(
      TimingDocument(command: "drawbar bench", machine: machine, runs: runs))
  }

  private func plain(_ text: String) -> String { text.replacing("\u{A0}", with: " ") }

  @Test("states that all cycles were in time, and then has no findings")
  func good() {
    let verdict = verdict([SampleRuns.run(cycles: 2213)]) { machine in
      machine.stealNanosecondsPerSecond = 50_000_000
      machine.governor = "powersave"
    }
    #expect(plain(verdict.summary) == "All 2 213 cycles were in time.")
    #expect(verdict.findings == [])
  }

  @Test("counts bad cycles by cause, the most frequent one first, and those of an empty callback")
  func causes() {
    let causes: [CycleCause] = [.server, .wokenLate, .wokenLate, .wokenLate, .preempted, .server]
    let verdict = verdict([
      SampleRuns.run(cycles: 2000, causes: causes),
      SampleRuns.run(cycles: 1000, causes: [.starved]),
      SampleRuns.run(subject: TimingRun.emptyClient, cycles: 3000, causes: [.wokenLate]),
    ])
    #expect(
      plain(verdict.summary) == """
        7 of 3 000 cycles were bad: 3 woken late, 2 server late, 1 preempted, 1 starved. An \
        empty callback beside it had 1 bad of 3 000.
        """)
  }

  @Test("begins with missing real-time rights, also if all cycles were in time")
  func rights() throws {
    var run = SampleRuns.run(cycles: 100)
    run.scheduling = "SCHED_OTHER"
    run.locksMemory = false
    let without = verdict([run]) { $0.realtimePriorityLimit = 0 }
    #expect(without.findings.count == 1)
    let finding = try #require(without.findings.first)
    #expect(finding.fact.contains("SCHED_OTHER") && finding.fact.contains("rtprio limit is 0"))
    #expect(finding.remedy.contains("limits.d") && finding.link?.hasPrefix("https://") == true)
    #expect(
      verdict([run]).findings.map(\.remedy) == ["Start the JACK server in real time: jackd -R."])
    run.scheduling = "SCHED_FIFO 65"
    let unlocked = verdict([run]) { $0.lockableBytes = 8_388_608 }
    #expect(plain(unlocked.findings[0].fact).contains("8 388 608 bytes"))
  }

  @Test("explains late cycles by the machine: steal, stalls, governor, sleep, preemption and load")
  func machine() {
    let verdict = verdict([SampleRuns.run(cycles: 100, causes: [.wokenLate])]) { machine in
      machine.stealNanosecondsPerSecond = 5_000_000
      machine.stalls = MachineStalls()
      machine.stalls?.add(measuredNanoseconds: 1_000_000_000)
      machine.stalls?.add(gapNanoseconds: 700_000)
      machine.governor = "powersave"
      machine.cpuLatencyMicroseconds = -1
      machine.preemption = "voluntary"
      machine.loadAverages = [7, 3, 1]
    }
    let words = [
      "host", "stood still", "powersave", "sleep deeply", "voluntary", "load average of 7",
    ]
    #expect(verdict.findings.count == words.count)
    for (finding, word) in zip(verdict.findings, words) {
      #expect(finding.fact.contains(word), "\(finding)")
      #expect(finding.remedy.hasSuffix("."))
    }
  }

  @Test(
    "has a finding for each cause that is not explained by the machine",
    arguments: [CycleCause.overBudget, .starved, .stopped, .server])
  func cause(_ cause: CycleCause) throws {
    let verdict = verdict([SampleRuns.run(cycles: 100, causes: [cause, cause])])
    let finding = try #require(verdict.findings.first)
    #expect(verdict.findings.count == 1 && finding.fact.contains("2 times"), "\(finding)")
  }

  @Test("names the node that was over budget most often")
  func node() {
    var run = SampleRuns.run(cycles: 100, causes: [.overBudget, .overBudget])
    run.slowNodes = ["sources": 1, "convolver": 4]
    #expect(verdict([run]).findings.first?.fact.contains("most often in 'convolver'") == true)
  }

  @Test("has lines of 80 columns, without control characters for terminals or pages")
  func text() throws {
    var run = SampleRuns.run(cycles: 2000, causes: [.wokenLate])
    run.scheduling = "SCHED_OTHER\u{1B}[2J<b>"
    let verdict = verdict([run]) { $0.governor = "slow\u{1B}]0;x\u{7}<script>" }
    var text = ""
    verdict.write(to: &text)
    #expect(text.hasPrefix("1 of 2 000 cycles was bad: 1 woken late.\n- The callback did not run"))
    #expect(text.hasSuffix("\n\n") && !text.contains("\u{1B}") && !text.contains("\u{7}"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    let page = TimingPage(
      TimingDocument(command: "", machine: SampleRuns.machine, runs: [run]))
    let reading = try MarkupReading(page.html)
    #expect(reading["script"].isEmpty && reading["b"].isEmpty)
    #expect(reading["li"].count == TimingVerdict(page.document).findings.count)
    #expect(reading["a"].allSatisfy { $0.attributes["href"]?.hasPrefix("https://") == true })
  }

  @Test("without cycles states that nothing was measured")
  func nothing() {
    #expect(verdict([]).summary == "Nothing was measured.")
    var run = SampleRuns.run(cycles: 0)
    run.cycles = .max
    #expect(verdict([run, run]).summary.hasPrefix("All 18"))
  }
}
