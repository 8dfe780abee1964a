// SPDX-License-Identifier: MIT

internal import AudioModel

/// The state of one reading: the steps, the problems, and the counts for the limits.
struct EqualizerReading {
  let limits: EqualizerCurve.Limits
  let includer: EqualizerIncluder?
  private(set) var steps: [EqualizerStep] = []
  private(set) var problems: [EqualizerProblem] = []
  private(set) var unlistedProblemCount = 0
  /// Whether a limit was reached, so that reading ends.
  private(set) var isOver = false
  private(set) var byteCount = 0
  private(set) var lineCount = 0
  var includedFileCount = 0

  init(limits: EqualizerCurve.Limits, includer: EqualizerIncluder?) {
    self.limits = limits
    self.includer = includer
  }

  /// The problems; nil if there are none.
  var error: EqualizerError? {
    problems.isEmpty ? nil : EqualizerError(problems, unlistedProblemCount: unlistedProblemCount)
  }

  /// Reads the file itself, and returns its form.
  mutating func read(_ bytes: Span<UInt8>, named name: String) -> EqualizerCurve.Form {
    guard let text = decode(bytes, file: nil) else { return .parametric }
    let form = EqualizerCurve.form(ofText: text)
    if form == .camillaDSP {
      var reader = CamillaReader()
      reader.read(text, into: &self)
      return .camillaDSP
    }
    var reader = CommandReader()
    reader.read(text, as: form, CommandReader.File(name: nil, identities: [name]), into: &self)
    if steps.isEmpty, problems.isEmpty, !reader.hasCommands {
      report(.noCommands, file: nil, line: 1, text: [])
    }
    return form == .roomEQWizard ? form : reader.form(ofSteps: steps)
  }

  /// Returns a file's text; for a file that is not text or too large, reports a problem and returns
  /// nil.
  mutating func decode(_ bytes: Span<UInt8>, file: String?) -> [UInt8]? {
    byteCount += bytes.count
    guard byteCount <= limits.bytes else {
      end(.tooManyBytes(limit: limits.bytes), file: file, line: 1, text: [])
      return nil
    }
    guard let text = EqualizerText.decode(bytes) else {
      report(.notText, file: file, line: 1, text: [])
      return nil
    }
    if text[...].drop(while: { $0.isXMLSpace }).first == UInt8(ascii: "{") {
      report(.json, file: file, line: 1, text: [])
      return nil
    }
    return text
  }

  /// Counts a line; returns false once a limit is exceeded.
  mutating func countLine(file: String?, line: Int) -> Bool {
    lineCount += 1
    if lineCount > limits.lines, !isOver {
      end(.tooManyLines(limit: limits.lines), file: file, line: line, text: [])
    }
    return !isOver
  }

  mutating func append(_ step: EqualizerStep, text: ArraySlice<UInt8>) {
    guard steps.count < limits.steps else {
      return end(.tooManySteps(limit: limits.steps), file: step.file, line: step.line, text: text)
    }
    steps.append(step)
  }

  mutating func report(
    _ reason: EqualizerProblem.Reason, file: String?, line: Int, text: ArraySlice<UInt8>
  ) {
    guard problems.count < max(1, limits.problems) else {
      unlistedProblemCount += 1
      return
    }
    // The prefix bounds the work: a line may be as long as the file.
    let excerpt = String(decoding: text.trimmed.prefix(600), as: UTF8.self)
    problems.append(
      EqualizerProblem(reason, file: file, line: line, text: excerpt.onOneLine(atMost: 120)))
  }

  /// Reports a problem that ends the reading.
  private mutating func end(
    _ reason: EqualizerProblem.Reason, file: String?, line: Int, text: ArraySlice<UInt8>
  ) {
    isOver = true
    report(reason, file: file, line: line, text: text)
  }
}
