// SPDX-License-Identifier: MIT

import Testing

@testable import TimingReport

@Suite("A page of a document")
struct TimingPageTests {
  private func document(_ runs: [TimingRun]) -> TimingDocument {
    TimingDocument(
      command: "drawbar bench --periods 64", machine: SampleRuns.machine, runs: runs)
  }

  private func plain(_ text: String) -> String { text.replacing("\u{A0}", with: " ") }

  @Test("is complete and valid, has one main heading, and loads nothing from outside")
  func form() throws {
    var document = document([SampleRuns.run(cycles: 3000, causes: [.overBudget])])
    document.sustainableLoads = [.init(periodFrames: 64, share: 0.8)]
    let page = TimingPage(document)
    #expect(page.html.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
    let reading = try MarkupReading(page.html)
    #expect(reading["title"].first?.text == "Timing report")
    #expect(reading["h1"].map(\.text) == ["Timing report"])
    #expect(reading["meta"].first?.attributes == ["charset": "utf-8"])
    for name in ["script", "link", "img", "iframe", "object"] {
      #expect(reading[name].isEmpty)
    }
    #expect(!page.html.contains("url("))
    #expect(reading["svg"].allSatisfy { $0.attributes["role"] == "img" })
    // A series and a histogram for each run; for all, deadlines, loads and two percentile plots.
    #expect(reading["svg"].count == 6 && reading["figcaption"].count == 6)
    #expect(reading["table"].count == reading["caption"].count)
    #expect(reading["th"].allSatisfy { ["col", "row"].contains($0.attributes["scope"]) })
  }

  @Test("shows the command, the machine and the runs' figures")
  func figures() throws {
    let run = SampleRuns.run(cycles: 3000, causes: [.overBudget, .starved])
    let reading = try MarkupReading(TimingPage(document([run])).html)
    #expect(reading["code"].map(\.text) == ["drawbar bench --periods 64"])
    let cells = reading["td"].map { plain($0.text) }
    for cell in [
      "AMD EPYC", "950 000 µs of each second", "8 388 608 bytes", "0.31, 0.61, 1.14", "1.25 ms",
      "64 frames, 1.33 ms", "48000 Hz", "SCHED_FIFO 65", "locked", "3 000", "7.9 %", "850 ms",
      "over budget 1, starved 1",
    ] {
      #expect(cells.contains(cell), "\(cell)")
    }
    let duration = try #require(run[.duration])
    for nanoseconds in [duration.p50Nanoseconds, duration.p9999Nanoseconds] {
      #expect(cells.contains(NumberText.microseconds(nanoseconds)))
    }
    // The least headroom is the worst.
    let headroom = try #require(run[.headroom])
    let least = try #require(headroom.buckets.first)
    #expect(cells.contains(NumberText.microseconds(least.nanoseconds)))
    #expect(!cells.contains(NumberText.microseconds(headroom.maximumNanoseconds)))
  }

  @Test("shows the worst bad cycles with the cycles around them")
  func incidents() throws {
    let run = SampleRuns.run(cycles: 1000, causes: [.overBudget, .starved])
    let reading = try MarkupReading(TimingPage(document([run])).html)
    let captions = reading["caption"].map { plain($0.text) }
    #expect(captions.contains("Cycle 4: over budget, overrun 588 µs"))
    let marked = reading["tr"].filter { $0.attributes["class"] == "bad" }
    #expect(marked.count == 1 && marked.first?.text.contains("1900.0") == true)
    let told = "Shown: 1 of 2, the worst ones and of each cause one, the worst first."
    #expect(reading["p"].contains { $0.text == told })
  }

  @Test("shows one bad cycle of each cause, however many are worse")
  func incidentOfEachCause() throws {
    let causes = Array(repeating: CycleCause.server, count: 7) + [.overBudget]
    var run = SampleRuns.run(cycles: 1000, causes: causes)
    run.incidents = causes.map(SampleRuns.incident)
    let reading = try MarkupReading(TimingPage(document([run])).html)
    let captions = reading["caption"].map { plain($0.text) }
    #expect(captions.filter { $0.hasPrefix("Cycle 4: server") }.count == 5)
    #expect(captions.filter { $0.hasPrefix("Cycle 4: over budget") }.count == 1)
  }

  @Test("explains its terms")
  func definitions() throws {
    let reading = try MarkupReading(TimingPage(document([])).html)
    for word in ["Lateness", "Duration", "Headroom", "Xrun", "Missed cycles", "DSP load"] {
      #expect(reading["dt"].contains { $0.text == word })
    }
    #expect(reading["dd"].count == reading["dt"].count)
  }

  @Test("shows the plots of a few runs at once, and those of many on request")
  func details() throws {
    let few = (0..<2).map { SampleRuns.run(repetition: $0, cycles: 200) }
    let many = (0..<9).map { SampleRuns.run(repetition: $0, cycles: 200) }
    for (runs, isOpen) in [(few, true), (many, false)] {
      let details = try MarkupReading(TimingPage(document(runs)).html)["details"]
      #expect(details.count == runs.count)
      #expect(details.allSatisfy { ($0.attributes["open"] != nil) == isOpen })
    }
  }

  @Test("shows markup in a document's texts as text")
  func hostileTexts() throws {
    let hostile = "<script>alert(1)</script>\"'&\u{0}\u{202E}</svg>"
    let shown = "<script>alert(1)</script>\"'&\u{FFFD}\u{FFFD}</svg>"
    var run = SampleRuns.run(subject: hostile, load: hostile, cycles: 200)
    run.conditions.input = hostile
    run.scheduling = hostile
    run.decoding = hostile
    if !run.incidents.isEmpty { run.incidents[0].badCycle.node = hostile }
    run.causes[hostile] = 3
    var machine = SampleRuns.machine
    machine.kernel = hostile
    machine.system = hostile
    machine.processor = hostile
    machine.governor = hostile
    machine.preemption = hostile
    machine.programVersion = hostile
    let page = TimingPage(
      TimingDocument(command: hostile, machine: machine, runs: [run]), title: hostile)
    let reading = try MarkupReading(page.html)
    #expect(reading["script"].isEmpty)
    #expect(reading["h1"].map(\.text) == [shown] && reading["code"].map(\.text) == [shown])
    #expect(reading["td"].count { $0.text == shown } >= 9)
  }

  @Test("of a document without runs states that")
  func noRuns() throws {
    let reading = try MarkupReading(TimingPage(document([])).html)
    #expect(reading["p"].contains { $0.text == "Nothing was measured." })
    #expect(reading["svg"].isEmpty)
  }
}
