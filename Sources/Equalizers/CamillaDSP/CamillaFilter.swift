// SPDX-License-Identifier: MIT

internal import AudioModel

/// One filter of a CamillaDSP configuration.
struct CamillaFilter {
  private var type: YAMLLine?
  private var parameters: [YAMLLine] = []

  /// Sorts a filter's lines: the name, fields below it, and parameters below the field of that name.
  ///
  /// - Parameter place: The line to report in an error.
  init(_ lines: [YAMLLine], _ place: inout YAMLLine) throws(EqualizerProblem.Reason) {
    guard lines[0].value == nil else { throw .unsupportedYAML("a mapping on one line") }
    var isInParameters = false
    for line in lines.dropFirst() {
      place = line
      let level = lines[1].indentation
      if line.indentation == level {
        isInParameters = line.key == "parameters"
        try addField(line)
      } else {
        guard isInParameters, line.indentation > level,
          line.indentation == parameters.first?.indentation ?? line.indentation
        else { throw .unsupportedYAML("this indentation") }
        try addParameter(line)
      }
    }
    place = lines[0]
  }

  private mutating func addField(_ line: YAMLLine) throws(EqualizerProblem.Reason) {
    switch line.key {
    case "type":
      guard type == nil else { throw .repeated("type") }
      type = line
    case "parameters":
      guard parameters.isEmpty else { throw .repeated("parameters") }
      guard let value = line.value else { return }
      guard value.utf8.first == UInt8(ascii: "{") else {
        throw .unexpected(ParameterScanner.excerpt(ArraySlice(value.utf8)))
      }
      for (key, value) in try YAMLLine.flowPairs(value) {
        try addParameter(YAMLLine(number: line.number, key: key, value: value, text: line.text))
      }
    case "description": break
    default: throw .unexpected(ParameterScanner.excerpt(ArraySlice(line.key.utf8)))
    }
  }

  private mutating func addParameter(_ line: YAMLLine) throws(EqualizerProblem.Reason) {
    guard !parameters.contains(where: { $0.key == line.key }) else { throw .repeated(line.key) }
    guard parameters.count < 16 else { throw .tooManyItems("parameters", limit: 16) }
    parameters.append(line)
  }

  /// Returns the filter as an operation of an equaliser step.
  func operation(
    _ place: inout YAMLLine
  ) throws(EqualizerProblem.Reason) -> EqualizerStep.Operation {
    guard let type, let name = type.value else { throw .missing("type") }
    place = type
    switch name {
    case "Biquad":
      guard let shape = parameters.first(where: { $0.key == "type" }), let name = shape.value else {
        throw .missing("the type below parameters")
      }
      place = shape
      return try biquad(name, &place)
    case "Gain": return try gain(&place)
    default: throw .unsupportedFilter(ParameterScanner.excerpt(ArraySlice(name.utf8)))
    }
  }

  private func gain(
    _ place: inout YAMLLine
  ) throws(EqualizerProblem.Reason) -> EqualizerStep.Operation {
    var gain: Double?
    for line in parameters {
      place = line
      switch line.key {
      case "gain": gain = try number(line, in: CommandReader.gainRange)
      case "scale":
        guard line.value == nil || line.value == "dB" else { throw .unexpected(excerpt(line)) }
      case "inverted", "mute":
        guard line.value == nil || line.value == "false" else { throw .unexpected(excerpt(line)) }
      default: throw .notAParameter(line.key, ofType: "Gain")
      }
    }
    guard let gain else { throw .missing("gain") }
    return .preamp(gainDecibels: gain)
  }

