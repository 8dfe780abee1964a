// SPDX-License-Identifier: MIT

import AudioModel
import ByteSources
import Glibc
import JACKRemoteIO
import PlayerEngine
import RenderCore

/// The panel of `drawbar play` below its messages, as a function of the facts and the terminal's size.
struct PlayScreen: TerminalScreen {
  var snapshot: PlayerSnapshot
  /// Linear peaks, one for each output; empty if they are not measured.
  var peaks: [Float]
  var volume: Float
  var isMuted: Bool
  var xruns: UInt64
  /// Samples above full scale.
  var clippedSamples: UInt64 = 0
  /// The equaliser and the other effects, one line each.
  var effects: [String] = []
  /// The latency of the server and the effects.
  var latencyNanoseconds: UInt64
  var isUnicode: Bool
  /// Whether there is no server, or it does not call the client: nothing is played.
  var isServerAway = false
  /// The state of JACK's transport, with `--transport`.
  var transport: RemoteIO.Transport.State?
  /// Whether the player follows the transport.
  var isFollowing = false

  /// Below this many rows only the status line is shown.
  static let leastRows = 8
  /// The meter's lowest mark, in decibels below full scale.
  private static let meterDecibels: Float = 60

  /// Returns the lines for a terminal of this size, the status line last. None is wider than the terminal.
  func lines(columns: Int, rows: Int) -> [String] {
    let status = TerminalText.fitted(status, columns: columns)
    guard rows >= Self.leastRows, columns >= 30 else { return [status] }
    return [
      TerminalText.fitted(title, columns: columns),
      TerminalText.fitted(format(columns: columns), columns: columns),
    ] + effects.map { TerminalText.fitted($0, columns: columns) } + [
      progress(columns: columns), meters(columns: columns), status,
    ]
  }

  /// The line that every terminal shows.
  var status: String {
    let position = snapshot.seekTargetNanoseconds ?? snapshot.positionNanoseconds
    // A stated or estimated duration may be too short.
    let duration =
      snapshot.track?.durationNanoseconds.map { TimeText.clock(nanoseconds: max($0, position)) }
      ?? "?"
    let buffered = TimeText.seconds(
      nanoseconds: snapshot.buffering.bufferedNanoseconds, decimals: 1)
    let word = isServerAway ? "Waiting for the JACK server" : word
    let gain = isMuted ? "muted" : "volume \(Int((volume * 100).rounded()))%"
    return "\(word)  \(TimeText.clock(nanoseconds: position)) / \(duration)  buffer \(buffered) s"
      + "\(waitWord)  \(gain)\(repeatWord)\(transportWord)\(clippedWord)  underruns \(snapshot.counters.underruns)  xruns \(xruns)"
  }

  /// The reason for a wait; empty if the player does not wait.
  private var waitWord: String {
    guard snapshot.state == .buffering || snapshot.state == .opening else { return "" }
    if let source = snapshot.buffering.source, source.reconnectionAttempt > 0 {
      return " (connecting again, attempt \(source.reconnectionAttempt))"
    }
    return snapshot.buffering.waitsFor.map { " (\($0.rawValue))" } ?? ""
  }

  private var repeatWord: String {
    switch snapshot.repeatMode {
    case .off: ""
    case .one: "  repeat one"
    case .all: "  repeat all"
    }
  }

  private var clippedWord: String {
    clippedSamples > 0 ? "  clipped \(clippedSamples)" : ""
  }

  private var transportWord: String {
    transport.map { "  transport \($0.rawValue)" } ?? ""
  }

  private var word: String {
    switch snapshot.state {
    case .idle: "Stopped  "
    case .opening: "Opening  "
    case .buffering: "Buffering"
    case .playing where isFollowing && transport == .stopped: "Paused   "
    case .playing where snapshot.scanSpeed > 0: "Forward \(snapshot.scanSpeed)×"
    case .playing where snapshot.scanSpeed < 0: "Rewind \(-snapshot.scanSpeed)×"
    case .playing: snapshot.seekTargetNanoseconds == nil ? "Playing  " : "Seeking  "
    case .paused: "Paused   "
    case .ended: "Ended    "
    case .failed: "Failed   "
    }
  }

