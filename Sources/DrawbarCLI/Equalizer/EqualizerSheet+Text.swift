// SPDX-License-Identifier: MIT

import AudioModel
import Equalizers
import TimingReport

extension EqualizerSheet {
  /// The maximum width of a table in terminal columns.
  private static let lineWidth = 80
  /// The maximum number of groups in the response table.
  private static let shownGroups = 8

  /// The facts for people: a label and a value on each line, the filters, and the response.
  var text: String {
    facts + (steps.isEmpty ? "" : "\n" + filterTable) + "\n" + responseTable
  }

  /// Returns the names of a group's channels.
  func name(of group: Group) -> String {
    group.channels.map { channelNames[$0] }.joined(separator: " ")
  }

  // MARK: - Facts

  private var facts: String {
    let leftOut = steps.count { isLeftOut($0) }
    var rows: [(String, String)] = [
      ("File", file.name),
      ("Form", Self.words(file.curve.form)),
      ("Rate", "\(Int(sampleRate)) Hz"),
      ("Channels", "\(channelNames.count)"),
      ("Filters", "\(filterCount)" + (leftOut > 0 ? ", \(leftOut) left out" : "")),
      ("Preamp", "\(Self.decibels(preamp.decibels)) dB, \(Self.words(preamp.source))"),
      ("Auto preamp", "\(Self.decibels(automaticPreampDecibels)) dB"),
    ]
    for group in groups {
      let hertz = NumberText.decimal(group.peak.frequencyHertz, digits: 0)
      let without = Self.decibels(group.peak.gainDecibels - preamp.decibels)
      rows.append(
        (
          label("Peak", group),
          "\(Self.decibels(group.peak.gainDecibels)) dB at \(hertz) Hz; without the preamp \(without) dB"
        ))
    }
    for group in groups {
      guard let delay = group.delayMilliseconds, delay > 0 else { continue }
      rows.append((label("Delay", group), "\(NumberText.shortDecimal(delay, digits: 3)) ms"))
    }
    let width = max(8, rows.map(\.0.count).max() ?? 0)
    let answer = refusals.isEmpty ? "yes" : "no: \(refusal)"
    rows.append(("Playable", Self.cut(answer, columns: Self.lineWidth - width - 2)))
    return rows.map { label, value in
      label + String(repeating: " ", count: width - label.count + 2) + value + "\n"
    }.joined()
  }

  /// Returns a label, with the group's channels if there are several groups.
  private func label(_ text: String, _ group: Group) -> String {
    groups.count > 1 ? "\(text) \(title(of: group))" : text
  }

  /// Returns the names of a group's channels in up to 8 columns: `L R`, `LFE +2`.
  private func title(of group: Group) -> String {
    let names = name(of: group)
    if names.count <= 8 { return names }
    return "\(channelNames[group.channels[0]]) +\(group.channels.count - 1)"
  }

  /// The first reason why `play` refuses the file, and the number of the others.
  private var refusal: String {
    guard let first = refusals.first else { return "" }
    var text = first.reason
    let command: String? =
      switch first.problem?.reason {
      case .notASection(let command): command
      case .responseFailed: "Convolution:"
      default: nil
      }
    if let problem = first.problem, let command {
      let place = Self.place(file: problem.file, line: problem.line)
      text = "play refuses line \(place) (\(command))"
    }
    if refusals.count > 1 { text += " and \(refusals.count - 1) more" }
    return text
  }

  private static func words(_ form: EqualizerCurve.Form) -> String {
    switch form {
    case .parametric: "parametric (AutoEq ParametricEQ, PipeWire)"
    case .fixedBand: "fixed band (AutoEq FixedBandEQ)"
    case .graphic: "graphic (AutoEq GraphicEQ, Wavelet)"
    case .equalizerAPO: "Equalizer APO"
    case .roomEQWizard: "Room EQ Wizard"
    case .camillaDSP: "CamillaDSP"
    }
  }

  private static func words(_ source: Equalizer.PreampSource) -> String {
    switch source {
    case .option: "from --preamp"
    case .file: "from the file"
    case .automatic: "automatic"
    }
  }

  // MARK: - Filters

  private var filterTable: String {
    // In a row without a frequency, the fourth column is the last one and may be long.
    let rows = [["Line", "Channels", "Type", "Frequency", "Gain", "Q"]] + steps.map(row)
    let widths = (0..<6).map { column in
      rows.filter { $0.count == 6 || column < 3 }.map { TerminalText.width(of: $0[column]) }.max()
        ?? 0
    }
    return rows.map { row in
      var line = ""
      for (column, text) in row.enumerated() {
        let isLeft = column == 1 || column == 2 || row.count < 6 && column == 3
        let count = max(0, widths[column] - TerminalText.width(of: text))
        let blanks = String(repeating: " ", count: count)
        line += (isLeft ? text + blanks : blanks + text) + "  "
      }
      while line.hasSuffix(" ") { line.removeLast() }
      return Self.cut(line, columns: Self.lineWidth) + "\n"
    }.joined()
  }

