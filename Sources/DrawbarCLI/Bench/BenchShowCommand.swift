// SPDX-License-Identifier: MIT

import ArgumentParser
import TimingReport

/// `drawbar bench show`: shows an earlier measurement as a table or a page.
struct BenchShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show what 'bench --json', 'play --timing' or 'monitor --timing' wrote.",
    usage: "drawbar bench show [<options>] <file.json>")

  @Argument(help: ArgumentHelp("A file that was written before.", valueName: "file.json"))
  var file: String

  @OptionGroup
  var reports: BenchReportOptions

  func run() throws {
    try Failure.reporting {
      let document = try TimingFile.read(file)
      try reports.check(isNoneOf: [file])
      try reports.write(document)
      return true
    }
  }
}
