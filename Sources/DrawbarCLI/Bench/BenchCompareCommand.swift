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
      Runs are compared when their subject and conditions are the same. A difference counts when it is \
      greater than 3 %, and than chance gives one time in fifty to runs that differ from each other as those \
      of each side do. With fewer than three runs a side it is unknown: measure with --repeat 5. Times are in \
      microseconds.
      """)

  @Argument(help: ArgumentHelp("What was before.", valueName: "a.json"))
  var a: String

  @Argument(help: ArgumentHelp("What is now.", valueName: "b.json"))
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
