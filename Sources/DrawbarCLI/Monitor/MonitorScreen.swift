// SPDX-License-Identifier: MIT

import AudioModel
import PlayerEngine
import RenderCore

/// The panel of `drawbar monitor` below its messages: a meter for each port, the loudness, and the status.
struct MonitorScreen: TerminalScreen {
  var reading: MonitorReading
  /// The equaliser and the other effects, a line each.
  var effects: [String]
  var isUnicode: Bool

  /// The meter's lowest mark, in decibels below full scale.
  private static let meterDecibels = 60.0

  func lines(columns: Int, rows: Int) -> [String] {
    let status = TerminalText.fitted(status, columns: columns)
    let meters =
      meters("in", reading.levels.inputs, columns: columns)
      + meters("out", reading.levels.outputs, columns: columns)
    let effects = effects.map { TerminalText.fitted($0, columns: columns) }
    let room = rows - 3 - effects.count
    guard room > 0, columns >= 40 else { return [status] }
    return meters.prefix(room) + effects
      + [TerminalText.fitted(loudness, columns: columns), status]
  }

  var status: String {
    let settings = reading.settings
    let gain = settings.isMuted ? "muted" : "gain \(Self.trimmed(Decibels.text(settings.gain))) dB"
    var words = [gain]
    if settings.limit != nil {
      words.append("limiter \(Self.trimmed(Decibels.text(reading.levels.limiterGain))) dB")
    }
    if let player = reading.player {
      let time = TimeText.clock(nanoseconds: player.positionNanoseconds)
      words.append("with \(time)" + (player.state == .playing ? "" : " (\(player.state.rawValue))"))
    }
    if let recording = reading.recording {
      let seconds = recording.frames / UInt64(max(1, recording.sampleRate))
      words.append("recorded \(TimeText.clock(nanoseconds: seconds * 1_000_000_000))")
      words.append("overruns \(recording.overruns)")
    }
    words.append("xruns \(reading.xruns)")
    return words.joined(separator: "  ")
  }

  private var loudness: String {
    guard let loudness = reading.loudness else { return "Loudness is not measured (libebur128)" }
    func text(_ value: Double?) -> String {
      value.map { Self.trimmed(Decibels.text(decibels: $0)) } ?? "-"
    }
    return "Loudness  momentary \(text(loudness.momentary))  short-term \(text(loudness.shortTerm))"
      + "  integrated \(text(loudness.integrated)) LUFS"
  }

  /// Returns for each port a bar up to the RMS, with a mark at the peak, and both as numbers.
  private func meters(_ name: String, _ levels: [MonitorLevel], columns: Int) -> [String] {
    levels.enumerated().map { index, level in
      let title = TerminalText.fitted("\(name)_\(index + 1)", columns: 7, fills: true)
      let numbers =
        "peak \(Decibels.text(level.peak)) dB  RMS \(Decibels.text(level.rootMeanSquare)) dB"
      let width = columns - title.count - numbers.count - 3
      guard width >= 4 else { return TerminalText.fitted(title + numbers, columns: columns) }
      var bar = [Character](repeating: " ", count: width)
      for cell in 0..<Self.cells(level.rootMeanSquare, of: width) {
        bar[cell] = isUnicode ? "█" : "#"
      }
      let peak = Self.cells(level.peak, of: width)
      if peak > 0 { bar[peak - 1] = "|" }
      return "\(title)[\(String(bar))] \(numbers)"
    }
  }

  private static func cells(_ factor: Float, of width: Int) -> Int {
    guard let decibels = Decibels.value(factor), decibels > -meterDecibels else { return 0 }
    return Int((min(1, 1 + decibels / meterDecibels) * Double(width)).rounded())
  }

  private static func trimmed(_ text: String) -> String { String(text.drop { $0 == " " }) }
}
