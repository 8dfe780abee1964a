// SPDX-License-Identifier: MIT

/// An error of ``ProcessingGraph/addConvolver(channelCount:maximumFrames:)``, ``ConvolverControl/set(_:)-(ImpulseResponse?)`` or
/// ``ImpulseResponse/init(channels:sampleRate:)``.
public enum ConvolverError: Error, Equatable, Sendable, CustomStringConvertible {
  /// FFTW is not installed, or Drawbar was built without it.
  case libraryMissing
  /// The response has no channel or no frame.
  case empty
  /// The response has a sample that is NaN or infinite.
  case notFinite
  /// The magnitudes of a channel's samples add up to more than ``ImpulseResponse/maximumGain``.
  case tooLarge
  /// The sample rate of the response is none of ``Renderer/sampleRates``.
  case invalidSampleRate(Double)
  /// The response is too long at the renderer's sample rate.
  case tooLong(frames: Int, maximum: Int)
  /// The number of channels of the response is neither 1, nor the node's, nor its square.
  case wrongChannelCount(Int, nodeChannels: Int)
  /// The response cannot be resampled from the first of these rates to the second one.
  case sampleRateNotSupported(Double, rendererRate: Double)

  /// The reason, and a remedy.
  public var description: String {
    switch self {
    case .libraryMissing:
      #if DRAWBAR_FFTW
        "the FFTW library (libfftw3f.so.3) is not installed; in Debian it is in the package "
          + "libfftw3-single3"
      #else
        "Drawbar was built without FFTW; build it again with libfftw3-dev installed"
      #endif
    case .empty: "the impulse response has no samples"
    case .notFinite: "the impulse response has samples that are NaN or infinite"
    case .tooLarge: "the impulse response has samples that are too large to be computed with"
    case .invalidSampleRate(let rate):
      "the impulse response has a sample rate of \(rate), which is impossible"
    case .tooLong(let frames, let maximum):
      "the impulse response has \(frames) frames; the maximum is \(maximum)"
    case .wrongChannelCount(let count, let channels):
      channels == 1
        ? "the impulse response has \(count) channels; one channel needs 1"
        : "the impulse response has \(count) channels; \(channels) channels need 1, \(channels) or "
          + "\(channels * channels)"
    case .sampleRateNotSupported(let rate, let rendererRate):
      "the impulse response cannot be resampled from \(rate) to \(rendererRate) frames per second"
    }
  }
}
