// SPDX-License-Identifier: MIT

import ArgumentParser
import JACKRemoteIO
import RenderCore

/// `--timing`: what the commands that run a callback have in common.
struct TimingOptions: ParsableArguments {
  @Option(
    name: .customLong("timing"),
    help: ArgumentHelp(
      """
      Measure each of the callback's cycles, and write into this file, as JSON, how late they came and how \
      long they took, and why those went wrong that did. 'drawbar bench show' makes a report of it.
      """, valueName: "out.json"))
  var path: String?

  /// Measures an output from now on, if that is asked for.
  ///
  /// - Throws: `TimingFileFailure` when the file cannot be written.
  func recorder(of output: RemoteIO, rendering renderer: Renderer) throws -> RunTiming? {
    try path.map { try RunTiming(path: $0, of: output, rendering: renderer) }
  }
}
