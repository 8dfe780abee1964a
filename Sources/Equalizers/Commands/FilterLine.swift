// SPDX-License-Identifier: MIT

internal import AudioModel

/// The parameters of a `Filter:` line: `ON PK Fc 8865 Hz Gain 4.9 dB Q 1.30`.
enum FilterLine {
  /// The range of frequencies in Hz in a line.
  static let frequencyRange = 0.001...1_000_000.0
  static let qualityRange = 0.001...10_000.0
  static let bandwidthRange = 0.0001...20.0
  static let slopeRange = 0.01...1000.0

  /// Returns the line's operation; nil for a filter that is off, and for an empty one (`None`).
  static func read(
    _ parameters: ArraySlice<UInt8>, orderLimit: Int
  ) throws(EqualizerProblem.Reason) -> EqualizerStep.Operation? {
    var scanner = ParameterScanner(parameters)
    guard !scanner.isAtEnd() else { throw .missing("ON or OFF") }
    let state = scanner.word()
    if state.isWord("off") || state.isWord("none") { return nil }
    guard state.isWord("on") else {
      throw .unexpected(ParameterScanner.excerpt(state.isEmpty ? scanner.token() : state))
    }
    guard !scanner.isAtEnd() else { throw .missing("the filter's type") }
    let type = scanner.word()
    if type.isWord("none") { return nil }
    if type.isWord("iir") {
      return .transferFunction(try coefficients(&scanner, orderLimit: orderLimit))
    }
    guard let kind = Self.kind(type) else {
      throw .unknownFilterType(ParameterScanner.excerpt(type.isEmpty ? scanner.token() : type))
    }
    let values = try Values(&scanner, kind: kind, type: type.text.uppercased())
    return .filter(try values.filter())
  }

  private static func kind(_ type: ArraySlice<UInt8>) -> EqualizerFilter.Kind? {
    switch type.text.uppercased() {
    case "PK", "PEQ", "MODAL": .peaking
    case "LP", "LPQ": .lowPass
    case "HP", "HPQ": .highPass
    case "BP": .bandPass
    case "NO": .notch
    case "AP": .allPass
    case "LSC": .lowShelf
    case "HSC": .highShelf
    case "LS": .lowShelfAtCorner
    case "HS": .highShelfAtCorner
    default: nil
    }
  }

  /// Reads `Order n Coefficients b0 … bn a0 … an`.
  private static func coefficients(
    _ scanner: inout ParameterScanner, orderLimit: Int
  ) throws(EqualizerProblem.Reason) -> TransferFunction {
    try expect("order", "Order", &scanner)
    let order = try scanner.number("Order")
    guard order >= 1, order <= Double(orderLimit), order == order.rounded() else {
      throw .outOfRange("the order, a whole number,", lowest: 1, highest: Double(orderLimit))
    }
    try expect("coefficients", "Coefficients", &scanner)
    var values: [Double] = []
    let count = 2 * (Int(order) + 1)
    while !scanner.isAtEnd() {
      guard values.count < count else { throw .tooManyItems("coefficients", limit: count) }
      values.append(try scanner.number("a coefficient"))
    }
    guard values.count == count else {
      throw .missing("one of \(count) coefficients")
    }
    do throws(EqualizerFilterError) {
      return try TransferFunction(
        numerator: Array(values[..<(count / 2)]), denominator: Array(values[(count / 2)...]))
    } catch {
      throw .filter(error)
    }
  }

  private static func expect(
    _ word: String, _ name: String, _ scanner: inout ParameterScanner
  ) throws(EqualizerProblem.Reason) {
    guard !scanner.isAtEnd() else { throw .missing(name) }
    let found = scanner.word()
    guard found.isWord(word) else {
      throw .unexpected(ParameterScanner.excerpt(found.isEmpty ? scanner.token() : found))
    }
  }
}

extension FilterLine {
  /// The values after a filter's type, in any order.
  struct Values {
    private let kind: EqualizerFilter.Kind
    private let type: String
    private var frequency: Double?
    private var gain: Double?
    private var width: EqualizerFilter.Width?

