// SPDX-License-Identifier: MIT

public import AudioModel

extension EqualizerCurve {
  /// Returns the second-order sections of each output channel, in the order in which sound passes them. A `Preamp:` is
  /// a section that scales.
  ///
  /// - Parameters:
  ///   - sampleRate: Frames per second.
  ///   - layout: The positions of the output's channels, at least one.
  /// - Throws: the errors of ``design(sampleRate:layout:)``, and every line that is not made of such sections:
  ///   `GraphicEQ:`, `Delay:`, `Copy:`, `Convolution:` and filters of a higher order.
  public func sections(
    sampleRate: Double, layout: EqualizerLayout = .stereo
  ) throws(EqualizerError) -> [[BiquadCoefficients]] {
    let design = try design(sampleRate: sampleRate, layout: layout)
    var sections = [[BiquadCoefficients]](repeating: [], count: design.outputCount)
    var problems: [EqualizerProblem] = []
    for step in design.steps {
      let section: BiquadCoefficients
      switch step.operation {
      case .preamp(let factor): section = BiquadCoefficients(b0: factor, b1: 0, b2: 0, a1: 0, a2: 0)
      case .biquad(let coefficients): section = coefficients
      default:
        let origin = steps[step.origin]
        problems.append(
          EqualizerProblem(
            .notASection(step.operation.name), file: origin.file, line: origin.line))
        continue
      }
      for channel in step.channels where channel < design.outputCount {
        sections[channel].append(section)
      }
    }
    guard problems.isEmpty else { throw EqualizerError(problems) }
    return sections
  }

  /// Returns the curve with this gain in dB in place of its `Preamp:` lines that apply to all channels.
  public func replacingPreamp(withDecibels gainDecibels: Double) -> EqualizerCurve {
    var curve = self
    curve.steps.removeAll { step in
      if case .preamp = step.operation { step.selection == .all } else { false }
    }
    curve.steps.insert(
      EqualizerStep(.preamp(gainDecibels: gainDecibels)), at: 0)
    return curve
  }

  /// Returns the curve without the filters that a sample rate cannot have: those at or above half of it.
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

extension EqualizerDesign.Operation {
  /// The command that makes the step, for error messages.
  fileprivate var name: String {
    switch self {
    case .preamp: "Preamp:"
    case .biquad: "Filter:"
    case .transferFunction: "a filter of a higher order"
    case .graphic: "GraphicEQ:"
    case .delay: "Delay:"
    case .mix: "Copy:"
    case .convolution: "Convolution:"
    }
  }
}
