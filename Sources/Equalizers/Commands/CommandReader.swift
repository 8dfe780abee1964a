// SPDX-License-Identifier: MIT

internal import AudioModel

/// Reads lines of the form `Command: parameters`: Equalizer APO, AutoEq and Room EQ Wizard.
///
/// A line begins with a command, or with `#`, or is blank. The case of command and type names is
/// ignored. The selection of `Channel:` also applies in included files; a selection in an included file
/// ends with that file.
struct CommandReader {
  /// A file that is being read.
  struct File {
    /// Its name in problems; nil for the file itself.
    var name: String?
    /// Its identity and, before it, those of the files that include it.
    var identities: [String]
  }

  var selection = EqualizerSelection.all
  /// Channels that `Copy:` has created or assigned so far, in their order.
  var assignedChannels: [EqualizerChannel] = []
  /// True after any command, also one without effect, such as a filter that is off.
  private(set) var hasCommands = false
  /// True after a command that AutoEq does not write.
  private var hasOtherCommands = false

  mutating func read(
    _ text: [UInt8], as form: EqualizerCurve.Form, _ file: File,
    into reading: inout EqualizerReading
  ) {
    var lines = LineReader(text)
    var isInHeader = form == .roomEQWizard
    while let line = lines.next(), reading.countLine(file: file.name, line: lines.number) {
      let content = line.trimmed
      if content.isEmpty || content.first == UInt8(ascii: "#") { continue }
      do throws(EqualizerProblem.Reason) {
        if isInHeader {
          isInHeader = try isHeader(content)
          if isInHeader { continue }
        }
        try command(content, line: lines.number, file, into: &reading)
      } catch {
        reading.report(error, file: file.name, line: lines.number, text: content)
      }
      if reading.isOver { return }
    }
  }

  /// Returns whether a line is part of Room EQ Wizard's header: version, dates and notes. A command
  /// ends the header, so that no command is skipped.
  private func isHeader(_ content: ArraySlice<UInt8>) throws(EqualizerProblem.Reason) -> Bool {
    guard let colon = content.firstIndex(of: UInt8(ascii: ":")) else { return true }
    let key = content[..<colon].trimmed
    if key.isWord("equaliser") || key.isWord("equalizer") {
      let name = content[(colon + 1)...].trimmed
      let isReadable = name.isEmpty || name.isWord("generic") || name.isWord("equalizer apo")
      guard isReadable else { throw .otherEqualizer(ParameterScanner.excerpt(name)) }
      return true
    }
    return Command(key) == nil
  }

  private mutating func command(
    _ content: ArraySlice<UInt8>, line: Int, _ file: File, into reading: inout EqualizerReading
  ) throws(EqualizerProblem.Reason) {
    guard let colon = content.firstIndex(of: UInt8(ascii: ":")) else { throw .noCommand }
    let key = content[..<colon].trimmed
    let parameters = content[(colon + 1)...]
    guard let command = Command(key) else { throw .unknownCommand(ParameterScanner.excerpt(key)) }
    hasCommands = true
    if case .unsupported(let name) = command { throw .unsupportedCommand(name) }
    if parameters.contains(UInt8(ascii: "`")) { throw .expression }
    let operation: EqualizerStep.Operation?
    switch command {
    case .preamp: operation = try Self.preamp(parameters)
    case .filter:
      operation = try FilterLine.read(parameters, orderLimit: reading.limits.coefficientOrder)
    case .graphic:
      operation = try Self.graphic(parameters, limit: reading.limits.graphicPoints)
    case .channel, .copy, .delay, .convolution, .include, .unsupported:
      hasOtherCommands = true
      operation = try other(command, parameters, file, into: &reading)
    }
    guard let operation else { return }
    let step = EqualizerStep(operation, of: selection, file: file.name, line: line)
    reading.append(step, text: content)
  }

  private mutating func other(
    _ command: Command, _ parameters: ArraySlice<UInt8>, _ file: File,
    into reading: inout EqualizerReading
  ) throws(EqualizerProblem.Reason) -> EqualizerStep.Operation? {
    switch command {
    case .channel:
      selection = try channels(parameters, limit: reading.limits.copyTerms)
      return nil
    case .copy: return .copy(try copy(parameters, limit: reading.limits.copyTerms))
    case .delay: return try Self.delay(parameters)
    case .convolution: return .convolution(name: try Self.name(parameters))
    case .include:
      try include(Self.name(parameters), file, into: &reading)
      return nil
    case .preamp, .filter, .graphic, .unsupported: return nil
    }
  }

  /// Returns the form that a file's steps have.
  func form(ofSteps steps: [EqualizerStep]) -> EqualizerCurve.Form {
    if hasOtherCommands { return .equalizerAPO }
    var filters: [EqualizerFilter] = []
    var graphicCount = 0
    for step in steps {
      switch step.operation {
      case .filter(let filter): filters.append(filter)
      case .graphic: graphicCount += 1
      case .preamp: continue
      default: return .equalizerAPO
      }
    }
    if graphicCount > 0 {
      return graphicCount == steps.count ? .graphic : .equalizerAPO
    }
    let isOctave = zip(filters, filters.dropFirst()).allSatisfy {
      (1.9...2.1).contains($1.frequencyHertz / $0.frequencyHertz)
    }
    let isFixed =
      filters.count >= 10 && isOctave
      && filters.allSatisfy { $0.kind == .peaking && $0.width == .quality(1.41) }
    return isFixed ? .fixedBand : .parametric
  }
}

/// A command of an Equalizer APO configuration.
enum Command: Equatable {
  case preamp, filter, graphic, channel, copy, delay, convolution, include
  /// A known command that is refused, by its name in the documentation.
  case unsupported(String)

  /// Commands refused because their effect depends on a device or a computation, or because no stage
  /// can apply them.
  private static let unsupportedNames = [
    "Device", "Stage", "If", "ElseIf", "Else", "EndIf", "Eval", "VSTPlugin", "LoudnessCorrection",
  ]

  /// Creates the command of this name, without its colon; nil if there is none.
  init?(_ key: ArraySlice<UInt8>) {
    if Self.isFilter(key) {
      self = .filter
      return
    }
    let known: [(String, Command)] = [
      ("preamp", .preamp), ("graphiceq", .graphic), ("channel", .channel), ("copy", .copy),
      ("delay", .delay), ("convolution", .convolution), ("include", .include),
    ]
    if let command = known.first(where: { key.isWord($0.0) })?.1 {
      self = command
    } else if let name = Self.unsupportedNames.first(where: { key.isWord($0.lowercased()) }) {
      self = .unsupported(name)
    } else {
      return nil
    }
  }

  /// Returns whether a key is `Filter`, `Filter 1`, `Filter1` or `Filter #1`; the number has no
  /// meaning.
  private static func isFilter(_ key: ArraySlice<UInt8>) -> Bool {
    guard key.hasPrefix(ignoringCase: "filter") else { return false }
    return key.dropFirst(6).allSatisfy {
      $0.isXMLSpace || $0.isDigit || $0 == UInt8(ascii: "#")
    }
  }
}
