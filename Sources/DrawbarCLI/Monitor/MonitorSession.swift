// SPDX-License-Identifier: MIT

import Drawbar
import Glibc
import JACKRemoteIO
import PlayerEngine
import RenderCore
import TimingReport

/// One run of `drawbar monitor`: keys, signals and readings, until the user ends it.
final class MonitorSession {
  /// The user's options for the run.
  struct Choices {
    var writesJSON: Bool
    /// Seconds from one reading to the next.
    var interval: Double
    /// Seconds after which the run ends.
    var seconds: Double?
    /// Whether to wait for the server after its end; otherwise the program ends, too.
    var reattaches: Bool
  }

  private let output: RemoteIO
  private let renderer: Renderer
  let monitor: MonitorControl
  let player: Player?
  /// The player's state, for saving.
  var along: PlayingAlong?
  /// The connection to a session manager, if any.
  let managed: ManagedSession?
  private var recorder: CaptureRecorder?
  private var equalizer: FollowedEqualizer?
  /// The effects besides the equaliser, for people.
  private let effects: String?
  private let signals: TerminationSignals
  private let choices: Choices
  /// The terminal, without a panel if `--json` writes lines to standard output.
  private let terminal: Terminal
  private var meters: MonitorMeters
  /// The player's events.
  private let inbox: PlayerEventInbox?
  private var hasFailed: Bool
  /// The failures of the tracks to play along to.
  private var trackReport: TrackReport
  /// Whether a signal came before or while the recording was finished.
  private var isInterrupted = false
  /// Whether standard output has a reader.
  private var isRead = true
  private let began = MonitorSession.now()
  private var lastReading: Double?

  init(
    output: RemoteIO, renderer: Renderer, monitor: MonitorControl, player: Player?,
    recorder: CaptureRecorder?, signals: TerminationSignals, keys: TerminalKeys, choices: Choices,
    along: PlayingAlong?, managed: ManagedSession?, equalizer: FollowedEqualizer?, effects: String?
  ) {
    self.output = output
    self.renderer = renderer
    self.monitor = monitor
    self.player = player
    self.recorder = recorder
    self.signals = signals
    self.choices = choices
    self.along = along
    self.managed = managed
    self.equalizer = equalizer
    self.effects = effects
    hasFailed = along?.hasFailures ?? false
    terminal = Terminal(showsPanel: !choices.writesJSON, keys: keys)
    meters = MonitorMeters(
      monitor, in: renderer, sampleRate: output.sampleRate, now: Self.now())
    inbox = player.map { PlayerEventInbox($0) }
    trackReport = TrackReport { [terminal] message in
      terminal.clearPanel()
      Failure.report(message)
    }
  }

  /// Prints the connections, the effects and their latency, and notes.
  func announce(_ report: RemoteIO.ConnectionReport) {
    var report = report
    // The first cycle, which shows the scheduling, comes within a period.
    let limit = Self.now() + 0.1
    while !report.isServerFreewheeling, output.scheduling == nil, Self.now() < limit {
      usleep(1000)
    }
    let advice = output.realtimeAdvice
    report.notes += [advice].compactMap(\.self)
    if choices.writesJSON {
      write(
        MonitorReading.json(
          of: output, report, effects: [equalizer?.insert.notes.summary, effects],
          latencyFrames: renderer.graph.latencyFrames))
    } else if !terminal.showsPanel {
      if advice != nil || report.isServerFreewheeling { report.notes.forEach(warn) }
    } else {
      terminal.print(
        "JACK \(output.serverName), \(Int(output.sampleRate)) Hz, \(output.bufferSize) frames: "
          + output.clientName)
      for connection in report.connections {
        terminal.print("  \(connection.output) → \(connection.input)")
      }
      if let effects { terminal.print(effects) }
      let latency = renderer.graph.latencyFrames
      if latency > 0 {
        let milliseconds = NumberText.shortDecimal(
          Double(latency) * 1000 / output.sampleRate, digits: 1)
        terminal.print("the effects delay the sound by \(latency) frames, \(milliseconds) ms")
      }
      for note in report.notes { terminal.print("note: \(note)") }
    }
    equalizer?.announce(print: terminal.print, warn: warn)
    for client in Self.clientsOnBothSides(report.connections, of: output.clientName) {
      warn(
        "\(client) is connected to both inputs and outputs: if it passes sound on, this is a feedback loop"
      )
    }
  }

