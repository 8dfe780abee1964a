// SPDX-License-Identifier: MIT

import ArgumentParser
import PlayerEngine

/// The options for buffering sound ahead in `play`.
struct BufferingOptions: ParsableArguments {
  @Option(help: "Seconds to buffer before sound starts.")
  var buffer = 3.0

  @Option(
    help: "Seconds to buffer before sound starts again after an underrun. (default: as --buffer)")
  var rebuffer: Double?

  @Option(
    help: """
      Seconds of sound with which nothing more is read, so that a server waits. (default: what two \
      mebibytes hold; of a local file 1.5; of one that is not decoded ahead 12, or twice --buffer)
      """)
  var highWater: Double?

  @Option(
    help: "Seconds of sound below which reading goes on after that. (default: as --high-water)")
  var lowWater: Double?

  func validate() throws {
    guard (0...60).contains(buffer) else { throw ValidationError("--buffer must be 0 to 60.") }
    guard (0...60).contains(rebuffer ?? 0) else {
      throw ValidationError("--rebuffer must be 0 to 60.")
    }
    guard (1...3600).contains(highWater ?? 1) else {
      throw ValidationError("--high-water must be 1 to 3600.")
    }
    guard (0...(highWater ?? 0)).contains(lowWater ?? 0) else {
      throw ValidationError("--low-water must be 0 to the seconds of --high-water.")
    }
  }

  /// Applies these options to a player's configuration.
  func apply(to configuration: inout PlayerConfiguration) {
    func nanoseconds(_ seconds: Double) -> UInt64 { UInt64(seconds * 1_000_000_000) }
    configuration.startThresholdNanoseconds = nanoseconds(buffer)
    configuration.rebufferThresholdNanoseconds = nanoseconds(rebuffer ?? buffer)
    if let highWater { configuration.highWaterNanoseconds = nanoseconds(highWater) }
    if let lowWater { configuration.lowWaterNanoseconds = nanoseconds(lowWater) }
  }
}
