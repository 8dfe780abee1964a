// SPDX-License-Identifier: MIT

/// The quality of sample rate conversion, as in Core Audio's `kAudioConverterSampleRateConverterQuality`. It has no
/// effect if the rates are equal.
///
/// Each quality's noise is below its figure for full-scale sound, and so is every component above half of the lower
/// rate. The exception is the very edge of the band, where `fast` has a less steep filter.
public enum ResamplerQuality: String, Sendable, Hashable, CaseIterable {
  /// About -100 dB; the treble falls from two thirds of the band on. The least work in a single cycle and the shortest
  /// look-ahead: `kAudioConverterQuality_Low`.
  case fast
  /// About -130 dB, flat to 20 kHz at 44.1 kHz: `kAudioConverterQuality_High`.
  case good
  /// About -150 dB, which is the limit of 32-bit samples: `kAudioConverterQuality_Max`.
  case best
}
