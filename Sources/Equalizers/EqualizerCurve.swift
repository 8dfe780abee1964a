// SPDX-License-Identifier: MIT

/// An equaliser as described by a file: its steps, in the order in which they are applied.
///
/// A value without input or output; any thread, never the render thread. A curve exists only if every line of its
/// file was understood: a file with one unsupported line is refused, and the error names all such lines.
///
/// ``design(sampleRate:layout:)`` makes filter coefficients for one sample rate.
public struct EqualizerCurve: Hashable, Sendable {
  /// A file's form, recognised by its content.
  public enum Form: String, Hashable, Sendable, CaseIterable {
    /// `Preamp:` and `Filter n:` lines and nothing else: AutoEq's ParametricEQ.txt, PipeWire's parametric equaliser.
    case parametric
    /// The same lines, ten or more peaking filters of Q 1.41 an octave apart: AutoEq's FixedBandEQ.txt.
    case fixedBand
    /// `GraphicEQ:` lines and nothing else: AutoEq's GraphicEQ.txt, Wavelet.
    case graphic
    /// An Equalizer APO configuration with other commands.
    case equalizerAPO
    /// The text export of Room EQ Wizard, equaliser "Generic".
    case roomEQWizard
    /// The `filters:` of a CamillaDSP configuration, in YAML.
    case camillaDSP
  }

  /// Limits on a file and the files that it includes.
  public struct Limits: Hashable, Sendable {
    /// The largest number of bytes, of all files together.
    public var bytes = 1 << 20
    /// The largest number of lines, of all files together.
    public var lines = 20_000
    /// The largest number of steps.
    public var steps = 1000
    /// The largest number of points of one graphic curve.
    public var graphicPoints = 4096
    /// The largest number of assignments in one `Copy:`, of summands in one assignment, and of virtual channels.
    public var copyTerms = 64
    /// The largest order of an IIR filter that is defined by its coefficients.
    public var coefficientOrder = 16
    /// The largest number of problems that are listed. Further ones are only counted.
    public var problems = 100
    /// The largest depth of nested includes.
    public var includeDepth = 8
    /// The largest number of included files.
    public var includedFiles = 64

    /// Creates limits with the values above.
    public init() {}
  }

  /// The form in which the file is written.
  public var form: Form
  /// The steps, in the file's order. Filters that are off, and empty ones (`None`), are left out.
  public var steps: [EqualizerStep]

  /// Creates a curve with these steps.
  public init(form: Form, steps: [EqualizerStep]) {
    self.form = form
    self.steps = steps
  }

  /// Reads an equaliser file of any supported form.
  ///
  /// - Parameters:
  ///   - bytes: All of the file: UTF-8, UTF-16 with a byte-order mark, or Latin-1.
  ///   - name: The file's name, by which an `Include:` of the file itself is recognised. `includer`
  ///     also receives it as the including file.
  ///   - limits: Limits on the file and the files that it includes.
  ///   - includer: Returns the file that an `Include:` names. Without an includer such lines are
  ///     problems.
  /// - Throws: An error that lists every unreadable line with its number, its text and a remedy.
  public init(
    parsing bytes: Span<UInt8>, named name: String = "", limits: Limits = Limits(),
    including includer: EqualizerIncluder? = nil
  ) throws(EqualizerError) {
    var reading = EqualizerReading(limits: limits, includer: includer)
    form = reading.read(bytes, named: name)
    if let error = reading.error { throw error }
    steps = reading.steps
  }

  /// The sum of the gains of `Preamp:` lines that apply to all channels, in dB; nil if the file has none.
  ///
  /// A `Preamp:` after a `Channel:` that selects single channels is only in ``steps``.
  public var preampDecibels: Double? {
    var sum: Double?
    for step in steps where step.selection == .all {
      if case .preamp(let gainDecibels) = step.operation { sum = (sum ?? 0) + gainDecibels }
    }
    return sum
  }

  /// The filters of all channels, in the file's order.
  public var filters: [EqualizerFilter] {
    steps.compactMap { if case .filter(let filter) = $0.operation { filter } else { nil } }
  }

  /// The names of impulse responses, in the file's order.
  public var convolutionNames: [String] {
    steps.compactMap { if case .convolution(let name) = $0.operation { name } else { nil } }
  }
}
