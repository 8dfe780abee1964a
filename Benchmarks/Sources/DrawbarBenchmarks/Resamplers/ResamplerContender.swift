// SPDX-License-Identifier: MIT

internal import BarePeers
internal import RenderCore

/// A factory for one resampler at one setting.
struct ResamplerContender {
  let name: String
  /// The engine's quality that it corresponds to, which selects the soxr setting that its time is compared with.
  let quality: ResamplerQuality
  /// Whether it is that soxr setting itself.
  var isBareSoxr = false
  let make: (ResamplerRates, _ channels: Int) throws(BenchmarkFailure) -> any StreamResampler

  /// All contenders, grouped by quality.
  static var all: [ResamplerContender] {
    [
      engine(.fast),
      library("soxr LQ", .fast, stream_resampler_soxr_low, isBareSoxr: true),
      library("libsamplerate fastest", .fast, stream_resampler_samplerate_fastest),
      library("libswresample", .fast, stream_resampler_swresample),
      engine(.good),
      library("soxr HQ", .good, stream_resampler_soxr_high, isBareSoxr: true),
      library("libsamplerate medium", .good, stream_resampler_samplerate_medium),
      library("libswresample long", .good, stream_resampler_swresample_long),
      engine(.best),
      library("soxr VHQ", .best, stream_resampler_soxr_very_high, isBareSoxr: true),
      library("libsamplerate best", .best, stream_resampler_samplerate_best),
    ]
  }

  private static func engine(_ quality: ResamplerQuality) -> ResamplerContender {
    ResamplerContender(name: "Drawbar \(quality.rawValue)", quality: quality) {
      (rates, channels) throws(BenchmarkFailure) in
      try EngineResampler(rates, channels: channels, quality: quality)
    }
  }

  private static func library(
    _ name: String, _ quality: ResamplerQuality, _ kind: stream_resampler_kind,
    isBareSoxr: Bool = false
  ) -> ResamplerContender {
    ResamplerContender(name: name, quality: quality, isBareSoxr: isBareSoxr) {
      (rates, channels) throws(BenchmarkFailure) in
      guard let resampler = LibraryResampler(kind, rates, channels: channels) else {
        throw BenchmarkFailure("\(name) refuses \(rates)")
      }
      return resampler
    }
  }
}
