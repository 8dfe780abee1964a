// SPDX-License-Identifier: MIT

/// One step of an equaliser: an operation and its channels.
public struct EqualizerStep: Hashable, Sendable {
  /// A step's effect on its channels.
  public enum Operation: Hashable, Sendable {
    /// Gain in dB (`Preamp:`).
    case preamp(gainDecibels: Double)
    /// A filter of a known type (`Filter:`).
    case filter(EqualizerFilter)
    /// A filter that is defined by its coefficients (`Filter: ON IIR`; `Free` in CamillaDSP).
    case transferFunction(TransferFunction)
    /// A curve of frequencies and gains (`GraphicEQ:`).
    case graphic(GraphicCurve)
    /// A delay in milliseconds, not negative (`Delay: t ms`).
    case delayMilliseconds(Double)
    /// A delay in frames, not negative (`Delay: n samples`).
    case delayFrames(Double)
    /// New contents for some channels (`Copy:`). All assignments read the channels as they were before the step.
    /// The step's selection has no effect.
    case copy([ChannelAssignment])
    /// Convolution with the impulse response in the file of this name (`Convolution:`).
    case convolution(name: String)
  }

  /// The effect.
  public var operation: Operation
  /// The channels to which it applies.
  public var selection: EqualizerSelection
  /// The name of the included file that has the step; nil for the file itself.
  public var file: String?
  /// The number of the step's line in its file, from 1; 0 for a step that comes from no file.
  public var line: Int

  /// Creates a step with these fields.
  public init(
    _ operation: Operation, of selection: EqualizerSelection = .all, file: String? = nil,
    line: Int = 0
  ) {
    self.operation = operation
    self.selection = selection
    self.file = file
    self.line = line
  }
}

/// A channel's new content: a sum of other channels (`Copy: L=0.5*L+0.5*R`).
public struct ChannelAssignment: Hashable, Sendable {
  /// One channel of a sum, and its factor.
  public struct Summand: Hashable, Sendable {
    /// The channel that is added.
    public var source: EqualizerChannel
    /// Its linear factor. A negative one inverts.
    public var factor: Double

    /// Creates a summand with these fields.
    public init(_ source: EqualizerChannel, factor: Double = 1) {
      self.source = source
      self.factor = factor
    }
  }

  /// The channel that is assigned. An assignment to an unknown name creates a virtual channel.
  public var target: EqualizerChannel
  /// The sum; empty for silence (`L=0`).
  public var summands: [Summand]

  /// Creates an assignment with these fields.
  public init(_ target: EqualizerChannel, _ summands: [Summand]) {
    self.target = target
    self.summands = summands
  }
}
