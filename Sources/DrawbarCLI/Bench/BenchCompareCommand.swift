// SPDX-License-Identifier: MIT

import ArgumentParser
import FoundationEssentials
import TimingReport

/// `drawbar bench compare`: two measurements side by side.
struct BenchCompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare two files of 'bench --json': B over A, and what is noise.",
    discussion: """
      Compares runs of the same subject under the same conditions. A difference counts if it exceeds 3 % \
      and if chance would produce it less than once in fifty comparisons, judged by the scatter of the runs \
      of each side. With fewer than three runs a side it is unknown: measure with --repeat 5. Times are in \
      microseconds.
      """)

  @Argument(help: ArgumentHelp("Measurements before a change.", valueName: "a.json"))
  var a: String

  @Argument(help: ArgumentHelp("Measurements after it.", valueName: "b.json"))
  var b: String

  @Flag(help: "Write the comparison as JSON.")
  var json = false

  func run() throws {
    try Failure.reporting {
      let (first, second) = (try TimingFile.read(a), try TimingFile.read(b))
      let comparison = TimingComparison(first, second)
      var output = StandardOutput()
      if json {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        output.write(try encoder.text(of: comparison) + "\n")
      } else {
        ComparisonTable(comparison).write(to: &output)
      }
      try output.flush()
      if !json,
        first.machine.kernel != second.machine.kernel
          || first.machine.processor != second.machine.processor
      {
        Failure.report("warning: these were measured on different machines")
      }
      guard !comparison.pairs.isEmpty else {
        throw BenchFailure("\(a) and \(b) have no runs under the same conditions")
      }
      return true
    }
  }
}