  private func biquad(
    _ type: String, _ place: inout YAMLLine
  ) throws(EqualizerProblem.Reason) -> EqualizerStep.Operation {
    guard let (kind, names) = Self.shapes[type] else {
      throw .unsupportedFilter("Biquad \(ParameterScanner.excerpt(ArraySlice(type.utf8)))")
    }
    let shape = place
    var values: [String: Double] = [:]
    for line in parameters where line.key != "type" {
      place = line
      guard names.contains(line.key) else { throw .notAParameter(line.key, ofType: type) }
      if line.value != nil { values[line.key] = try number(line, in: Self.range(of: line.key)) }
    }
    place = shape
    let widths = ["q", "bandwidth", "slope"].filter(names.contains)
    for name in names where !widths.contains(name) && values[name] == nil { throw .missing(name) }
    guard let kind else {
      do throws(EqualizerFilterError) {
        return .transferFunction(
          try TransferFunction(
            numerator: ["b0", "b1", "b2"].map { values[$0] ?? 0 },
            denominator: [1, values["a1"] ?? 0, values["a2"] ?? 0]))
      } catch {
        throw .filter(error)
      }
    }
    let given = widths.filter { values[$0] != nil }
    guard given.count == min(1, widths.count) else {
      throw given.isEmpty
        ? .missing(widths.joined(separator: " or ")) : .repeated("the width")
    }
    var filter = EqualizerFilter(
      kind, frequencyHertz: values["freq"] ?? 0, gainDecibels: values["gain"] ?? 0)
    filter.width =
      values["q"].map(EqualizerFilter.Width.quality)
      ?? values["bandwidth"].map(EqualizerFilter.Width.bandwidthOctaves)
      ?? values["slope"].map(EqualizerFilter.Width.slopeDecibelsPerOctave)
    do throws(EqualizerFilterError) {
      try filter.checkSlope()
    } catch {
      throw .filter(error)
    }
    return .filter(filter)
  }

  /// The types of Biquad and their parameters; one of q, bandwidth and slope is needed. `Free` has no
  /// filter kind.
  private static let shapes: [String: (kind: EqualizerFilter.Kind?, names: [String])] = [
    "Free": (nil, ["b0", "b1", "b2", "a1", "a2"]),
    "Lowpass": (.lowPass, ["freq", "q"]),
    "Highpass": (.highPass, ["freq", "q"]),
    "Lowshelf": (.lowShelf, ["freq", "gain", "q", "slope"]),
    "Highshelf": (.highShelf, ["freq", "gain", "q", "slope"]),
    "Peaking": (.peaking, ["freq", "gain", "q", "bandwidth"]),
    "Notch": (.notch, ["freq", "q", "bandwidth"]),
    "Bandpass": (.bandPass, ["freq", "q", "bandwidth"]),
    "Allpass": (.allPass, ["freq", "q", "bandwidth"]),
    "LowpassFO": (.lowPassFirstOrder, ["freq"]),
    "HighpassFO": (.highPassFirstOrder, ["freq"]),
    "LowshelfFO": (.lowShelfFirstOrder, ["freq", "gain"]),
    "HighshelfFO": (.highShelfFirstOrder, ["freq", "gain"]),
    "AllpassFO": (.allPassFirstOrder, ["freq"]),
  ]

  private static func range(of name: String) -> ClosedRange<Double> {
    switch name {
    case "freq": FilterLine.frequencyRange
    case "gain": CommandReader.gainRange
    case "q": FilterLine.qualityRange
    case "bandwidth": FilterLine.bandwidthRange
    case "slope": FilterLine.slopeRange
    default: -1e9...1e9
    }
  }

  private func number(
    _ line: YAMLLine, in range: ClosedRange<Double>
  ) throws(EqualizerProblem.Reason) -> Double {
    guard let value = line.value else { throw .missing("the value of \(line.key)") }
    guard !value.utf8.contains(UInt8(ascii: ",")),
      let number = DecimalNumber.plain(Array(value.utf8))
    else { throw .malformedNumber(excerpt(line)) }
    try CommandReader.check(number, in: range, line.key)
    return number
  }

  private func excerpt(_ line: YAMLLine) -> String {
    ParameterScanner.excerpt(ArraySlice((line.value ?? "").utf8))
  }
}
