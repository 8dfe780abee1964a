// SPDX-License-Identifier: MIT

public import AudioModel
internal import Glibc

// Robert Bristow-Johnson's "Audio EQ Cookbook" (W3C Working Group Note, 2021), and Equalizer APO's rules for shelves.
extension EqualizerFilter {
  /// Returns the filter's coefficients for a sample rate.
  ///
  /// - Parameter sampleRate: Frames per second.
  /// - Throws: The reason why the filter cannot be realised: a frequency at or above half the sample
  ///   rate, a slope that is too steep, a missing width, or values that are not finite.
  public func coefficients(
    sampleRate: Double
  ) throws(EqualizerFilterError) -> BiquadCoefficients {
    guard sampleRate.isFinite, sampleRate > 0 else { throw .sampleRateOutOfRange(sampleRate) }
    guard frequencyHertz.isFinite, frequencyHertz > 0, gainDecibels.isFinite else {
      throw .notRepresentable
    }
    let frequency = try centerFrequencyHertz()
    guard frequency < sampleRate / 2 else {
      throw .frequencyNotBelowHalfSampleRate(frequencyHertz: frequency, sampleRate: sampleRate)
    }
    let omega = 2 * Double.pi * frequency / sampleRate
    let result =
      kind.isFirstOrder
      ? firstOrder(omega: omega) : secondOrder(omega: omega, alpha: try alpha(omega: omega))
    guard frequency > 0, result.isFinite else { throw .notRepresentable }
    guard result.isStable else { throw .unstable }
    return result
  }

  /// Returns gain and phase at a frequency.
  ///
  /// - Parameters:
  ///   - frequencyHertz: The frequency, from 0 to half the sample rate.
  ///   - sampleRate: Frames per second.
  /// - Throws: the same errors as ``coefficients(sampleRate:)``.
  public func response(
    atHertz frequencyHertz: Double, sampleRate: Double
  ) throws(EqualizerFilterError) -> FrequencyResponse {
    try coefficients(sampleRate: sampleRate).response(
      atHertz: frequencyHertz, sampleRate: sampleRate)
  }

  /// The value A of the cookbook.
  private var amplitude: Double { pow(10, gainDecibels / 40) }

  /// Returns 1/S of a shelf: from its slope, or from its Q by 1/Q² = (A + 1/A)(1/S − 1) + 2.
  private func inverseSlope() throws(EqualizerFilterError) -> Double {
    switch width {
    case .slopeDecibelsPerOctave(let slope): return 12 / slope
    case .quality(let quality):
      let sum = amplitude + 1 / amplitude
      return (1 / (quality * quality) - 2) / sum + 1
    case .bandwidthOctaves, nil: throw .missingWidth
    }
  }

  /// Returns the frequency to design for. For a shelf at its corner it is moved towards the middle of
  /// the slope.
  func centerFrequencyHertz() throws(EqualizerFilterError) -> Double {
    guard kind == .lowShelfAtCorner || kind == .highShelfAtCorner else { return frequencyHertz }
    let ratio = pow(10, abs(gainDecibels) / 80 * (try inverseSlope()))
    return kind == .lowShelfAtCorner ? frequencyHertz * ratio : frequencyHertz / ratio
  }

  /// Throws if the slope is too steep for the gain, at any sample rate.
  func checkSlope() throws(EqualizerFilterError) {
    guard case .slopeDecibelsPerOctave(let slope)? = width else { return }
    let sum = amplitude + 1 / amplitude
    guard slope > 0, sum * (12 / slope - 1) + 2 > 0 else {
      throw .slopeTooSteep(slopeDecibelsPerOctave: slope)
    }
  }

  private func alpha(omega: Double) throws(EqualizerFilterError) -> Double {
    switch width {
    case .quality(let quality):
      guard quality > 0 else { throw .notRepresentable }
      return sin(omega) / (2 * quality)
    case .bandwidthOctaves(let octaves):
      guard octaves > 0, !kind.isShelf else { throw .notRepresentable }
      return sin(omega) * sinh(M_LN2 / 2 * octaves * omega / sin(omega))
    case .slopeDecibelsPerOctave(let slope):
      guard kind.isShelf else { throw .notRepresentable }
      try checkSlope()
      let sum = amplitude + 1 / amplitude
      return sin(omega) / 2 * (sum * (12 / slope - 1) + 2).squareRoot()
    case nil: throw .missingWidth
    }
  }

