// SPDX-License-Identifier: MIT

extension TimingPage {
  /// A cell of a table; numbers are aligned to the right.
  enum Cell {
    case text(String)
    case number(String)
  }

  /// Writes a table with a row of headers above, and one header before each row.
  static func table(
    caption: String, headers: [String], rows: [(header: String, isMarked: Bool, cells: [Cell])],
    to writer: inout MarkupWriter
  ) {
    writer.newLine()
    // Wide tables can be scrolled by keyboard, too.
    writer.element(
      "div", ["class": "wide", "role": "region", "aria-label": caption, "tabindex": "0"]
    ) { region in
      region.element("table") { table in
        table.element("caption", text: caption)
        table.element("thead") { head in
          head.element("tr") { row in
            for header in headers { row.element("th", ["scope": "col"], text: header) }
          }
        }
        table.element("tbody") { body in
          for row in rows {
            body.newLine()
            body.element("tr", row.isMarked ? ["class": "bad"] : [:]) { line in
              line.element("th", ["scope": "row"], text: row.header)
              for cell in row.cells {
                switch cell {
                case .text(let text): line.element("td", text: text)
                case .number(let text): line.element("td", ["class": "n"], text: text)
                }
              }
            }
          }
        }
      }
    }
  }

  /// Writes the machine's facts.
  func write(_ machine: MachineFacts, to writer: inout MarkupWriter) {
    let unknown = "not known"
    let averages = machine.loadAverages.map { NumberText.decimal($0, digits: 2) }
    let facts: [(String, String)] = [
      ("Date (UTC)", machine.date ?? unknown),
      ("Kernel", machine.kernel),
      ("System", machine.system ?? unknown),
      ("Processor", machine.processor ?? unknown),
      ("Processors that the process may use", String(machine.processors)),
      ("Virtual machine", machine.isVirtual.map { $0 ? "yes" : "no" } ?? unknown),
      ("Frequency governor", machine.governor ?? unknown),
      (
        "A processor may take to wake up",
        machine.cpuLatencyMicroseconds.map {
          $0 < 0 ? "without limit" : "\(NumberText.count(UInt64($0)))\u{A0}µs"
        } ?? unknown
      ),
      ("Kernel preemption", machine.preemption ?? unknown),
      (
        "Real-time threads may run",
        machine.realtimeRuntimeMicroseconds.map {
          $0 < 0 ? "without limit" : "\(NumberText.count(UInt64($0)))\u{A0}µs of each second"
        } ?? unknown
      ),
      (
        "Memory that a process may lock",
        machine.lockableBytes.map { "\(NumberText.count($0))\u{A0}bytes" } ?? "without limit"
      ),
      (
        "Greatest real-time priority that a process may ask for",
        machine.realtimePriorityLimit.map(String.init) ?? unknown
      ),
      (
        "Load averages of 1, 5 and 15 minutes at the start",
        averages.isEmpty ? unknown : averages.joined(separator: ", ")
      ),
      (
        "Time that the host took of each second and processor",
        machine.stealNanosecondsPerSecond.map { NumberText.time(nanoseconds: Double($0)) }
          ?? unknown
      ),
      (
        "Times that it stood still, of each second of a loop that does nothing",
        machine.stalls.flatMap(Self.text(of:)) ?? unknown
      ),
      (
        "Sound cards",
        machine.soundCards.map { $0.isEmpty ? "none" : $0.joined(separator: ", ") } ?? unknown
      ),
      ("Program", machine.programVersion ?? unknown),
    ]
    heading("Machine", to: &writer)
    Self.table(
      caption: "Machine", headers: ["Fact", "Value"],
      rows: facts.map { ($0.0, false, [.text($0.1)]) }, to: &writer)
  }

  /// Returns a text such as `12.9 for longer than 100 µs` for each time, and the longest stall.
  private static func text(of stalls: MachineStalls) -> String? {
    guard stalls.measuredNanoseconds > 0 else { return nil }
    let parts = stalls.longer.map { longer in
      "\(NumberText.decimal(stalls.timesPerSecond(longer) ?? 0, digits: 1)) for longer than "
        + NumberText.time(nanoseconds: Double(longer.nanoseconds))
    }
    let longest = NumberText.time(nanoseconds: Double(stalls.longestNanoseconds))
    return parts.joined(separator: ", ") + "; the longest \(longest)"
  }

