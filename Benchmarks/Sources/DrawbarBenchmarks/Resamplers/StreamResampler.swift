// SPDX-License-Identifier: MIT

internal import BarePeers

@testable internal import RenderCore

/// One stream through one resampler: interleaved samples, input as it is needed.
protocol StreamResampler: AnyObject {
  /// Gives output where there is some, or takes input.
  ///
  /// - Returns: frames taken of the input and frames written.
  func process(
    _ input: UnsafePointer<Float>, inputCount: Int, into output: UnsafeMutablePointer<Float>,
    outputCount: Int
  ) -> (taken: Int, given: Int)
}

/// What makes instances of one resampler at one setting.
struct ResamplerContender {
  let name: String
  /// Whose place it would take, and so the one setting of soxr's that its time is compared with.
  let quality: ResamplerQuality
  /// It is that setting of soxr's.
  var isBareSoxr = false
  let make: (ResamplerRates, _ channels: Int) throws(BenchmarkFailure) -> any StreamResampler

  /// All of them, each quality's together.
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

/// From which rate to which, in frames per second.
struct ResamplerRates: CustomStringConvertible {
  let input: Int
  let output: Int

  static let all = [(44100, 48000), (48000, 44100), (96000, 48000), (22050, 48000), (8000, 48000)]
    .map { ResamplerRates(input: $0.0, output: $0.1) }

  /// Output frames per input frame.
  var ratio: Double { Double(output) / Double(input) }
  /// Half of the lower rate: the end of the band that both can hold.
  var bandEnd: Double { Double(min(input, output)) / 2 }
  var description: String { "\(input) to \(output) Hz" }
}

/// The engine's own.
private final class EngineResampler: StreamResampler {
  private var resampler: Resampler

  init(_ rates: ResamplerRates, channels: Int, quality: ResamplerQuality) throws(BenchmarkFailure) {
    do throws(AudioConverterError) {
      resampler = try Resampler(
        inputRate: rates.input, outputRate: rates.output, channels: channels, quality: quality)
    } catch {
      throw BenchmarkFailure("\(error)")
    }
  }

  func process(
    _ input: UnsafePointer<Float>, inputCount: Int, into output: UnsafeMutablePointer<Float>,
    outputCount: Int
  ) -> (taken: Int, given: Int) {
    unsafe resampler.process(input, inputCount: inputCount, into: output, outputCount: outputCount)
  }
}

/// One of a library's.
@safe
private final class LibraryResampler: StreamResampler {
  private let resampler: OpaquePointer

  init?(_ kind: stream_resampler_kind, _ rates: ResamplerRates, channels: Int) {
    guard
      let resampler = unsafe stream_resampler_make(
        kind, Int32(rates.input), Int32(rates.output), Int32(channels))
    else { return nil }
    unsafe self.resampler = resampler
  }

  deinit {
    unsafe stream_resampler_free(resampler)
  }

  func process(
    _ input: UnsafePointer<Float>, inputCount: Int, into output: UnsafeMutablePointer<Float>,
    outputCount: Int
  ) -> (taken: Int, given: Int) {
    let progress = unsafe stream_resampler_process(
      resampler, input, inputCount, output, outputCount)
    return (progress.taken, progress.given)
  }
}
