// SPDX-License-Identifier: MIT

internal import AudioModel

/// One line of an equaliser file that cannot be used.
public struct EqualizerProblem: Hashable, Sendable {
  /// The reason why the line cannot be used.
  public enum Reason: Error, Hashable, Sendable {
    /// The files have more bytes than this, together.
    case tooManyBytes(limit: Int)
    /// The files have more lines than this, together.
    case tooManyLines(limit: Int)
    /// The file has more steps than this.
    case tooManySteps(limit: Int)
    /// The line has more items of this kind (points, assignments, …) than this.
    case tooManyItems(String, limit: Int)
    /// The file is binary, or UTF-16 without a byte-order mark.
    case notText
    /// The file is a JSON document: a preset of EasyEffects or Peace.
    case json
    /// The file has no command.
    case noCommands
    /// The line is neither a command nor a comment.
    case noCommand
    /// The command is not known.
    case unknownCommand(String)
    /// The command of Equalizer APO is known and not supported.
    case unsupportedCommand(String)
    /// The line has an expression in backticks, or another computed value.
    case expression
    /// The filter's type is not known.
    case unknownFilterType(String)
    /// The line lacks this.
    case missing(String)
    /// The line has this text, which belongs to no parameter.
    case unexpected(String)
    /// The line has this parameter twice, or two that exclude each other.
    case repeated(String)
    /// The text is not a number.
    case malformedNumber(String)
    /// The value is outside its range.
    case outOfRange(String, lowest: Double, highest: Double)
    /// A filter of this type has no such parameter.
    case notAParameter(String, ofType: String)
    /// The text is not an assignment of `Copy:`.
    case malformedAssignment(String)
    /// No line before this one creates the channel.
    case unknownChannel(String)
    /// The file is exported for this equaliser of Room EQ Wizard.
    case otherEqualizer(String)
    /// An `Include:` without an includer.
    case includeNotAllowed
    /// The included file cannot be read, for this reason.
    case includeFailed(name: String, reason: String)
    /// The file includes itself, directly or through others.
    case includeCycle(name: String)
    /// Files include files deeper than this.
    case includeTooDeep(limit: Int)
    /// The files include more files than this.
    case tooManyIncludes(limit: Int)
    /// A file in another form is included.
    case includeForm(EqualizerCurve.Form)
    /// The impulse response cannot be used, for this reason.
    case responseFailed(name: String, reason: String)
    /// The section of a CamillaDSP configuration is not read.
    case unsupportedSection(String)
    /// The filter of a CamillaDSP configuration is not supported.
    case unsupportedFilter(String)
    /// The line uses a part of YAML that is not supported.
    case unsupportedYAML(String)
    /// No filter bank, delay or mixer can play the step.
    case notASection(String)
    /// The filter cannot be realised.
    case filter(EqualizerFilterError)
  }

  /// The reason.
  public var reason: Reason
  /// The name of the included file that has the line; nil for the file itself.
  public var file: String?
  /// The line's number in its file, from 1; 0 for a step that comes from no file.
  public var line: Int
  /// The line's text, on one line of at most 120 Unicode scalars.
  public var text: String

  /// Creates a problem with these fields.
  public init(_ reason: Reason, file: String? = nil, line: Int, text: String = "") {
    self.reason = reason
    self.file = file
    self.line = line
    self.text = text
  }
}

/// The reason why a filter cannot be realised at a sample rate.
public enum EqualizerFilterError: Error, Hashable, Sendable {
  /// The sample rate in Hz is not a positive number.
  case sampleRateOutOfRange(Double)
  /// The frequency in Hz is not below half the sample rate. For a shelf at its corner it is the centre
  /// computed from the corner.
  case frequencyNotBelowHalfSampleRate(frequencyHertz: Double, sampleRate: Double)
  /// The shelf's slope in dB per octave is too steep for its gain.
  case slopeTooSteep(slopeDecibelsPerOctave: Double)
  /// A filter of this type needs a Q, a bandwidth or a slope.
  case missingWidth
  /// A value is not finite, not positive, or so extreme that the coefficients are not finite.
  case notRepresentable
  /// The filter has a pole on or outside the unit circle, so its output can grow without bound.
  case unstable
}
