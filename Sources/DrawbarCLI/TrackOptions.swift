// SPDX-License-Identifier: MIT

import ArgumentParser
import PlayerEngine
import RenderCore

/// The options for reading, decoding and resampling tracks, common to `play` and `render`.
struct TrackOptions: ParsableArguments {
  @Option(help: "Position in the first track to start at, in seconds.")
  var start = 0.0

  @Option(
    help: """
      Thread that decodes and resamples: callback (the process callback), ahead (another thread), or auto. \
      auto chooses the callback if its decoder neither allocates nor locks and one packet takes at most 5 % \
      of the period, measured for each stream.
      """)
  var decode = DecodeOption.auto

  @Option(
    help: "Quality for tracks at another rate: fast (least work, softer treble), good, or best.")
  var resampler = ResamplerQuality.good

  @OptionGroup
  var source: SourceOptions

  func validate() throws {
    guard start >= 0 else { throw ValidationError("--start must not be negative.") }
  }

  /// A player's configuration for these options.
  var configuration: PlayerConfiguration {
    var configuration = PlayerConfiguration()
    configuration.decoderThread = decode.thread
    configuration.resamplerQuality = resampler
    return configuration
  }
}
