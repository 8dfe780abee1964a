// SPDX-License-Identifier: MIT

internal import AudioModel

extension EqualizerProblem: CustomStringConvertible {
  /// The problem in one line: its position, the reason, a remedy, and the line's text.
  public var description: String { message(inFile: nil) }

  /// Returns the problem in one line that begins with `FILE:LINE: `.
  ///
  /// - Parameter name: The name of the file that was read. For a problem in an included file, that
  ///   file's name is used instead.
  public func message(inFile name: String?) -> String {
    let place = (file ?? name).map { "\($0):\(line): " } ?? "line \(line): "
    let excerpt = text.isEmpty ? "" : " “\(text)”"
    return ((line > 0 ? place : "") + reason.sentence + excerpt).asMessage
  }
}

extension EqualizerProblem.Reason: CustomStringConvertible {
  /// The reason and a remedy in one line, without a line number.
  public var description: String { sentence.asMessage }

  fileprivate var sentence: String {
    switch self {
    case .tooManyBytes, .tooManyLines, .tooManySteps, .tooManyItems, .notText, .json, .noCommands,
      .noCommand, .unknownCommand, .unsupportedCommand, .otherEqualizer:
      fileSentence
    case .includeNotAllowed, .includeFailed, .includeCycle, .includeTooDeep, .tooManyIncludes,
      .includeForm:
      includeSentence
    case .unsupportedSection(let name):
      "\(name): is not read; only filters: is, so remove the other sections"
    case .unsupportedFilter(let type):
      "a filter of type \(type) is not supported; remove it, or replace it by a Biquad"
    case .unsupportedYAML(let what):
      "\(what) is not read here; write one “key: value” on each line, indented with blanks"
    case .responseFailed(let name, let reason):
      "cannot convolve with \(name): \(reason)"
    case .notASection(let what): "\(what) cannot be played; remove the line"
    case .filter(let error): error.description
    default: lineSentence
    }
  }

  private var fileSentence: String {
    switch self {
    case .tooManyBytes(let limit): "the file has more than \(limit) bytes; shorten it"
    case .tooManyLines(let limit): "the file has more than \(limit) lines; shorten it"
    case .tooManySteps(let limit): "the file has more than \(limit) steps; shorten it"
    case .tooManyItems(let what, let limit):
      "the line has more than \(limit) \(what); use fewer"
    case .notText: "the file is not text; export the equaliser as text in UTF-8"
    case .json: "a JSON preset is not supported; export it in the form of Equalizer APO"
    case .noCommands: "the file has no Preamp:, Filter: or GraphicEQ: line; check the file"
    case .noCommand: "the line is not “Command: parameters”; begin a comment with #"
    case .unknownCommand(let name): "the command \(name): is not known; correct or remove it"
    case .unsupportedCommand(let name): "\(name): is not supported; " + Self.advice(for: name)
    case .otherEqualizer(let name):
      "the filters are for \(name); choose the equaliser Generic in REW and export again"
    default: ""
    }
  }

  private static func advice(for command: String) -> String {
    switch command {
    case "Device", "Stage": "keep the lines of one device in a file of its own"
    case "If", "ElseIf", "Else", "EndIf": "keep the lines of one case in a file of its own"
    case "Eval": "write the values themselves"
    default: "remove the line"
    }
  }

  private var includeSentence: String {
    switch self {
    case .includeNotAllowed: "Include: is not possible here; paste the other file's lines"
    case .includeFailed(let name, let reason): "cannot include \(name): \(reason); correct the name"
    case .includeCycle(let name): "\(name) includes itself; remove the line"
    case .includeTooDeep(let limit): "files are included more than \(limit) deep; include fewer"
    case .tooManyIncludes(let limit): "more than \(limit) files are included; include fewer"
    case .includeForm(let form):
      "a file of the form \(form.rawValue) cannot be included; read it as the file itself"
    default: ""
    }
  }

  private var lineSentence: String {
    switch self {
    case .expression: "an expression is not supported; write the value itself"
    case .unknownFilterType(let type):
      "the filter type \(type) is not known; use one of PK, LP, HP, BP, NO, AP, LS, HS, LSC, HSC, IIR"
    case .missing(let what): "\(what) is missing; add it"
    case .unexpected(let text): "“\(text)” is not expected here; remove it"
    case .repeated(let what): "\(what) is given twice; remove one"
    case .malformedNumber(let text): "“\(text)” is not a number; correct it"
    case .outOfRange(let what, let lowest, let highest):
      "\(what) is not within \(lowest) … \(highest); correct it"
    case .notAParameter(let what, let type): "a filter of type \(type) has no \(what); remove it"
    case .malformedAssignment(let text):
      "“\(text)” is not an assignment; write it without blanks, as in L=0.5*L+0.5*R"
    case .unknownChannel(let name):
      "no line above creates the channel \(name); use L, R, C, LFE, RL, RR, RC, SL, SR, a number or all"
    default: ""
    }
  }
}

extension EqualizerFilterError: CustomStringConvertible {
  /// The reason and a remedy, without a line number.
  public var description: String {
    switch self {
    case .sampleRateOutOfRange(let rate): "\(rate) Hz is not a sample rate; use another one"
    case .frequencyNotBelowHalfSampleRate(let frequency, let rate):
      "\(frequency) Hz is not below half the sample rate \(rate) Hz; use a higher rate, or remove the filter"
    case .slopeTooSteep(let slope):
      "a slope of \(slope) dB per octave is too steep for the gain; use up to 12 dB"
    case .missingWidth: "the filter has no width; add Q"
    case .notRepresentable: "the filter's values are too extreme; correct them"
    case .unstable: "the filter is not stable; correct its coefficients"
    }
  }
}