  /// Returns the clients connected to both the inputs and the outputs. For a sound card that is normal.
  private static func clientsOnBothSides(
    _ connections: [RemoteIO.PortConnection], of own: String
  ) -> [String] {
    func client(_ port: String) -> String { String(port.prefix { $0 != ":" }) }
    let sources = Set(connections.filter { client($0.input) == own }.map { client($0.output) })
    let targets = Set(connections.filter { client($0.output) == own }.map { client($0.input) })
    return sources.intersection(targets).subtracting(["system"]).sorted()
  }

  /// - Returns: false if anything failed.
  func run() -> Bool {
    let isServed = follow()
    terminal.clearPanel()
    if isServed { fadeOut() }
    player?.stop()
    finishRecording()
    if let warning = NonFiniteSamples.warning(renderer.nonFiniteSampleCount) { warn(warning) }
    return isServed && !hasFailed && !trackReport.hasFailures
  }

  private func announceLoss(reason: String) {
    if choices.writesJSON {
      write(.object([("type", .string("serverLost")), ("reason", .string(reason))]))
    } else {
      terminal.print("the JACK server \(output.serverName) has ended (\(reason)); waiting for it")
    }
  }

  private func announceReturn() {
    if choices.writesJSON {
      write(
        .object([
          ("type", .string("serverBack")), ("sampleRate", .integer(Int64(output.sampleRate))),
          ("period", .integer(Int64(output.bufferSize))),
        ]))
    } else {
      terminal.print(
        "JACK \(output.serverName) is back, \(Int(output.sampleRate)) Hz, \(output.bufferSize) frames: "
          + output.clientName)
    }
  }

  /// - Returns: false if the server has ended and the run does not wait for it.
  private func follow() -> Bool {
    let milliseconds = Int32(min(100, choices.interval * 1000))
    while true {
      let notices = pollfd(fd: output.noticeDescriptor, events: Int16(POLLIN), revents: 0)
      terminal.wait(
        milliseconds: milliseconds, orFor: [notices] + [managed?.pollRequest].compactMap(\.self))
      for notice in output.takeNotices() {
        switch notice {
        case .serverShutDown(let reason) where choices.reattaches: announceLoss(reason: reason)
        case .serverShutDown(let reason):
          terminal.clearPanel()
          Failure.report(
            "the JACK server \(output.serverName) has ended (\(reason)); start it and monitor again"
          )
          return false
        case .reattached: announceReturn()
        case .sampleRateChanged(let hertz): follow(sampleRate: hertz)
        case .xruns, .bufferSizeChanged, .freewheeling: break
        }
      }
      for key in terminal.keys.take() { if !handle(key) { return true } }
      if let managed { serve(managed) }
      if signals.take() || isInterrupted || !isRead { return true }
      if recorder?.status.failure != nil { finishRecording() }
      for event in inbox?.take() ?? [] { trackReport.take(event) }
      equalizer?.follow(print: terminal.print, warn: warn)
      let now = Self.now()
      if meters.look(at: now) {
        warn("full scale for a second: turn the input down, or end a feedback")
      }
      read(at: now)
      if let seconds = choices.seconds, Self.now() - began >= seconds { return true }
    }
  }

  private func read(at now: Double) {
    guard now - (lastReading ?? began) >= choices.interval else { return }
    lastReading = now
    let (levels, loudness) = meters.take()
    let reading = MonitorReading(
      seconds: now - began, levels: levels, loudness: loudness, settings: monitor.settings,
      xruns: output.xrunCount, missedCycles: output.missedCycleCount,
      nonFiniteSamples: renderer.nonFiniteSampleCount,
      player: player?.snapshot(), recording: recorder?.status)
    if choices.writesJSON {
      write(reading.json)
    } else {
      terminal.show(
        MonitorScreen(
          reading: reading, effects: [equalizer?.summary, effects].compactMap(\.self),
          isUnicode: TerminalText.isUnicode))
    }
  }

