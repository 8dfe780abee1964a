// SPDX-License-Identifier: MIT

internal import AudioModel

// Commands with one value, or a list of numbers.
extension CommandReader {
  /// The range of gains in dB in a line.
  static let gainRange = -120.0...120.0

  /// Reads `-6.1 dB`; the unit may be missing.
  static func preamp(
    _ parameters: ArraySlice<UInt8>
  ) throws(EqualizerProblem.Reason) -> EqualizerStep.Operation {
    var scanner = ParameterScanner(parameters)
    let gain = try scanner.number("Preamp")
    try check(gain, in: gainRange, "the gain")
    _ = scanner.take(unit: "db")
    try scanner.expectEnd()
    return .preamp(gainDecibels: gain)
  }

  /// Reads `50.5 ms` or `480 samples`.
  static func delay(
    _ parameters: ArraySlice<UInt8>
  ) throws(EqualizerProblem.Reason) -> EqualizerStep.Operation {
    var scanner = ParameterScanner(parameters)
    let value = try scanner.number("Delay")
    let operation: EqualizerStep.Operation
    if scanner.take(unit: "ms") {
      try check(value, in: 0...10_000, "the delay in ms")
      operation = .delayMilliseconds(value)
    } else if scanner.take(unit: "samples") {
      try check(value, in: 0...1_920_000, "the delay in samples")
      operation = .delayFrames(value)
    } else {
      throw scanner.isAtEnd()
        ? .missing("the unit ms or samples")
        : .unexpected(ParameterScanner.excerpt(scanner.token()))
    }
    try scanner.expectEnd()
    return operation
  }

  /// Reads `20 -1.2; 21 -1.1; …`: frequencies in Hz and gains in dB.
  static func graphic(
    _ parameters: ArraySlice<UInt8>, limit: Int
  ) throws(EqualizerProblem.Reason) -> EqualizerStep.Operation {
    var points: [GraphicCurve.Point] = []
    for pair in parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
      var scanner = ParameterScanner(pair)
      if scanner.isAtEnd() {
        // Nothing, or only a comment, may follow the last semicolon.
        if pair.endIndex == parameters.endIndex || pair.contains(UInt8(ascii: "#")) { break }
        throw .missing("a point between two semicolons")
      }
      let frequency = try scanner.number("the frequency")
      guard !scanner.isAtEnd() else { throw .missing("the gain of \(frequency) Hz") }
      let gain = try scanner.number("the gain")
      try scanner.expectEnd()
      try check(frequency, in: FilterLine.frequencyRange, "the frequency")
      try check(gain, in: -200...200, "the gain")
      guard points.count < limit else { throw .tooManyItems("points", limit: limit) }
      points.append(GraphicCurve.Point(frequencyHertz: frequency, gainDecibels: gain))
      if pair.contains(UInt8(ascii: "#")) { break }
    }
    guard !points.isEmpty else { throw .missing("a point") }
    let curve = GraphicCurve(points)
    guard curve.points.count == points.count else { throw .repeated("a frequency") }
    return .graphic(curve)
  }

  /// Reads a file name: all of the parameters, which may contain `#` and blanks.
  static func name(
    _ parameters: ArraySlice<UInt8>
  ) throws(EqualizerProblem.Reason) -> String {
    let name = parameters.trimmed
    guard !name.isEmpty else { throw .missing("the file's name") }
    guard name.count <= 4096 else { throw .tooManyItems("bytes in a name", limit: 4096) }
    return name.text
  }

  static func check(
    _ value: Double, in range: ClosedRange<Double>, _ what: String
  ) throws(EqualizerProblem.Reason) {
    guard range.contains(value) else {
      throw .outOfRange(what, lowest: range.lowerBound, highest: range.upperBound)
    }
  }
}
