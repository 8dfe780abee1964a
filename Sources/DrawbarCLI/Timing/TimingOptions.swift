// SPDX-License-Identifier: MIT

import ArgumentParser
import JACKRemoteIO
import RenderCore

/// `--timing`: the option common to the commands that run a callback.
struct TimingOptions: ParsableArguments {
  @Option(
    name: .customLong("timing"),
    help: ArgumentHelp(
      """
      Measure each of the callback's cycles, and write into this file, as JSON, how late they came and how \
      long they took, and why those went wrong that did. 'drawbar bench show' makes a report of it.
      """, valueName: "out.json"))
  var path: String?

  /// Starts to measure an output, if requested; returns nil otherwise.
  ///
  /// - Throws: `TimingFileFailure` if the file cannot be written.
  func recorder(of output: RemoteIO, rendering renderer: Renderer) throws -> RunTiming? {
    try path.map { try RunTiming(path: $0, of: output, rendering: renderer) }
  }
}