  /// Writes all runs: figures in one table, distributions in another.
  func writeRuns(to writer: inout MarkupWriter) {
    heading("Runs", to: &writer)
    if document.runs.isEmpty {
      writer.element("p", text: "Nothing was measured.")
      return
    }
    let labels = runLabels
    Self.table(
      caption: "Conditions of the runs",
      headers: [
        "Run", "Subject", "Period", "Rate", "Input", "Streams", "Load", "Repetition", "Decoded",
        "Scheduling",
        "Memory",
      ],
      rows: document.runs.enumerated().map { place, run in
        (String(place + 1), false, Self.conditions(of: run))
      }, to: &writer)
    Self.table(
      caption: "Results",
      headers: [
        "Run", "Cycles", "DSP load", "Missed cycles", "Xruns", "Bad cycles by cause",
        "Preempted cycles", "Longest of the others", "Lost records", "Least sound in a ring",
        "Processor time", "Resident memory",
      ],
      rows: zip(labels, document.runs).map { label, run in
        (label, false, Self.figures(of: run))
      }, to: &writer)
    Self.table(
      caption: """
        In microseconds. 99 %: 99 of 100 cycles are at or below this value (for headroom: at or above). A dash: too \
        few cycles.
        """,
      headers: [
        "Run", "Quantity", "50\u{A0}%", "90\u{A0}%", "99\u{A0}%", "99.9\u{A0}%", "99.99\u{A0}%",
        "worst",
      ],
      rows: zip(labels, document.runs).flatMap { label, run in
        [TimingStatistics.Quantity.lateness, .duration, .headroom].map { quantity in
          (
            label, false,
            [.text(quantity.rawValue)]
              + Self.percentiles(of: run, quantity).map { .number($0) }
          )
        }
      }, to: &writer)
  }

  /// Each run's number, and its differences from the others.
  private var runLabels: [String] {
    let labels = RunLabels(document.runs.map(\.key))
    return document.runs.enumerated().map { place, run in
      let label = labels.label(of: run.key)
      let repetition = run.repetition > 0 ? ", repetition\u{A0}\(run.repetition)" : ""
      return "\(place + 1): \(label.isEmpty ? run.subject : label)\(repetition)"
    }
  }

  private static func conditions(of run: TimingRun) -> [Cell] {
    let conditions = run.conditions
    let period = conditions.periodNanoseconds
    let time = period > 0 ? ", \(NumberText.time(nanoseconds: Double(period)))" : ""
    return [
      .text(run.subject), .text("\(conditions.periodFrames)\u{A0}frames\(time)"),
      .text(NumberText.rate(conditions.sampleRate)), .text(conditions.input),
      .number(String(conditions.streams)), .text(conditions.load), .number(String(run.repetition)),
      .text(run.decoding ?? NumberText.none), .text(run.scheduling ?? "not known"),
      .text(run.locksMemory.map { $0 ? "locked" : "not locked" } ?? "not known"),
    ]
  }

  private static func figures(of run: TimingRun) -> [Cell] {
    let causes = CycleCause.allCases.filter { run.count(of: $0) > 0 }.map {
      "\(TimingPlot.name(of: $0)) \(NumberText.count(run.count(of: $0)))"
    }
    let process = run.process
    let share = process.flatMap { cost -> String? in
      guard cost.wallNanoseconds > 0 else { return nil }
      return NumberText.percent(Double(cost.cpuNanoseconds) / Double(cost.wallNanoseconds))
    }
    return [
      .number(NumberText.count(run.cycles)), .number(NumberText.percent(run.dspLoad, digits: 2)),
      .number(NumberText.count(run.missedCycles)), .number(NumberText.count(run.xruns)),
      .text(causes.isEmpty ? "none" : causes.joined(separator: ", ")),
      .number(run.preemptedCycles.map(NumberText.count) ?? NumberText.none),
      .number(
        run.longestUnpreemptedNanoseconds.map { NumberText.time(nanoseconds: Double($0)) }
          ?? NumberText.none),
      .number(NumberText.count(run.lostRecords)),
      .number(
        run.leastBufferedNanoseconds.map { NumberText.time(nanoseconds: Double($0)) }
          ?? NumberText.none),
      .number(share ?? NumberText.none),
      .number(
        process.map { "\(NumberText.count($0.residentBytes >> 10))\u{A0}KiB" } ?? NumberText.none),
    ]
  }

  /// Returns the values of 50 to 99.99 %, and the worst one. For the headroom, small values are the bad ones.
  private static func percentiles(
    of run: TimingRun, _ quantity: TimingStatistics.Quantity
  ) -> [String] {
    guard let distribution = run[quantity], distribution.count > 0 else {
      return Array(repeating: NumberText.none, count: 6)
    }
    let values =
      quantity == .headroom
      ? [50, 10, 1, 0.1, 0.01, 0].map(distribution.nanoseconds(percentile:))
      : [
        distribution.p50Nanoseconds, distribution.p90Nanoseconds, distribution.p99Nanoseconds,
        distribution.p999Nanoseconds, distribution.p9999Nanoseconds,
        distribution.maximumNanoseconds,
      ]
    return zip(values, [50, 90, 99, 99.9, 99.99, 100]).map { value, percentile in
      distribution.hasEnough(forPercentile: percentile)
        ? NumberText.microseconds(value) : NumberText.none
    }
  }
}