  private func row(_ step: EqualizerStep) -> [String] {
    let start = [
      Self.place(file: step.file, line: step.line),
      Self.cut(step.affectedChannels.joined(separator: " "), columns: 8), step.operation.words,
    ]
    switch step.operation {
    case .filter(let filter):
      let hertz = NumberText.shortDecimal(filter.frequencyHertz, digits: 2) + " Hz"
      if isLeftOut(step) { return start + ["\(hertz), left out at \(Int(sampleRate)) Hz"] }
      let gain = filter.kind.hasGain ? Self.signed(filter.gainDecibels) + " dB" : ""
      return start + [hertz, gain, filter.width?.words ?? ""]
    case .transferFunction(let function): return start + ["order \(function.order)"]
    case .preamp(let gain): return start + ["\(Self.signed(gain)) dB"]
    case .graphic(let curve):
      return start + [curve.points.count == 1 ? "1 point" : "\(curve.points.count) points"]
    case .delayMilliseconds(let delay):
      return start + ["\(NumberText.shortDecimal(delay, digits: 3)) ms"]
    case .delayFrames(let frames):
      return start + ["\(NumberText.shortDecimal(frames, digits: 3)) frames"]
    case .copy(let assignments):
      return start + [assignments.map(\.text).joined(separator: " ")]
    case .convolution(let name): return start + ["not in the response: \(name.asMessage)"]
    }
  }

  /// Returns a line's number, after the file's name for an included file, in up to 12 columns.
  private static func place(file: String?, line: Int) -> String {
    guard let name = file?.split(separator: "/").last else { return "\(line)" }
    let number = "\(line)"
    return "\(String(name).asMessage.shortened(to: 11 - number.count)):\(number)"
  }

  // MARK: - Response

  private var responseTable: String {
    let shown = groups.prefix(Self.shownGroups)
    var title = "Response in dB, with the preamp"
    if isMixed { title += "; of a sum of channels the largest gain" }
    if shown.count < groups.count {
      title += "\n(\(shown.count) of \(groups.count) different channels; --json has all)"
    }
    let head = Self.right("Hz", 7) + shown.map { Self.right(self.title(of: $0), 9) }.joined()
    let rows = tableHertz.enumerated().map { index, hertz in
      Self.right(NumberText.shortDecimal(hertz, digits: 1), 7)
        + shown.map { Self.right(Self.decibels($0.tableDecibels[index]), 9) }.joined()
    }
    return ([title, head] + rows).joined(separator: "\n") + "\n"
  }

  private static func right(_ text: String, _ columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - text.count)) + text
  }

  /// Returns a gain with one digit and a sign; `-inf` for silence.
  private static func decibels(_ value: Double) -> String {
    guard value.isFinite else { return "-inf" }
    return String(Decibels.text(decibels: value).trimmingPrefix { $0 == " " })
  }

  /// Returns a gain with a sign and one or two digits.
  private static func signed(_ decibels: Double) -> String {
    let digits = NumberText.shortDecimal(decibels.magnitude, digits: 2)
    return (decibels < 0 ? "-" : "+") + (digits.contains(".") ? digits : digits + ".0")
  }

  private static func cut(_ text: String, columns: Int) -> String {
    guard TerminalText.width(of: text) > columns else { return text }
    return TerminalText.fitted(text, columns: columns - 1) + "…"
  }
}

extension EqualizerFilter.Width {
  /// The width in up to 9 columns.
  fileprivate var words: String {
    switch self {
    case .quality(let quality): NumberText.decimal(quality, digits: 2)
    case .bandwidthOctaves(let octaves): NumberText.decimal(octaves, digits: 2) + " oct"
    case .slopeDecibelsPerOctave(let slope):
      NumberText.shortDecimal(slope, digits: 1) + " dB/oct"
    }
  }
}

extension EqualizerStep.Operation {
  /// The type in up to 20 columns.
  fileprivate var words: String {
    if case .filter(let filter) = self { filter.kind.words } else { identifier }
  }
}

extension EqualizerFilter.Kind {
  fileprivate var words: String {
    switch self {
    case .peaking: "peaking"
    case .lowPass: "low-pass"
    case .highPass: "high-pass"
    case .bandPass: "band-pass"
    case .notch: "notch"
    case .allPass: "all-pass"
    case .lowShelf: "low shelf"
    case .highShelf: "high shelf"
    case .lowShelfAtCorner: "low shelf (corner)"
    case .highShelfAtCorner: "high shelf (corner)"
    case .lowPassFirstOrder: "low-pass 1st order"
    case .highPassFirstOrder: "high-pass 1st order"
    case .lowShelfFirstOrder: "low shelf 1st order"
    case .highShelfFirstOrder: "high shelf 1st order"
    case .allPassFirstOrder: "all-pass 1st order"
    }
  }
}
