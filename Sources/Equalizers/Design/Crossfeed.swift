// SPDX-License-Identifier: MIT

public import AudioModel
internal import Glibc

/// A crossfeed for headphones, which imitates loudspeakers: each ear also hears the other channel,
/// softer and without its treble. The filters are those of Boris Mikhaylov's bs2b.
public struct Crossfeed: Sendable, Hashable {
  /// The corner of the low-pass to the other channel: 300 to 2000 Hz.
  public let cutoffHertz: Double
  /// The difference in dB between the same and the other channel at low frequencies: 1 to 15.
  public let levelDecibels: Double

  /// Creates a crossfeed with these values; nil if one is outside of its range.
  public init?(cutoffHertz: Double, levelDecibels: Double) {
    guard (300...2000).contains(cutoffHertz), (1...15).contains(levelDecibels) else { return nil }
    self.cutoffHertz = cutoffHertz
    self.levelDecibels = levelDecibels
  }

  /// bs2b's default: 700 Hz, 4.5 dB.
  public static let standard = Crossfeed(cutoffHertz: 700, levelDecibels: 4.5)!
  /// Chu Moy's circuit: 700 Hz, 6 dB.
  public static let moy = Crossfeed(cutoffHertz: 700, levelDecibels: 6)!
  /// Jan Meier's circuit: 650 Hz, 9.5 dB.
  public static let meier = Crossfeed(cutoffHertz: 650, levelDecibels: 9.5)!

  /// Returns the filter from a channel to the same output, and the filter to the other output.
  ///
  /// - Parameter sampleRate: frames per second.
  public func sections(
    sampleRate: Double
  ) -> (direct: BiquadCoefficients, crossed: BiquadCoefficients) {
    let crossedDecibels = -levelDecibels * 5 / 6 - 3
    let crossed = pow(10, crossedDecibels / 20)
    // The amount by which the direct filter lowers the bass, so that the sum of both is flat.
    let lowered = 1 - pow(10, (levelDecibels / 6 - 3) / 20)
    let directHertz = cutoffHertz * exp2((crossedDecibels - 20 * log10(lowered)) / 12)
    let gain = 1 / (1 - lowered + crossed)
    let low = exp(-2 * Double.pi * cutoffHertz / sampleRate)
    let high = exp(-2 * Double.pi * directHertz / sampleRate)
    return (
      BiquadCoefficients(
        b0: gain * (1 - lowered * (1 - high)), b1: -gain * high, b2: 0, a1: -high, a2: 0),
      BiquadCoefficients(b0: gain * crossed * (1 - low), b1: 0, b2: 0, a1: -low, a2: 0)
    )
  }
}
