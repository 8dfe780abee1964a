// SPDX-License-Identifier: MIT

import ArgumentParser
import PlayerEngine
import RenderCore

/// How tracks are read, decoded and resampled: what `play` and `render` have in common.
struct TrackOptions: ParsableArguments {
  @Option(help: "Seconds into the first track to begin at.")
  var start = 0.0

  @Option(
    help: """
      Where to decode and resample: callback, or ahead (on another thread). auto chooses the callback if its \
      decoder neither allocates nor locks and one packet takes at most 5 % of the period, measured for each \
      stream.
      """)
  var decode = DecodeOption.auto

  @Option(
    help: """
      How tracks of another rate are resampled: fast (least work, softer treble), good, or best.
      """)
  var resampler = ResamplerQuality.good

  @OptionGroup
  var source: SourceOptions

  func validate() throws {
    guard start >= 0 else { throw ValidationError("--start must not be negative.") }
  }

  /// A player's configuration with these choices.
  var configuration: PlayerConfiguration {
    var configuration = PlayerConfiguration()
    configuration.decodePlace = decode.place
    configuration.resamplerQuality = resampler
    return configuration
  }
}
