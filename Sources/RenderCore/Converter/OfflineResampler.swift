// SPDX-License-Identifier: MIT

/// The render callback's resampler, for use outside the callback by the other targets of this package.
///
/// One thread at a time. Real-time: never on the render thread.
package final class OfflineResampler {
  private var resampler: Resampler
  private let channels: Int

  /// Most frames passed in or requested at once.
  package static var maximumFramesPerCall: Int { Resampler.maximumFramesPerCall }

  /// Makes and warms up a resampler. Takes milliseconds at usual rates.
  package init(
    inputRate: Int, outputRate: Int, channels: Int, quality: ResamplerQuality
  ) throws(AudioConverterError) {
    self.channels = channels
    resampler = try Resampler(
      inputRate: inputRate, outputRate: outputRate, channels: channels, quality: quality,
      mayAllocate: true)
  }

  /// Output frames that correspond to all input so far, by the ratio of the rates.
  package var expectedOutputFrames: Int64 { resampler.expectedOutputFrames }

  /// Writes some output, or takes some input if no output is ready.
  ///
  /// - Returns: input frames taken, and output frames written.
  package func process(
    _ input: UnsafePointer<Float>, inputCount: Int, into output: UnsafeMutablePointer<Float>,
    outputCount: Int
  ) -> (taken: Int, given: Int) {
    unsafe resampler.process(
      input, inputCount: inputCount, into: output, outputCount: outputCount)
  }

  /// Writes the output that is pending after the last input.
  ///
  /// - Returns: frames written; 0 if nothing is left.
  package func drain(into output: UnsafeMutablePointer<Float>, outputCount: Int) -> Int {
    let (samples, frames) = unsafe resampler.drain(outputCount)
    unsafe output.update(from: samples, count: frames * channels)
    return frames
  }
}
