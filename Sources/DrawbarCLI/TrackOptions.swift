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
      Where packets are decoded and resampled: callback, or ahead of it; only formats that have a decoder \
      there. Without it play decodes local files ahead, and all else is decoded in the callback if that is \
      safe.
      """)
  var decode: DecodePlace?

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
    configuration.decodePlace = decode
    configuration.resamplerQuality = resampler
    return configuration
  }
}
