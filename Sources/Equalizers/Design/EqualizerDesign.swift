// SPDX-License-Identifier: MIT

public import AudioModel
internal import Glibc

/// An equaliser for one sample rate and one layout: the effect of each step on each channel.
///
/// A value. Its methods and its creation allocate, so never use it on the render thread.
public struct EqualizerDesign: Hashable, Sendable {
  /// A step's effect on each of its channels.
  public enum Operation: Hashable, Sendable {
    /// A `Preamp:`, as a linear factor.
    case preamp(factor: Double)
    /// A second-order section.
    case biquad(BiquadCoefficients)
    /// A filter of a higher order.
    case transferFunction(TransferFunction)
    /// A curve to be realised by an FIR filter.
    case graphic(GraphicCurve)
    /// A delay in frames, not always a whole number.
    case delay(frames: Double)
    /// New contents of channels; all sums read the channels as they were before the step.
    case mix([Row])
    /// An impulse response to convolve with.
    case convolution(name: String)
  }

  /// A channel's new content.
  public struct Row: Hashable, Sendable {
    /// The index of the channel that is assigned.
    public var target: Int
    /// The indices of the channels that are added, each with its linear factor.
    public var summands: [Summand]
  }

  /// One channel of a sum.
  public struct Summand: Hashable, Sendable {
    /// The index of the channel that is added.
    public var source: Int
    /// The linear factor.
    public var factor: Double
  }

  /// One step.
  public struct Step: Hashable, Sendable {
    /// The effect.
    public var operation: Operation
    /// The indices of the channels that it applies to, ascending; empty for ``Operation/mix(_:)``.
    public var channels: [Int]
    /// The index of the step in ``EqualizerCurve/steps``.
    public var origin: Int
  }

  /// Frames per second.
  public let sampleRate: Double
  /// The number of output channels. They have the first indices; virtual channels follow.
  public let outputCount: Int
  /// The number of all channels.
  public let channelCount: Int
  /// The steps, in order, without those whose channels are all missing from the layout.
  public let steps: [Step]
  /// Channels that the curve names but the layout does not have, each once, in the curve's order.
  public let missingChannels: [EqualizerChannel]

  init(
    sampleRate: Double, outputCount: Int, channelCount: Int, steps: [Step],
    missingChannels: [EqualizerChannel]
  ) {
    self.sampleRate = sampleRate
    self.outputCount = outputCount
    self.channelCount = channelCount
    self.steps = steps
    self.missingChannels = missingChannels
  }
}

extension EqualizerCurve {
  /// Returns the curve's filters for a sample rate and a layout.
  ///
  /// A channel that the layout does not have is left out of selections and listed in
  /// ``EqualizerDesign/missingChannels``. An assignment to it creates a virtual channel.
  ///
  /// - Parameters:
  ///   - sampleRate: Frames per second.
  ///   - layout: The positions of the output's channels, at least one.
  /// - Throws: An error that lists, with their line numbers, every filter that cannot be realised at
  ///   this rate and every `Copy:` from a channel that does not exist.
  public func design(
    sampleRate: Double, layout: EqualizerLayout = .stereo
  ) throws(EqualizerError) -> EqualizerDesign {
    var designer = Designer(layout: layout, sampleRate: sampleRate)
    var problems: [EqualizerProblem] = []
    if layout.positions.isEmpty {
      problems.append(EqualizerProblem(.missing("a channel"), line: 0))
    }
    if !(sampleRate.isFinite && sampleRate > 0) {
      problems.append(EqualizerProblem(.filter(.sampleRateOutOfRange(sampleRate)), line: 0))
    }
    guard problems.isEmpty else { throw EqualizerError(problems) }
    for (index, step) in steps.enumerated() {
      do throws(EqualizerProblem.Reason) {
        try designer.add(step, origin: index)
      } catch {
        problems.append(EqualizerProblem(error, file: step.file, line: step.line))
      }
    }
    guard problems.isEmpty else { throw EqualizerError(problems) }
    return designer.design
  }

  /// Returns gain and phase from an input channel to the output channel of the same number.
  ///
  /// Each call designs all filters anew; for more than one frequency use ``design(sampleRate:layout:)``.
  ///
  /// - Parameters:
  ///   - frequencyHertz: The frequency, from 0 to half the sample rate.
  ///   - sampleRate: Frames per second.
  ///   - channel: The channel's index in the layout, from 0.
  ///   - layout: The positions of the output's channels.
  /// - Throws: the same errors as ``design(sampleRate:layout:)``.
  public func response(
    atHertz frequencyHertz: Double, sampleRate: Double, channel: Int = 0,
    layout: EqualizerLayout = .stereo
  ) throws(EqualizerError) -> FrequencyResponse {
    try design(sampleRate: sampleRate, layout: layout).response(
      atHertz: frequencyHertz, from: channel, to: channel)
  }

