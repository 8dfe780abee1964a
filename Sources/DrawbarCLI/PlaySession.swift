// SPDX-License-Identifier: MIT

import Drawbar
import Glibc
import JACKRemoteIO
import PlayerEngine
import RenderCore
import Synchronization

/// One run of `drawbar play`: keys, signals, events and the status line, until everything was played
/// or the user ends it.
final class PlaySession {
  private let player: Player
  private let output: RemoteIO
  private let signals: TerminationSignals
  private let trackCount: Int
  private let terminal = Terminal()
  private let inbox = EventInbox()
  private var isPaused = false
  private var isStopping = false
  private var hasFailed: Bool
  private var endState: PlayerState?
  private var state = PlayerState.idle

  /// Events on their way from the player's thread to the loop.
  private final class EventInbox: Sendable {
    /// Protects the events that have not been taken.
    private let events = Mutex<[PlayerEvent]>([])

    func collect(from stream: AsyncStream<PlayerEvent>) {
      Task.detached { [self] in
        for await event in stream { events.withLock { $0.append(event) } }
      }
    }

    func take() -> [PlayerEvent] {
      events.withLock { events in
        defer { events.removeAll() }
        return events
      }
    }
  }

  /// - Parameter hasFailed: something was left out before.
  init(
    player: Player, output: RemoteIO, signals: TerminationSignals, trackCount: Int, hasFailed: Bool
  ) {
    self.hasFailed = hasFailed
    self.player = player
    self.output = output
    self.signals = signals
    self.trackCount = trackCount
    inbox.collect(from: player.events())
  }

  /// Says where the sound goes.
  func announce(_ report: RemoteIO.ConnectionReport) {
    let targets = report.connections.map(\.input)
    let destination = targets.isEmpty ? "not connected" : targets.joined(separator: ", ")
    terminal.print(
      "JACK \(output.serverName), \(Int(output.sampleRate)) Hz, \(output.bufferSize) frames: "
        + "\(output.clientName) → \(destination)")
    for note in report.notes { terminal.print("note: \(note)") }
  }

  /// - Returns: whether every track was played, or the user ended it.
  func run() -> Bool {
    while true {
      terminal.wait(milliseconds: isEnding ? 10 : 100, orFor: output.noticeDescriptor)
      for event in inbox.take() { handle(event) }
      for key in terminal.keys() { handle(key: key) }
      if signals.take() {
        // A second one does not wait for the fade.
        if isStopping { return true }
        stop()
      }
      for notice in output.takeNotices() {
        switch notice {
        case .serverShutDown(let reason):
          terminal.clearStatus()
          Failure.report(
            "the JACK server \(output.serverName) has ended (\(reason)); start it and play again")
          return false
        case .sampleRateChanged(let hertz): player.follow(outputRate: hertz)
        case .xruns, .bufferSizeChanged, .freewheeling: break
        }
      }
      let snapshot = player.snapshot(latencyFrames: latencyFrames)
      if snapshot.state != .idle || isStopping {
        terminal.show(status: StatusLine.text(snapshot, output: output))
      }
      if let endState, hasBeenHeard(snapshot) {
        return isStopping || (endState == .ended && !hasFailed)
      }
      if isStopping, output.isStalled || output.isServerShutDown { return true }
    }
  }

  private var isEnding: Bool { isStopping || endState != nil }

  private var latencyFrames: UInt64 {
    UInt64(max(0, output.playbackLatency?.upperBound ?? 0))
  }

  /// The last frame has left the server: closing before that would cut it off.
  private func hasBeenHeard(_ snapshot: PlayerSnapshot) -> Bool {
    snapshot.trailingSilentFrames >= latencyFrames || snapshot.counters.packets == 0
      || output.isStalled || output.isServerShutDown
  }

  private func handle(_ event: PlayerEvent) {
    switch event {
    case .state(let new):
      state = new
      if new == .ended || new == .failed || (new == .idle && isStopping) { endState = new }
    case .started(let index):
      if trackCount > 1 || terminal.showsStatus { announceTrack(index) }
    case .failed(_, let error):
      hasFailed = true
      terminal.clearStatus()
      Failure.report(error)
    case .track(let index, let information): tracks[index] = information
    case .underrun, .skipped, .packetFailed, .outputRateChanged: break
    }
  }

  private var tracks: [Int: TrackInformation] = [:]

  private func announceTrack(_ index: Int) {
    guard let track = tracks[index] else { return }
    let format = track.dataFormat
    let number = trackCount > 1 ? "[\(index + 1)/\(trackCount)] " : ""
    terminal.print(
      "\(number)\(track.location)  (\(format.formatID), \(Int(format.sampleRate)) Hz, "
        + "\(format.channelsPerFrame) channel\(format.channelsPerFrame == 1 ? "" : "s"))")
  }

  private func handle(key: UInt8) {
    switch key {
    case UInt8(ascii: " "):
      isPaused.toggle()
      if isPaused { player.pause() } else { player.resume() }
    case UInt8(ascii: "q"), UInt8(ascii: "Q"): stop()
    case UInt8(ascii: ">"): player.next()
    case UInt8(ascii: "9"): player.volume = max(0, player.volume - 0.05)
    case UInt8(ascii: "0"): player.volume = min(4, player.volume + 0.05)
    default: break
    }
  }

  private func stop() {
    isStopping = true
    player.stop()
  }
}

/// The line that shows how playing goes.
enum StatusLine {
  static func text(_ snapshot: PlayerSnapshot, output: RemoteIO) -> String {
    let duration = snapshot.track?.durationNanoseconds.map(TimeText.clock) ?? "?"
    let buffered = TimeText.seconds(nanoseconds: snapshot.bufferedNanoseconds, decimals: 1)
    return "\(word(snapshot.state))  \(TimeText.clock(nanoseconds: snapshot.positionNanoseconds))"
      + " / \(duration)  buffer \(buffered) s  underruns \(snapshot.counters.underruns)"
      + "  xruns \(output.xrunCount)"
  }

  private static func word(_ state: PlayerState) -> String {
    switch state {
    case .idle: "Stopped  "
    case .opening: "Opening  "
    case .buffering: "Buffering"
    case .playing: "Playing  "
    case .paused: "Paused   "
    case .ended: "Ended    "
    case .failed: "Failed   "
    }
  }
}
