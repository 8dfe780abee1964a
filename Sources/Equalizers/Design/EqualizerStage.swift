// SPDX-License-Identifier: MIT

public import AudioModel

/// A part of an equaliser: filters, graphic curves and a delay for each channel, convolutions, then a
/// mix of the channels.
public struct EqualizerStage: Hashable, Sendable {
  /// The longest delay in seconds.
  public static let maximumDelaySeconds = 1.0
  /// The largest magnitude of a gain.
  public static let maximumGain: Float = 100

  /// The most `Convolution:` lines of a curve.
  public static let maximumConvolutions = 16

  /// A `Convolution:` line. Its effect does not depend on its position in the stage.
  public struct Convolution: Hashable, Sendable {
    /// The name of the file with the impulse response.
    public var name: String
    /// The name of the included file that has the line; nil for the file itself.
    public var file: String?
    /// The number of the line.
    public var line: Int
    /// The indices of the channels, ascending. The first one uses the first channel of the response,
    /// and so on. After the response's last channel its first one follows again, as in Equalizer APO.
    public var channels: [Int]
  }

  /// The second-order sections of each channel, in order.
  public var sections: [[BiquadCoefficients]]
  /// The graphic curves of each channel. Their gains in dB are added. The phase is undefined; minimum
  /// phase has the shortest delay.
  public var curves: [[GraphicCurve]]
  /// The delay of each channel in frames.
  public var delayFrames: [Int]
  /// The convolutions, in order.
  public var convolutions: [Convolution] = []
  /// For each channel after the mix, the gains of the channels before it; nil in the last stage.
  public var gains: [[Float]]?

  fileprivate init(channels: Int) {
    sections = .init(repeating: [], count: channels)
    curves = .init(repeating: [], count: channels)
    delayFrames = .init(repeating: 0, count: channels)
  }
}

extension EqualizerCurve {
  /// Returns the curve as filters, graphic curves, convolutions, delays and mixes, in the order of the
  /// signal path. The stages have the channels of the layout first, then virtual ones, which begin
  /// silent. `Delay:` is rounded to whole frames.
  ///
  /// - Parameters:
  ///   - sampleRate: Frames per second.
  ///   - layout: The positions of the output's channels, at least one.
  /// - Throws: the errors of ``design(sampleRate:layout:)``, and an error for every line that stages
  ///   cannot express: filters of a higher order, delays above ``EqualizerStage/maximumDelaySeconds``,
  ///   factors above ``EqualizerStage/maximumGain``, and more than
  ///   ``EqualizerStage/maximumConvolutions``.
  public func stages(
    sampleRate: Double, layout: EqualizerLayout = .stereo
  ) throws(EqualizerError) -> [EqualizerStage] {
    try stages(of: design(sampleRate: sampleRate, layout: layout), onlySections: false)
  }

  /// Returns the second-order sections of each output channel, in the order of the signal path. A
  /// `Preamp:` is a section that scales.
  ///
  /// - Parameters:
  ///   - sampleRate: Frames per second.
  ///   - layout: The positions of the output's channels, at least one.
  /// - Throws: the errors of ``stages(sampleRate:layout:)``, and an error for every `GraphicEQ:`,
  ///   `Convolution:`, `Delay:` and `Copy:`.
  public func sections(
    sampleRate: Double, layout: EqualizerLayout = .stereo
  ) throws(EqualizerError) -> [[BiquadCoefficients]] {
    let design = try design(sampleRate: sampleRate, layout: layout)
    let stages = try stages(of: design, onlySections: true)
    return Array(stages[0].sections.prefix(design.outputCount))
  }

  private func stages(
    of design: EqualizerDesign, onlySections: Bool
  ) throws(EqualizerError) -> [EqualizerStage] {
    var stages = [EqualizerStage(channels: design.channelCount)]
    var delays = [Double](repeating: 0, count: design.channelCount)
    var problems: [EqualizerProblem] = []
    for step in design.steps {
      var refused: String?
      let last = stages.count - 1
      switch step.operation {
      case .preamp(let factor):
        let section = BiquadCoefficients(b0: factor, b1: 0, b2: 0, a1: 0, a2: 0)
        for channel in step.channels { stages[last].sections[channel].append(section) }
      case .biquad(let section):
        for channel in step.channels { stages[last].sections[channel].append(section) }
      case .graphic(let curve) where !onlySections:
        for channel in step.channels { stages[last].curves[channel].append(curve) }
      case .convolution(let name) where !onlySections:
        let origin = steps[step.origin]
        stages[last].convolutions.append(
          EqualizerStage.Convolution(
            name: name, file: origin.file, line: origin.line, channels: step.channels))
        if stages.map(\.convolutions.count).reduce(0, +) > EqualizerStage.maximumConvolutions {
          refused = "more than \(EqualizerStage.maximumConvolutions) Convolution: lines"
        }
      case .delay(let frames) where !onlySections:
        for channel in step.channels {
          delays[channel] += frames
          if delays[channel] > EqualizerStage.maximumDelaySeconds * design.sampleRate {
            refused = "a delay of more than 1 s"
          } else {
            stages[last].delayFrames[channel] = Int(delays[channel].rounded())
          }
        }
      case .mix(let rows) where !onlySections:
        if let gains = Self.gains(of: rows, channelCount: design.channelCount) {
          stages[last].gains = gains
          stages.append(EqualizerStage(channels: design.channelCount))
          delays = .init(repeating: 0, count: design.channelCount)
        } else {
          refused = "a factor above \(Int(EqualizerStage.maximumGain))"
        }
      default: refused = step.operation.name
      }
      if let refused {
        let origin = steps[step.origin]
        problems.append(
          EqualizerProblem(.notASection(refused), file: origin.file, line: origin.line))
      }
    }
    guard problems.isEmpty else { throw EqualizerError(problems) }
    return stages
  }

  /// Returns the gains of a mix; nil if one is too large.
  private static func gains(of rows: [EqualizerDesign.Row], channelCount: Int) -> [[Float]]? {
    var gains = (0..<channelCount).map { target in
      (0..<channelCount).map { $0 == target ? Float(1) : 0 }
    }
    for row in rows {
      gains[row.target] = .init(repeating: 0, count: channelCount)
      for summand in row.summands { gains[row.target][summand.source] += Float(summand.factor) }
    }
    let isPossible = gains.allSatisfy {
      $0.allSatisfy { $0.magnitude <= EqualizerStage.maximumGain }
    }
    return isPossible ? gains : nil
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