  private func secondOrder(omega: Double, alpha: Double) -> BiquadCoefficients {
    let cosine = cos(omega)
    // 1 − cos ω and 1 + cos ω without cancellation.
    let below = 2 * sin(omega / 2) * sin(omega / 2)
    let above = 2 * cos(omega / 2) * cos(omega / 2)
    let a = amplitude
    return switch kind {
    case .lowPass, .highPass:
      if kind == .lowPass {
        BiquadCoefficients(
          b0: below / 2, b1: below, b2: below / 2, a0: 1 + alpha, a1: -2 * cosine, a2: 1 - alpha)
      } else {
        BiquadCoefficients(
          b0: above / 2, b1: -above, b2: above / 2, a0: 1 + alpha, a1: -2 * cosine, a2: 1 - alpha)
      }
    case .bandPass:
      BiquadCoefficients(
        b0: alpha, b1: 0, b2: -alpha, a0: 1 + alpha, a1: -2 * cosine, a2: 1 - alpha)
    case .notch:
      BiquadCoefficients(
        b0: 1, b1: -2 * cosine, b2: 1, a0: 1 + alpha, a1: -2 * cosine, a2: 1 - alpha)
    case .allPass:
      BiquadCoefficients(
        b0: 1 - alpha, b1: -2 * cosine, b2: 1 + alpha, a0: 1 + alpha, a1: -2 * cosine,
        a2: 1 - alpha)
    case .lowShelf, .lowShelfAtCorner: shelf(sign: 1, cosine: cosine, alpha: alpha)
    case .highShelf, .highShelfAtCorner: shelf(sign: -1, cosine: cosine, alpha: alpha)
    default:
      BiquadCoefficients(
        b0: 1 + alpha * a, b1: -2 * cosine, b2: 1 - alpha * a, a0: 1 + alpha / a,
        a1: -2 * cosine, a2: 1 - alpha / a)
    }
  }

  /// Returns a low shelf or, with the sign −1, a high shelf, its mirror image: cos ω and the odd powers
  /// of z change their signs.
  private func shelf(sign: Double, cosine: Double, alpha: Double) -> BiquadCoefficients {
    let a = amplitude
    let beta = 2 * a.squareRoot() * alpha
    let turned = sign * cosine
    return BiquadCoefficients(
      b0: a * ((a + 1) - (a - 1) * turned + beta),
      b1: sign * 2 * a * ((a - 1) - (a + 1) * turned),
      b2: a * ((a + 1) - (a - 1) * turned - beta),
      a0: (a + 1) + (a - 1) * turned + beta,
      a1: sign * -2 * ((a - 1) + (a + 1) * turned),
      a2: (a + 1) + (a - 1) * turned - beta)
  }

  /// Returns the bilinear transform of the analogue filters 1/(s + 1), s/(s + 1), (1 − s)/(1 + s), A(s
  /// + A)/(A·s + 1) and A(A·s + 1)/(s + A), with s = 1 at the frequency.
  private func firstOrder(omega: Double) -> BiquadCoefficients {
    let t = tan(omega / 2)
    let a = amplitude
    // Numerator and denominator as p·s + q.
    let (numerator, denominator): ((Double, Double), (Double, Double)) =
      switch kind {
      case .lowPassFirstOrder: ((0, 1), (1, 1))
      case .highPassFirstOrder: ((1, 0), (1, 1))
      case .allPassFirstOrder: ((-1, 1), (1, 1))
      case .lowShelfFirstOrder: ((a, a * a), (a, 1))
      default: ((a * a, a), (1, a))
      }
    return BiquadCoefficients(
      b0: numerator.1 * t + numerator.0, b1: numerator.1 * t - numerator.0, b2: 0,
      a0: denominator.1 * t + denominator.0, a1: denominator.1 * t - denominator.0, a2: 0)
  }
}