  /// Returns the gain in dB, 0 or less, that keeps the curve's peak at or below 0 dB.
  ///
  /// - Parameters:
  ///   - sampleRate: Frames per second.
  ///   - layout: The positions of the output's channels.
  ///   - keepsPreamp: Whether the result is added to the file's own `Preamp:` lines. Otherwise it replaces them.
  /// - Throws: the same errors as ``design(sampleRate:layout:)``.
  public func automaticPreampDecibels(
    sampleRate: Double, layout: EqualizerLayout = .stereo, keepsPreamp: Bool = false
  ) throws(EqualizerError) -> Double {
    try design(sampleRate: sampleRate, layout: layout).automaticPreampDecibels(
      keepsPreamp: keepsPreamp)
  }
}

/// Resolves names of channels to indices, and filters to coefficients.
private struct Designer {
  let layout: EqualizerLayout
  let sampleRate: Double
  private var steps: [EqualizerDesign.Step] = []
  /// The indices of virtual channels, which are not outputs.
  private var virtualIndices: [EqualizerChannel: Int] = [:]
  private var missing: [EqualizerChannel] = []

  init(layout: EqualizerLayout, sampleRate: Double) {
    self.layout = layout
    self.sampleRate = sampleRate
  }

  private var outputCount: Int { layout.positions.count }

  var design: EqualizerDesign {
    EqualizerDesign(
      sampleRate: sampleRate, outputCount: outputCount,
      channelCount: outputCount + virtualIndices.count, steps: steps, missingChannels: missing)
  }

  mutating func add(_ step: EqualizerStep, origin: Int) throws(EqualizerProblem.Reason) {
    let operation = try operation(step.operation)
    var channels: [Int] = []
    if case .mix = operation {
    } else {
      channels = indices(of: step.selection)
      guard !channels.isEmpty else { return }
    }
    steps.append(EqualizerDesign.Step(operation: operation, channels: channels, origin: origin))
  }

  private mutating func indices(of selection: EqualizerSelection) -> [Int] {
    var indices = Set(selection.includesOutputs ? Array(0..<outputCount) : [])
    for channel in selection.channels {
      if let index = index(of: channel) {
        indices.insert(index)
      } else if !missing.contains(channel) {
        missing.append(channel)
      }
    }
    return indices.sorted()
  }

  private func index(of channel: EqualizerChannel) -> Int? {
    layout.index(of: channel) ?? virtualIndices[channel]
  }

  private mutating func operation(
    _ operation: EqualizerStep.Operation
  ) throws(EqualizerProblem.Reason) -> EqualizerDesign.Operation {
    switch operation {
    case .preamp(let gain): return .preamp(factor: Decibels.linear(gain))
    case .filter(let filter):
      do throws(EqualizerFilterError) {
        return .biquad(try filter.coefficients(sampleRate: sampleRate))
      } catch {
        throw .filter(error)
      }
    case .transferFunction(let function):
      return function.biquad.map { .biquad($0) } ?? .transferFunction(function)
    case .graphic(let curve): return .graphic(curve)
    case .delayMilliseconds(let milliseconds):
      return .delay(frames: milliseconds / 1000 * sampleRate)
    case .delayFrames(let frames): return .delay(frames: frames)
    case .convolution(let name): return .convolution(name: name)
    case .copy(let assignments): return .mix(try rows(assignments))
    }
  }

  private mutating func rows(
    _ assignments: [ChannelAssignment]
  ) throws(EqualizerProblem.Reason) -> [EqualizerDesign.Row] {
    var rows: [EqualizerDesign.Row] = []
    for assignment in assignments {
      var summands: [EqualizerDesign.Summand] = []
      for summand in assignment.summands {
        guard let source = index(of: summand.source) else {
          throw .unknownChannel(summand.source.description)
        }
        summands.append(EqualizerDesign.Summand(source: source, factor: summand.factor))
      }
      // The targets are resolved below: a channel that this step creates cannot be its source.
      rows.append(EqualizerDesign.Row(target: 0, summands: summands))
    }
    for (row, assignment) in assignments.enumerated() {
      rows[row].target = index(of: assignment.target) ?? outputCount + virtualIndices.count
      if index(of: assignment.target) == nil {
        virtualIndices[assignment.target] = rows[row].target
      }
    }
    return rows
  }
}
