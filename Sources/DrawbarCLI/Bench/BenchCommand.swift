// SPDX-License-Identifier: MIT

import ArgumentParser

/// `drawbar bench`: measures the callback's cost and lateness, and finds the causes of bad cycles.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure what the callback costs on this machine, and how late it comes.",
    discussion: """
      Examples:
        drawbar bench --periods 64,256 --input song.mp3 --html report.html
        drawbar bench --load none,cpu,disk --repeat 5 --json before.json
        drawbar bench compare before.json after.json
        drawbar bench show run.json               what 'drawbar play --timing' wrote
        drawbar bench run --help                  all options
      """,
    subcommands: [
      BenchRunCommand.self, BenchCompareCommand.self, BenchShowCommand.self,
      BenchClientCommand.self, BenchLoadCommand.self,
    ],
    defaultSubcommand: BenchRunCommand.self)
}
