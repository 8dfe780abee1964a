// SPDX-License-Identifier: MIT

/// An impulse response for a ``ConvolverControl``: samples of one or more channels at a sample rate.
public struct ImpulseResponse: Equatable, Sendable {
  /// The largest sum of the magnitudes of a channel's samples, which is the largest gain. Products with the sound must be
  /// finite in single precision.
  public static let maximumGain = 1e20

  /// The samples of each channel, the same number for each.
  public let channels: [[Float]]
  /// Frames per second.
  public let sampleRate: Double
  /// Whether the decay is sound of its own, as a room's is.
  var hasTail = true

  /// Checks the samples.
  ///
  /// - Parameters:
  ///   - channels: the samples of each channel. Shorter channels are filled up with silence.
  ///   - sampleRate: frames per second, one of ``Renderer/sampleRates``.
  /// - Throws: ``ConvolverError``.
  public init(channels: [[Float]], sampleRate: Double) throws(ConvolverError) {
    let frames = channels.map(\.count).max() ?? 0
    if frames == 0 { throw .empty }
    let maximum = ConvolverControl.maximumResponseFrames
    if frames > maximum { throw .tooLong(frames: frames, maximum: maximum) }
    guard Renderer.sampleRates.contains(sampleRate) else { throw .invalidSampleRate(sampleRate) }
    guard channels.allSatisfy({ $0.allSatisfy(\.isFinite) }) else { throw .notFinite }
    let gains = channels.map { $0.reduce(0.0) { $0 + Double($1.magnitude) } }
    guard gains.allSatisfy({ $0 <= Self.maximumGain }) else { throw .tooLarge }
    self.channels = channels.map { $0 + [Float](repeating: 0, count: frames - $0.count) }
    self.sampleRate = sampleRate
  }

  /// The frames of each channel.
  public var frameCount: Int { channels[0].count }

  /// Returns the number of frames at another sample rate.
  func frameCount(at rate: Double) -> Int {
    Int((Double(frameCount) * rate / sampleRate).rounded(.up))
  }

  /// Returns the response at another sample rate, with the same level of its frequency response. Takes up to 0.1 s; any
  /// thread but the render thread.
  ///
  /// - Parameter rate: frames per second, one of ``Renderer/sampleRates``.
  /// - Throws: `sampleRateNotSupported`, `invalidSampleRate`, and `tooLong`.
  public func resampled(to rate: Double) throws(ConvolverError) -> ImpulseResponse {
    if sampleRate == rate { return self }
    var response = try ImpulseResponse(channels: channels(at: rate), sampleRate: rate)
    response.hasTail = hasTail
    return response
  }

  /// Returns the samples at another sample rate, with the same level of their frequency response.
  func channels(at rate: Double) throws(ConvolverError) -> [[Float]] {
    if sampleRate == rate { return channels }
    let scale = Float(sampleRate / rate)
    do throws(AudioConverterError) {
      var resampled: [[Float]] = []
      for channel in channels {
        let samples = try Self.resampled(
          channel + [Float](repeating: 0, count: Self.ringingFrames), from: sampleRate, to: rate)
        resampled.append(samples.map { $0 * scale })
      }
      return Self.withoutQuietEnd(resampled, keeping: frameCount(at: rate))
    } catch {
      throw .sampleRateNotSupported(sampleRate, rendererRate: rate)
    }
  }

  /// Frames after the last sample in which the resampler's filter rings.
  private static let ringingFrames = 512

  private static func resampled(
    _ samples: [Float], from inputRate: Double, to outputRate: Double
  ) throws(AudioConverterError) -> [Float] {
    let resampler = try OfflineResampler(
      inputRate: Int(inputRate.rounded()), outputRate: Int(outputRate.rounded()), channels: 1,
      quality: .best)
    var resampled: [Float] = []
    unsafe withUnsafeTemporaryAllocation(
      of: Float.self, capacity: OfflineResampler.maximumFramesPerCall
    ) { output in
      let place = output.baseAddress!
      var taken = 0
      while taken < samples.count {
        let step = unsafe samples.withUnsafeBufferPointer { input in
          unsafe resampler.process(
            input.baseAddress! + taken, inputCount: input.count - taken, into: place,
            outputCount: output.count)
        }
        taken += step.taken
        unsafe resampled.append(contentsOf: output[..<step.given])
      }
      var given = 0
      repeat {
        given = unsafe resampler.drain(into: place, outputCount: output.count)
        unsafe resampled.append(contentsOf: output[..<given])
      } while given > 0
    }
    return resampled
  }

  /// Removes frames at the end that are below -140 dB of the peak, but keeps the first `count` frames.
  private static func withoutQuietEnd(_ channels: [[Float]], keeping count: Int) -> [[Float]] {
    let peak = channels.joined().map(\.magnitude).max() ?? 0
    let length =
      channels.map { channel in
        (channel.lastIndex { $0.magnitude > peak * 1e-7 } ?? 0) + 1
      }.max() ?? 0
    return channels.map { Array($0.prefix(max(length, count))) }
  }
}
