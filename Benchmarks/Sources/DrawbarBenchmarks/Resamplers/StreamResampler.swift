// SPDX-License-Identifier: MIT

internal import BarePeers

@testable internal import RenderCore

/// A resampler of one stream: interleaved samples, input as needed.
protocol StreamResampler: AnyObject {
  /// Writes pending output, or consumes input.
  ///
  /// - Returns: the number of input frames consumed and of output frames written.
  func process(
    _ input: UnsafePointer<Float>, inputCount: Int, into output: UnsafeMutablePointer<Float>,
    outputCount: Int
  ) -> (taken: Int, given: Int)
}

/// The engine's own resampler.
final class EngineResampler: StreamResampler {
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

/// A library's resampler.
@safe
final class LibraryResampler: StreamResampler {
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