  private func follow(sampleRate hertz: Double) {
    if let player { player.follow(outputRate: hertz) } else { renderer.sampleRate = hertz }
    meters.follow(sampleRate: hertz, in: renderer)
    equalizer?.announce(print: terminal.print, warn: warn)
    if let recorder, Double(recorder.status.sampleRate) != hertz {
      warn("the server runs at \(Int(hertz)) Hz now: \(recorder.path) ends here")
      finishRecording()
    }
  }

  /// - Returns: false to end the run.
  private func handle(_ key: TerminalKey) -> Bool {
    guard case .character(let byte) = key else { return true }
    switch byte {
    case UInt8(ascii: "q"), UInt8(ascii: "Q"): return false
    case UInt8(ascii: "m"): monitor.update { $0.isMuted.toggle() }
    case UInt8(ascii: "9"), UInt8(ascii: "/"): changeGain(by: -1)
    case UInt8(ascii: "0"), UInt8(ascii: "*"): changeGain(by: 1)
    case UInt8(ascii: " "), UInt8(ascii: "p"):
      if let isPaused = along?.togglePause() {
        if isPaused { player?.pause() } else { player?.resume() }
      }
    case UInt8(ascii: "?"), UInt8(ascii: "h"):
      terminal.print("9, 0  gain down, up   m  mute   space  pause what plays along   q  quit")
    default: break
    }
    return true
  }

  private func changeGain(by decibels: Double) {
    monitor.update {
      let now = Decibels.value($0.gain) ?? -100
      $0.gain = Decibels.factor(min(max(-100, (now + decibels).rounded()), 40))
    }
  }

  /// Fades the outputs out, and waits until the cycles with the fade have run.
  private func fadeOut() {
    let graph = renderer.graph
    if let heard = graph.outputNode(of: monitor) {
      try? graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.setGain(0, from: heard, to: graph.output)
      }
    }
    player?.pause()
    let rampCycles = 1 + Int(0.01 * output.sampleRate) / max(1, output.bufferSize)
    let last = output.cycleCount + UInt64(rampCycles) + 1
    let limit = Self.now() + 0.3
    while output.cycleCount < last, Self.now() < limit { usleep(1000) }
  }

  private func finishRecording() {
    guard let recorder else { return }
    self.recorder = nil
    // A signal that has come by now ends the run, not the wait: timeout(1) sends its signal twice. A later signal ends
    // the wait for the disk, too.
    isInterrupted = signals.take() || isInterrupted
    let status = recorder.finish(isGivenUp: {
      let isGivenUp = signals.take()
      isInterrupted = isGivenUp || isInterrupted
      return isGivenUp
    })
    if let failure = status.failure {
      hasFailed = true
      if choices.writesJSON {
        write(MonitorReading.json(recordingFailed: failure, path: recorder.path, status))
      }
      report("\(failure)")
    } else if status.overruns > 0 {
      warn(
        "\(recorder.path) lacks \(status.overrunFrames) frames that the disk was too slow for: they are "
          + "silence in it" + (status.isCut ? ", and it ends where the last of them begin" : ""))
    }
  }

  /// Prints an error in one line.
  func report(_ message: String) {
    terminal.clearPanel()
    Failure.report(message)
  }

  private func warn(_ text: String) {
    if choices.writesJSON {
      write(.object([("type", .string("warning")), ("text", .string(text))]))
    } else {
      report("warning: \(text)")
    }
  }

  private func write(_ value: JSONValue) {
    var line = ""
    value.write(to: &line)
    guard isRead, !Failure.write(line + "\n", to: STDOUT_FILENO, until: signals) else { return }
    isRead = false
    if errno == EPIPE || errno == EINTR { return }
    hasFailed = true
    report("\(StandardOutputFailure(code: errno))")
  }

  private static func now() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
