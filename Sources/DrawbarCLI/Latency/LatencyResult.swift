// SPDX-License-Identifier: MIT

/// The result of `drawbar latency`.
struct LatencyResult {
  var arrival: MaximumLengthSequence.Arrival
  /// The level of the noise in decibels.
  var level: Double
  var sampleRate: Double
  /// Frames per cycle.
  var period: Int
  /// The latency that the ports declare: playback latency of the output plus capture latency of the input.
  var declaredFrames: Int
  /// Frames from an input to an output of Drawbar's own monitor.
  var engineFrames: Int?

  private var gain: Float { Float(arrival.gain.magnitude) / Decibels.factor(level) }
  private var isInverted: Bool { arrival.gain < 0 }

  private func milliseconds(_ frames: Int) -> Double { Double(frames) * 1000 / sampleRate }

  /// The text for people.
  var text: String {
    var lines = [
      row("Round trip", arrival.frames) + periods, row("Declared by JACK", declaredFrames),
    ]
    if let engineFrames { lines.append(row("Drawbar's part", engineFrames)) }
    lines.append(
      "Came back at\(Decibels.text(gain)) dB" + (isInverted ? ", polarity inverted" : ""))
    return lines.map { $0 + "\n" }.joined()
  }

  private var periods: String {
    guard period > 0, arrival.frames % period == 0 else { return "" }
    let count = arrival.frames / period
    return "  (\(count) period\(count == 1 ? "" : "s") of \(period))"
  }

  private func row(_ title: String, _ frames: Int) -> String {
    let thousandths = Int((milliseconds(frames) * 1000).rounded())
    let fraction = String(thousandths % 1000)
    let time =
      "\(thousandths / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    return TerminalText.fitted(title, columns: 18, fills: true) + right("\(frames)", 6) + " frames"
      + right(time, 10) + " ms"
  }

  private func right(_ text: String, _ columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - text.count)) + text
  }

  /// The JSON for programs.
  var json: JSONValue {
    .object([
      ("roundTripFrames", .integer(Int64(arrival.frames))),
      ("roundTripMilliseconds", .number((milliseconds(arrival.frames) * 1000).rounded() / 1000)),
      ("declaredFrames", .integer(Int64(declaredFrames))),
      ("engineFrames", .optional(engineFrames.map { Int64($0) })),
      ("period", .integer(Int64(period))), ("sampleRate", .integer(Int64(sampleRate))),
      ("gainDecibels", .optional(Decibels.value(gain).map { ($0 * 100).rounded() / 100 })),
      ("isInverted", .bool(isInverted)),
    ])
  }
}
