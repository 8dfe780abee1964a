// SPDX-License-Identifier: MIT

/// A comparison as a table for a terminal, 80 columns wide.
public struct ComparisonTable: Sendable {
  private let comparison: TimingComparison

  /// Creates a table of a comparison.
  public init(_ comparison: TimingComparison) {
    self.comparison = comparison
  }

  /// Writes the table's lines.
  public func write(to output: inout some TextOutputStream) {
    for pair in comparison.pairs {
      output.write(Self.name(pair.subject, pair.conditions) + "\n")
      output.write(Self.line(["", "A", "B", "B/A", ""]))
      for row in pair.rows {
        output.write(
          Self.line([
            "  " + row.measure.words, Self.value(row.a.median, row.measure),
            Self.value(row.b.median, row.measure),
            row.ratio.map { NumberText.decimal($0, digits: 3) } ?? NumberText.none,
            row.verdict.rawValue,
          ]))
      }
      output.write("\n")
    }
    for (side, runs) in [("A", comparison.onlyInA), ("B", comparison.onlyInB)] {
      for run in runs {
        output.write("only in \(side): \(Self.name(run.subject, run.conditions))\n")
      }
    }
  }

  private static func name(_ subject: String, _ conditions: TimingConditions) -> String {
    TimingTable.plain(RunLabels.full(RunGroup.Key(subject: subject, conditions: conditions)))
  }

  private static func value(_ value: Double, _ measure: TimingComparison.Measure) -> String {
    measure.isNanoseconds
      ? NumberText.decimal(value / 1000, digits: 1)
      : TimingTable.plain(NumberText.percent(value, digits: 2))
  }

  private static func line(_ cells: [String]) -> String {
    var text = cells[0] + String(repeating: " ", count: max(1, 32 - cells[0].count))
    for cell in cells[1..<4] {
      text += String(repeating: " ", count: max(1, 11 - cell.count)) + cell
    }
    while text.last == " " { text.removeLast() }
    return text + (cells[4].isEmpty ? "" : "  " + cells[4]) + "\n"
  }
}

extension TimingComparison.Measure {
  /// The name in a table.
  var words: String {
    switch self {
    case .latenessP50: "lateness, p50"
    case .latenessP99: "lateness, p99"
    case .latenessP999: "lateness, p99.9"
    case .latenessMaximum: "lateness, max"
    case .durationP50: "duration, p50"
    case .durationP99: "duration, p99"
    case .durationP999: "duration, p99.9"
    case .durationMaximum: "duration, max"
    case .dspLoad: "DSP load"
    case .processorTimePerSecond: "processor time in a second"
    }
  }
}