  private var title: String {
    guard let track = snapshot.track else { return "" }
    let dash = isUnicode ? " — " : " - "
    var words = [track.artist, track.title]
    // A station's tags, if it has any, are those of the first track that it played.
    if track.station != nil { words = [track.station?.name, snapshot.streamTitle?.title] }
    let known = words.compactMap { $0 }.filter { !$0.isEmpty }
    let name = known.isEmpty ? track.location.lastPathPart : known.joined(separator: dash)
    let number =
      snapshot.trackCount > 1 ? "[\((snapshot.trackIndex ?? 0) + 1)/\(snapshot.trackCount)] " : ""
    return number + name.asMessage
  }

  /// Returns the format, and the output latency if there is room.
  private func format(columns: Int) -> String {
    guard let track = snapshot.track else { return "" }
    let format = track.dataFormat
    let channels = format.channelsPerFrame
    var words = [
      format.formatID.name, "\(Int(format.sampleRate)) Hz",
      "\(channels) channel\(channels == 1 ? "" : "s")",
    ]
    if let bitRate = track.bitRate { words.append("\((bitRate + 500) / 1000) kbit/s") }
    if let rate = snapshot.buffering.arrivalBytesPerSecond {
      words.append("\(Int((rate * 8 / 1000).rounded())) arriving")
    }
    let text = words.joined(separator: ", ")
    let latency =
      "; output latency \(TimeText.seconds(nanoseconds: latencyNanoseconds, decimals: 3)) s"
    return text.count + latency.count <= columns ? text + latency : text
  }

  /// Returns a bar of the played part, of the ranges that need no server, and of the rest.
  private func progress(columns: Int) -> String {
    let width = columns - 2
    guard let duration = snapshot.track?.durationNanoseconds, duration > 0 else {
      return "[" + String(repeating: isUnicode ? "─" : "-", count: width) + "]"
    }
    func cells(_ nanoseconds: UInt64) -> Int {
      min(width, Int(Double(nanoseconds) / Double(duration) * Double(width)))
    }
    let position = snapshot.seekTargetNanoseconds ?? snapshot.positionNanoseconds
    let marks: [Character] = isUnicode ? ["█", "▒", "─"] : ["#", "=", "-"]
    var bar = [Character](repeating: marks[2], count: width)
    for range in snapshot.bufferedRanges {
      for cell in cells(range.lowerBound)..<cells(range.upperBound) { bar[cell] = marks[1] }
    }
    for cell in 0..<cells(position) { bar[cell] = marks[0] }
    return "[" + String(bar) + "]"
  }

  /// Returns a peak meter for each output, from 60 dB below full scale up to it.
  private func meters(columns: Int) -> String {
    guard !peaks.isEmpty else { return "" }
    let room = columns / peaks.count
    let names = peaks.count == 2 ? ["L", "R"] : (1...peaks.count).map(String.init)
    // The name, a blank, the brackets, a blank, "-60.0 dB" and two blanks.
    let width = room - (names.map(\.count).max() ?? 1) - 14
    guard width >= 4 else {
      return TerminalText.fitted(
        zip(names, peaks).map { "\($0) \(Self.decibels($1))" }.joined(separator: "  "),
        columns: columns)
    }
    let line = zip(names, peaks).map { name, peak in
      let level = min(1, max(0, 1 + Self.level(peak) / Self.meterDecibels))
      let filled = Int((level * Float(width)).rounded())
      let bar = String(repeating: isUnicode ? "█" : "#", count: filled)
      return "\(name) [\(TerminalText.fitted(bar, columns: width, fills: true))] "
        + "\(Self.decibels(peak))  "
    }
    return TerminalText.fitted(line.joined(), columns: columns)
  }

  /// Returns decibels; full scale is 0.
  private static func level(_ peak: Float) -> Float {
    peak > 0 ? 20 * log10(peak) : -.infinity
  }

  private static func decibels(_ peak: Float) -> String {
    let level = level(peak)
    guard level > -99.95 else { return " -inf dB" }
    let tenths = Int((abs(level) * 10).rounded())
    let text = "\(level < 0 && tenths > 0 ? "-" : "+")\(tenths / 10).\(tenths % 10)"
    return String(repeating: " ", count: max(0, 5 - text.count)) + text + " dB"
  }
}
