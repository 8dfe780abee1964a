// SPDX-License-Identifier: MIT

internal import Glibc

extension ImpulseResponse {
  /// The most frames of a response of ``init(minimumPhase:sampleRate:)``.
  public static let maximumDesignFrames = ConvolverControl.maximumResponseFrames / 4

  /// Designs the responses of minimum phase that have given gains, as for graphic equalisers.
  ///
  /// From 20 Hz to 20 kHz, and to 0.45 of the sample rate, the gain is within 0.01 dB, unless that takes more than 1.4 s,
  /// or ``maximumDesignFrames``. Edges that are sharper are rounded. The decay is not part of a convolver's
  /// ``GraphNode/tailFrames``, as that of a filter bank is not. Takes 0.1 s for each channel. Any thread but the render
  /// thread.
  ///
  /// - Parameters:
  ///   - gainsDecibels: for each channel the gain in dB at a frequency in Hz, from 0 to half the rate. Finite.
  ///   - sampleRate: frames per second, one of ``Renderer/sampleRates``.
  /// - Throws: `libraryMissing`, `invalidSampleRate`, `empty` without a channel, `tooLarge` and `notFinite`.
  public init(
    minimumPhase gainsDecibels: [(_ frequencyHertz: Double) -> Double], sampleRate: Double
  ) throws(ConvolverError) {
    guard Renderer.sampleRates.contains(sampleRate) else { throw .invalidSampleRate(sampleRate) }
    let design = try MinimumPhaseDesign(sampleRate: sampleRate)
    var channels: [[Float]] = []
    for gain in gainsDecibels { channels.append(design.response(gain)) }
    try self.init(channels: channels, sampleRate: sampleRate)
    hasTail = false
  }
}

/// A design of responses by the real cepstrum (Oppenheim and Schafer, Discrete-Time Signal Processing, 13.5).
private struct MinimumPhaseDesign: ~Copyable {
  /// The error up to which a response is shortened.
  private static let toleranceDecibels = 0.01
  private static let shortestFrames = 1024
  /// The longest response, which is a power of two at 48 kHz.
  private static let longestSeconds = 65_536 / 48_000.0
  /// The part of a response that is faded out at its end.
  private static let fadedPart = 4

  private let sampleRate: Double
  private let transform: BlockTransform
  private let sampleCount: Int

  init(sampleRate: Double) throws(ConvolverError) {
    self.sampleRate = sampleRate
    var count = 4 * Self.shortestFrames
    while count < ConvolverControl.maximumResponseFrames,
      Double(count) < 4 * Self.longestSeconds * sampleRate
    {
      count *= 2
    }
    sampleCount = count
    transform = try BlockTransform(sampleCount: count)
  }

  /// Returns the shortest response that is exact enough, or the longest one.
  func response(_ gainDecibels: (Double) -> Double) -> [Float] {
    let wanted = (0...sampleCount / 2).map { bin in
      gainDecibels(Double(bin) * sampleRate / Double(sampleCount))
    }
    let whole = minimumPhase(wanted)
    var length = Self.shortestFrames
    while true {
      let response = Self.shortened(whole, to: length)
      if 4 * length >= sampleCount || error(of: response, wanted) <= Self.toleranceDecibels {
        return response
      }
      length *= 2
    }
  }

  /// Returns the response before it is shortened.
  private func minimumPhase(_ gainsDecibels: [Double]) -> [Float] {
    let (half, scale) = (sampleCount / 2, 1 / Float(sampleCount))
    for (bin, gain) in gainsDecibels.enumerated() {
      unsafe transform.spectrum[2 * bin] = Float(gain * log(10) / 20)
      unsafe transform.spectrum[2 * bin + 1] = 0
    }
    transform.inverse()
    // Folds the part of the cepstrum before frame 0 onto the part behind it.
    for index in 0..<sampleCount {
      let factor: Float = index == 0 || index == half ? 1 : index < half ? 2 : 0
      unsafe transform.samples[index] *= factor * scale
    }
    transform.forward()
    for bin in 0...half {
      let (magnitude, angle) = unsafe (
        exp(transform.spectrum[2 * bin]), transform.spectrum[2 * bin + 1]
      )
      unsafe transform.spectrum[2 * bin] = magnitude * cos(angle)
      unsafe transform.spectrum[2 * bin + 1] = magnitude * sin(angle)
    }
    transform.inverse()
    return (0..<half).map { unsafe transform.samples[$0] * scale }
  }

  /// Returns the first frames, of which the last ones are faded out.
  private static func shortened(_ response: [Float], to length: Int) -> [Float] {
    let faded = length / fadedPart
    return (0..<length).map { index in
      let place = index - (length - faded)
      guard place >= 0 else { return response[index] }
      return response[index] * (1 + cos(.pi * (Float(place) + 0.5) / Float(faded))) / 2
    }
  }

  /// Returns the largest error in dB of a response between 20 Hz and 20 kHz.
  private func error(of response: [Float], _ wanted: [Double]) -> Double {
    for index in 0..<sampleCount {
      unsafe transform.samples[index] = index < response.count ? response[index] : 0
    }
    transform.forward()
    let binHertz = sampleRate / Double(sampleCount)
    let first = Int((20 / binHertz).rounded(.up))
    let last = Int(min(20_000, 0.45 * sampleRate) / binHertz)
    var largest = 0.0
    // Below a rate of 45 Hz no bin is in this range.
    for bin in first..<max(first, last + 1) {
      let (real, imaginary) = unsafe (
        Double(transform.spectrum[2 * bin]), Double(transform.spectrum[2 * bin + 1])
      )
      let gain = 10 * log10(real * real + imaginary * imaginary)
      largest = max(largest, (gain - wanted[bin]).magnitude)
    }
    return largest
  }
}
