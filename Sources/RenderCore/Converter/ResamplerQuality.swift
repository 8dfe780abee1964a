// SPDX-License-Identifier: MIT

/// How much work goes into changing the sample rate: what Core Audio sets with
/// `kAudioConverterSampleRateConverterQuality`. Where the rates are the same it means nothing.
///
/// The noise of each lies under its figure for full-scale sound, and nothing above half of the lower
/// rate is louder than that, except at the very edge of the band: there `fast` lets the topmost part
/// through less steeply.
public enum ResamplerQuality: String, Sendable, Hashable, CaseIterable {
  /// About -100 dB, the treble falls from two thirds of the band on. The least work in a single cycle and
  /// the shortest look-ahead: `kAudioConverterQuality_Low`.
  case fast
  /// About -130 dB, flat to 20 kHz at 44.1 kHz: `kAudioConverterQuality_High`.
  case good
  /// About -150 dB, which is the limit of 32-bit samples: `kAudioConverterQuality_Max`.
  case best
}
