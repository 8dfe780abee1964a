// SPDX-License-Identifier: MIT

extension EqualizerCurve {
  /// Returns the curve with this gain in dB instead of its `Preamp:` lines that apply to all channels.
  public func replacingPreamp(withDecibels gainDecibels: Double) -> EqualizerCurve {
    var curve = self
    curve.steps.removeAll { step in
      if case .preamp = step.operation { step.selection == .all } else { false }
    }
    curve.steps.insert(
      EqualizerStep(.preamp(gainDecibels: gainDecibels)), at: 0)
    return curve
  }

  /// Returns the curve without the filters that are impossible at a sample rate: those at or above half
  /// of it.
  public func limited(toSampleRate sampleRate: Double) -> EqualizerCurve {
    var curve = self
    curve.steps.removeAll { step in
      guard case .filter(let filter) = step.operation else { return false }
      return filter.isTooHigh(forSampleRate: sampleRate)
    }
    return curve
  }
}

extension EqualizerFilter {
  /// Returns true if a sample rate is too low for the filter, and some rate up to 768 kHz is high enough.
  public func isTooHigh(forSampleRate sampleRate: Double) -> Bool {
    do throws(EqualizerFilterError) {
      _ = try coefficients(sampleRate: sampleRate)
      return false
    } catch {
      guard case .frequencyNotBelowHalfSampleRate(let frequency, _) = error else { return false }
      return frequency < 384_000
    }
  }
}
