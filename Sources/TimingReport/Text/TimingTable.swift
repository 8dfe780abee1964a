// SPDX-License-Identifier: MIT

internal import AudioModel

/// A document for a terminal, 80 columns wide: the verdict, then tables.
///
/// Runs of the same kind are joined. Times are in microseconds. p99: 99 of 100 cycles are at or below this value (for
/// headroom: at or above).
public struct TimingTable: Sendable {
  private let document: TimingDocument

  private static let percentiles = [50, 90, 99, 99.9, 99.99, 100]
  private static let columns = ["p50", "p90", "p99", "p99.9", "p99.99", "max"]
  private static let nameColumns = 26
  private static let columnColumns = 9

  /// Creates a table of a document.
  public init(_ document: TimingDocument) {
    self.document = document
  }

  /// Writes the table's lines.
  public func write(to output: inout some TextOutputStream) {
    TimingVerdict(document).write(to: &output)
    TimingVerdict.write(document.machine.summary, indentation: "", to: &output)
    output.write("\n")
    for group in RunGroup.groups(of: document.runs) {
      let runs = group.runs.count == 1 ? "" : ", \(group.runs.count) runs"
      output.write(Self.plain(RunLabels.full(group.key)) + runs + "\n")
      output.write(Self.line("  in µs", Self.columns))
      for (name, quantity) in [
        ("lateness", TimingStatistics.Quantity.lateness), ("duration", .duration),
        ("headroom", .headroom),
      ] {
        guard let distribution = group.distribution(of: quantity) else { continue }
        let values = Self.percentiles.map { percentile in
          guard distribution.hasEnough(forPercentile: percentile) else { return NumberText.none }
          return NumberText.microseconds(
            distribution.nanoseconds(
              percentile: quantity == .headroom ? 100 - percentile : percentile))
        }
        output.write(Self.line("  " + name, values))
      }
      for line in Self.counts(of: group) { output.write("  " + line + "\n") }
      output.write("\n")
    }
    if let stalls = document.machine.stalls, stalls.measuredNanoseconds > 0 {
      Self.write(stalls, to: &output)
    }
  }

  private static func write(_ stalls: MachineStalls, to output: inout some TextOutputStream) {
    let seconds = NumberText.time(nanoseconds: Double(stalls.measuredNanoseconds))
    output.write(
      "the machine by itself, a loop that does nothing, \(plain(seconds))"
        + (stalls.scheduling.map { " on \(plain($0))" } ?? "") + "\n")
    let headers = stalls.longer.map {
      ">" + plain(NumberText.time(nanoseconds: Double($0.nanoseconds)))
    }
    output.write(line("", headers))
    output.write(
      line(
        "  stood still, a second",
        stalls.longer.map { NumberText.decimal(stalls.timesPerSecond($0) ?? 0, digits: 1) }))
    let longest = NumberText.time(nanoseconds: Double(stalls.longestNanoseconds))
    output.write("  the longest took \(plain(longest))\n\n")
  }

  private static func counts(of group: RunGroup) -> [String] {
    let runs = group.runs
    func sum(_ count: (TimingRun) -> UInt64) -> UInt64 {
      runs.reduce(0) { $0.addingSaturated(count($1)) }
    }
    var first = [
      "\(sum(\.cycles)) cycles",
      "DSP load "
        + plain(NumberText.percent(runs.map(\.dspLoad).reduce(0, +) / Double(runs.count))),
      "\(sum(\.missedCycles)) missed", "\(sum(\.xruns)) xruns",
    ]
    let cpu = runs.compactMap(\.process).filter { $0.wallNanoseconds > 0 }
    if !cpu.isEmpty {
      let share =
        cpu.map { Double($0.cpuNanoseconds) / Double($0.wallNanoseconds) }.reduce(0, +)
        / Double(cpu.count)
      first.append("process " + plain(NumberText.percent(share)) + " of a processor")
    }
    var lines = [first.joined(separator: ", ")]
    if let scheduling = runs.compactMap(\.scheduling).last {
      lines.append("scheduling " + plain(scheduling))
    }
    let decoding = runs.compactMap(\.decoding)
    if let last = decoding.last {
      lines.append("decoded " + plain(last) + (Set(decoding).count > 1 ? ", in the last run" : ""))
    }
    let count = CycleCount(runs)
    if count.bad > 0 {
      let causes = count.causes.map { "\($0.count) \(plain(TimingPlot.name(of: $0.cause)))" }
      lines.append("went wrong: " + causes.joined(separator: ", "))
    }
    if !count.slowNodes.isEmpty {
      let nodes = count.slowNodes.prefix(5).map { "\(plain($0.name)) \($0.count)" }
      lines.append("over budget in: " + nodes.joined(separator: ", "))
    }
    let preempted = sum { $0.preemptedCycles ?? 0 }
    if preempted > 0 {
      var line = "preempted: \(preempted), in time or not"
      if let longest = runs.compactMap(\.longestUnpreemptedNanoseconds).max() {
        line += "; the longest of the others took "
        line += plain(NumberText.time(nanoseconds: Double(longest)))
      }
      lines.append(line)
    }
    let lost = sum(\.lostRecords)
    if lost > 0 { lines.append("\(lost) cycles are missing: they were read too late") }
    return lines
  }

  private static func line(_ name: String, _ values: [String]) -> String {
    var text = name + String(repeating: " ", count: max(0, nameColumns - name.count))
    for value in values {
      text += String(repeating: " ", count: max(1, columnColumns - value.count)) + value
    }
    return text + "\n"
  }

  /// Returns a text for a terminal: with plain spaces, and without controlling scalars, which a document from outside
  /// may contain.
  static func plain(_ text: String) -> String {
    String(text.map { $0 == "\u{A0}" ? " " : $0 }).onOneLine(atMost: 400)
  }
}
