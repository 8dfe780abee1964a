// SPDX-License-Identifier: MIT

internal import AudioModel

/// Reads the `filters:` of a CamillaDSP configuration: Biquad and Gain, in the order in which they are defined, on all
/// channels. Other sections are problems, because they route channels and choose devices.
struct CamillaReader {
  /// The sections of a configuration, by which it is recognised.
  static let sections: Set<String> = ["devices", "filters", "mixers", "processors", "pipeline"]

  private enum Section {
    case filters
    /// A section that was reported or has no effect.
    case skipped
  }

  private var section = Section.skipped
  /// The lines of the filter that is being read.
  private var filter: [YAMLLine] = []
  /// True if a line of the filter was reported. The filter itself is not reported again then.
  private var isBroken = false
  /// The indentation of the filters' names.
  private var nameIndentation: Int?

  mutating func read(_ text: [UInt8], into reading: inout EqualizerReading) {
    var lines = LineReader(text)
    while let line = lines.next(), reading.countLine(file: nil, line: lines.number) {
      do throws(EqualizerProblem.Reason) {
        try read(line, number: lines.number, into: &reading)
      } catch {
        isBroken = true
        reading.report(error, file: nil, line: lines.number, text: line)
      }
      if reading.isOver { return }
    }
    endFilter(into: &reading)
    if reading.steps.isEmpty, reading.problems.isEmpty {
      reading.report(.noCommands, file: nil, line: 1, text: [])
    }
  }

  private mutating func read(
    _ line: ArraySlice<UInt8>, number: Int, into reading: inout EqualizerReading
  ) throws(EqualizerProblem.Reason) {
    // A skipped section may contain anything.
    if section == .skipped, line.first.map(\.isXMLSpace) ?? true { return }
    guard let (indentation, content) = try YAMLLine.content(of: line) else { return }
    let isItem = content.first == UInt8(ascii: "-")
    if indentation == 0, content.text == "---" || content.text == "..." { return }
    if indentation == 0, !(isItem && section == .skipped) {
      endFilter(into: &reading)
      nameIndentation = nil
      section = .skipped
      let (key, value) = try YAMLLine.pair(content)
      switch key {
      case "filters":
        guard value == nil else { throw .unsupportedYAML("a mapping on one line") }
        section = .filters
      case "title", "description": break
      default: throw .unsupportedSection(ParameterScanner.excerpt(ArraySlice(key.utf8)))
      }
      return
    }
    guard section == .filters else { return }
    if indentation <= nameIndentation ?? indentation {
      endFilter(into: &reading)
      guard indentation == nameIndentation ?? indentation else {
        throw .unsupportedYAML("this indentation")
      }
      nameIndentation = indentation
    }
    filter.append(
      try YAMLLine(number: number, indentation: indentation, content: content, text: line))
  }

  /// Adds the filter whose lines have been collected.
  private mutating func endFilter(into reading: inout EqualizerReading) {
    defer {
      filter = []
      isBroken = false
    }
    guard !isBroken, let name = filter.first else { return }
    var place = name
    do throws(EqualizerProblem.Reason) {
      let fields = try CamillaFilter(filter, &place)
      let operation = try fields.operation(&place)
      reading.append(EqualizerStep(operation, line: name.number), text: name.text)
    } catch {
      reading.report(error, file: nil, line: place.number, text: place.text)
    }
  }
}