    init(
      _ scanner: inout ParameterScanner, kind: EqualizerFilter.Kind, type: String
    ) throws(EqualizerProblem.Reason) {
      self.kind = kind
      self.type = type
      if scanner.isAtNumber() {
        let slope = try scanner.number("the slope")
        guard scanner.take(unit: "db") else { throw .missing("the unit dB of the slope") }
        try CommandReader.check(slope, in: slopeRange, "the slope")
        try set(.slopeDecibelsPerOctave(slope), "slope")
      }
      while !scanner.isAtEnd() { try readValue(&scanner) }
    }

    private mutating func readValue(
      _ scanner: inout ParameterScanner
    ) throws(EqualizerProblem.Reason) {
      let name = scanner.word()
      if name.isWord("fc") {
        guard frequency == nil else { throw .repeated("Fc") }
        let value = try scanner.number("Fc", isGrouped: true)
        guard scanner.take(unit: "hz") else { throw .missing("the unit Hz of Fc") }
        try CommandReader.check(value, in: frequencyRange, "Fc")
        frequency = value
      } else if name.isWord("gain") {
        guard gain == nil else { throw .repeated("Gain") }
        let value = try scanner.number("Gain")
        guard scanner.take(unit: "db") else { throw .missing("the unit dB of Gain") }
        try CommandReader.check(value, in: CommandReader.gainRange, "Gain")
        gain = value
      } else if name.isWord("q") {
        let value = try scanner.number("Q")
        try CommandReader.check(value, in: qualityRange, "Q")
        try set(.quality(value), "Q")
      } else if name.isWord("bw") {
        guard scanner.word().isWord("oct") else { throw .missing("Oct behind BW") }
        let value = try scanner.number("BW Oct")
        try CommandReader.check(value, in: bandwidthRange, "BW Oct")
        try set(.bandwidthOctaves(value), "BW")
      } else if name.isWord("t"), type == "MODAL" {
        // Room EQ Wizard notes the decay time that it aimed at: “T60 target 300 ms”.
        guard scanner.token().isWord("60"), scanner.word().isWord("target") else {
          throw .unexpected("T")
        }
        _ = try scanner.number("T60 target")
        guard scanner.take(unit: "ms") else { throw .missing("the unit ms of T60 target") }
      } else {
        throw .unexpected(ParameterScanner.excerpt(name.isEmpty ? scanner.token() : name))
      }
    }

    private mutating func set(
      _ value: EqualizerFilter.Width, _ name: String
    ) throws(EqualizerProblem.Reason) {
      guard width == nil else { throw .repeated("the width (Q, BW or slope)") }
      switch value {
      case .bandwidthOctaves where kind.isShelf: throw .notAParameter(name, ofType: type)
      case .slopeDecibelsPerOctave where !kind.isShelf: throw .notAParameter(name, ofType: type)
      default: width = value
      }
    }

    /// Returns the filter, with Equalizer APO's defaults for missing widths.
    func filter() throws(EqualizerProblem.Reason) -> EqualizerFilter {
      guard let frequency else { throw .missing("Fc") }
      if kind.hasGain, gain == nil { throw .missing("Gain") }
      if !kind.hasGain, let gain, gain != 0 { throw .notAParameter("Gain", ofType: type) }
      var filter = EqualizerFilter(
        kind, frequencyHertz: frequency, gainDecibels: kind.hasGain ? gain ?? 0 : 0, width: width)
      if width == nil {
        switch kind {
        case .lowPass, .highPass, .bandPass:
          filter.width = .quality(EqualizerFilter.butterworthQuality)
        case .notch: filter.width = .quality(30)
        case .lowShelf, .lowShelfAtCorner, .highShelf, .highShelfAtCorner:
          // S = 0.9, and the frequency is the centre, whatever the type.
          filter.kind = kind == .lowShelf || kind == .lowShelfAtCorner ? .lowShelf : .highShelf
          filter.width = .slopeDecibelsPerOctave(10.8)
        default: throw .missing("Q or BW Oct")
        }
      }
      do throws(EqualizerFilterError) {
        try filter.checkSlope()
      } catch {
        throw .filter(error)
      }
      return filter
    }
  }
}
