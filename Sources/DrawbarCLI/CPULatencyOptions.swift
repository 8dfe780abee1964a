// SPDX-License-Identifier: MIT

import ArgumentParser
import JACKRemoteIO

/// `--cpu-dma-latency`: the option common to the commands that run a callback.
struct CPULatencyOptions: ParsableArguments {
  @Option(
    name: .customLong("cpu-dma-latency"),
    help: ArgumentHelp(
      """
      Meanwhile let no processor of the machine sleep so deeply that it takes longer than this to wake, 0 to \
      1000000; with 0 none sleeps, and cycles come and run as they would on a busy machine. Takes power, and \
      write permission for /dev/cpu_dma_latency. (default: as the machine is)
      """, valueName: "microseconds"))
  var microseconds: Int32?

  func validate() throws {
    guard (0...1_000_000).contains(microseconds ?? 0) else {
      throw ValidationError("--cpu-dma-latency must be 0 to 1000000.")
    }
  }

  /// Limits the processors' wake-up latency while the request exists; returns nil without the option.
  ///
  /// - Throws: `CPULatencyError` if the request fails.
  func request() throws(CPULatencyError) -> CPULatencyRequest? {
    guard let microseconds else { return nil }
    return try CPULatencyRequest(microseconds: microseconds)
  }
}
