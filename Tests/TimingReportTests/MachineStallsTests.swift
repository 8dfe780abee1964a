// SPDX-License-Identifier: MIT

import Testing

@testable import TimingReport

@Suite("The machine's stalls")
struct MachineStallsTests {
  private func stalls(_ gaps: [UInt64], measuredSeconds: UInt64 = 2) -> MachineStalls {
    var stalls = MachineStalls()
    for gap in gaps { stalls.add(gapNanoseconds: gap) }
    stalls.add(measuredNanoseconds: measuredSeconds * 1_000_000_000)
    return stalls
  }

  @Test("are counted for each threshold that they exceed, and the longest is kept")
  func counts() {
    let stalls = stalls([0, 25, 20_000, 20_001, 100_000, 100_001, 5_000_000])
    #expect(stalls.longer.map(\.nanoseconds) == stalls.longer.map(\.nanoseconds).sorted())
    #expect(stalls.longer.map(\.count) == [4, 3, 2, 1, 1, 1])
    #expect(stalls.longestNanoseconds == 5_000_000)
    #expect(stalls.longer.map { stalls.timesPerSecond($0) } == [2, 1.5, 1, 0.5, 0.5, 0.5])
  }

  @Test("of several measurements are added")
  func together() {
    var stalls = stalls([30_000, 300_000])
    var other = self.stalls([60_000, 2_000_000], measuredSeconds: 6)
    other.scheduling = "SCHED_FIFO 99"
    stalls.add(other)
    stalls.add(MachineStalls())
    #expect(stalls.longer.map(\.count) == [4, 3, 2, 2, 1, 1])
    #expect(stalls.longestNanoseconds == 2_000_000 && stalls.measuredNanoseconds == 8_000_000_000)
    #expect(stalls.scheduling == "SCHED_FIFO 99")
  }

  @Test("have no frequency without a measurement")
  func nothing() {
    let stalls = MachineStalls()
    #expect(stalls.longer.allSatisfy { stalls.timesPerSecond($0) == nil })
  }

  private var document: TimingDocument {
    TimingDocument(
      command: "drawbar bench", machine: SampleRuns.machine, runs: [SampleRuns.run(cycles: 50)])
  }

  @Test("are among the page's facts")
  func page() throws {
    var document = document
    document.machine.stalls = stalls([30_000, 150_000])
    let reading = try MarkupReading(TimingPage(document).html)
    let cells = reading["td"].map { $0.text.replacing("\u{A0}", with: " ") }
    #expect(
      cells.contains(
        "1.0 for longer than 20 µs, 0.5 for longer than 50 µs, 0.5 for longer than 100 µs, "
          + "0.0 for longer than 200 µs, 0.0 for longer than 500 µs, 0.0 for longer than 1 ms; "
          + "the longest 150 µs"))
  }

  @Test("of impossible values are shown, too")
  func impossible() throws {
    var document = document
    var most = stalls([.max], measuredSeconds: 0)
    most.add(measuredNanoseconds: 1)
    for stalls in [most, stalls([.max]), MachineStalls()] {
      document.machine.stalls = stalls
      var text = ""
      TimingTable(document).write(to: &text)
      #expect(text.contains("loop that does nothing") == (stalls.measuredNanoseconds > 0))
      #expect(try !MarkupReading(TimingPage(document).html)["td"].isEmpty)
    }
  }

  @Test("are printed once, under the table")
  func table() {
    var document = document
    var plain = ""
    TimingTable(document).write(to: &plain)
    document.machine.stalls = MachineStalls()
    var nothing = ""
    TimingTable(document).write(to: &nothing)
    #expect(nothing == plain)
    document.machine.stalls = stalls([30_000, 150_000])
    var text = ""
    TimingTable(document).write(to: &text)
    #expect(
      text == plain + """
        the machine by itself, a loop that does nothing, 2 s
                                     >20 µs   >50 µs  >100 µs  >200 µs  >500 µs    >1 ms
          stood still, a second         1.0      0.5      0.5      0.0      0.0      0.0
          the longest took 150 µs


        """)
  }
}
