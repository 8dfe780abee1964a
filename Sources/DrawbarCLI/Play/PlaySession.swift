// SPDX-License-Identifier: MIT

import ByteSources
import Drawbar
import Glibc
import JACKRemoteIO
import MediaControl
import PlayerEngine
import RenderCore

/// One run of `drawbar play`: keys, signals, events and the status line, until everything was played
/// or the user ends it.
final class PlaySession {
  let player: Player
  private let renderer: Renderer
  let output: RemoteIO
  /// Whether to wait for the server after its end; otherwise the program ends, too.
  private let reattaches: Bool
  private let signals: TerminationSignals
  /// The player on the session bus, if any.
  private var remote: MPRISService?
  /// The number of tracks in the list.
  var trackCount: Int
  /// The list, for saving.
  var list: SavedList
  /// The connection to a session manager, if any.
  let managed: ManagedSession?
  var savedPosition = SavedPosition()
  /// The last requested mode; the player may not have adopted it yet.
  var repeatMode = RepeatMode.off
  let terminal: Terminal
  private let inbox: PlayerEventInbox
  /// The options for sources that other programs request, and the thread that decodes them.
  let sources: ByteSourceConfiguration
  let decode: DecoderThread?
  /// The requested locations that are being opened.
  var probes: [TrackProbe] = []
  /// The number of requests to open a location, and the latest request that led to tracks.
  var probeCount = 0
  var lastOpenedProbe = 0
  /// The relation to JACK's transport; nil to ignore it.
  let transportRole: TransportRole?
  private let effects: String?
  var equalizer: FollowedEqualizer?
  var lead = TransportLead()
  /// The latest requests to the followed transport.
  var wantedTransport = WantedTransport()
  /// Whether a pause was requested from the player, not from the transport.
  var hasPaused = false
  /// Whether the player is paused, to continue at the track's start.
  var isAtStart = false
  var isMuted = false
  /// The cycle at which the process thread's scheduling is checked; nil after the check.
  var schedulingCycle: UInt64? = 0
  /// Cycles after freewheeling until the thread is real-time again.
  private static let cyclesAfterFreewheeling: UInt64 = 200
  /// The gain while the sound is not muted.
  private(set) var volume: Float
  private(set) var isStopping = false
  /// The failures of the tracks.
  private var report: TrackReport
  private var endState: PlayerState?
  private var state = PlayerState.idle

  /// - Parameters:
  ///   - list: the player's tracks.
  ///   - hasFailed: whether something was left out before.
  ///   - sources: the options for sources that other programs request.
  ///   - decode: the thread that decodes them; nil for the automatic choice.
  ///   - reattaches: whether the output reattaches, so that the run survives the end of the server.
  ///   - managed: the connection to a session manager, if any.
  ///   - transportRole: whether the player follows JACK's transport or leads it; nil for neither.
  ///   - effects: the renderer's effects besides the equaliser, for people.
  ///   - equalizer: the renderer's equaliser.
  init(
    player: Player, renderer: Renderer, output: RemoteIO, signals: TerminationSignals,
    keys: TerminalKeys, list: SavedList, hasFailed: Bool, sources: ByteSourceConfiguration,
    decode: DecoderThread?, reattaches: Bool, managed: ManagedSession?,
    transportRole: TransportRole?,
    effects: String?, equalizer: FollowedEqualizer?
  ) {
    self.effects = effects
    self.equalizer = equalizer
    self.transportRole = transportRole
    self.reattaches = reattaches
    self.sources = sources
    self.decode = decode
    self.player = player
    self.renderer = renderer
    volume = player.volume
    self.output = output
    self.signals = signals
    terminal = Terminal(keys: keys)
    report = TrackReport(hasFailures: hasFailed) { [terminal] message in
      terminal.clearPanel()
      Failure.report(message)
    }
    self.list = list
    trackCount = list.count
    self.managed = managed
    inbox = PlayerEventInbox(player)
    renderer.measuresPeaks = terminal.showsPanel
  }

  /// Publishes the player on the session bus, where other programs may control it.
  func joinBus(at address: String) {
    remote = MPRISService(Self.identity, state: NowPlaying(), address: address)
  }

  /// Prints the server, the connections, the effects and notes.
  func announce(_ report: RemoteIO.ConnectionReport) {
    let targets = report.connections.map(\.input)
    let destination = targets.isEmpty ? "not connected" : targets.joined(separator: ", ")
    terminal.print(
      "JACK \(output.serverName), \(Int(output.sampleRate)) Hz, \(output.bufferSize) frames: "
        + "\(output.clientName) → \(destination)")
    equalizer?.announce(print: terminal.print, warn: warn)
    if let effects { terminal.print(effects) }
    for note in report.notes { terminal.print("note: \(note)") }
    if report.isServerFreewheeling, !terminal.showsPanel { report.notes.forEach(warn) }
    // Nothing is real-time while the server freewheels.
    if report.isServerFreewheeling { schedulingCycle = nil }
  }

  /// - Returns: true if every track was played, or if the user ended playback.
  func run() -> Bool {
    defer {
      leaveTransport()
      reportNonFiniteSamples(renderer.nonFiniteSampleCount)
    }
    // The panel needs ten updates a second; a leading player is polled more often.
    var nextShowNanoseconds: UInt64 = 0
    while true {
      let wakes = [output.noticeDescriptor, inbox.descriptor, signals.descriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      terminal.wait(
        milliseconds: longestWaitMilliseconds,
        orFor: wakes + [remote?.pollRequest, managed?.pollRequest].compactMap(\.self))
      for event in inbox.take() { handle(event) }
      for key in terminal.keys.take() { handle(key) }
      if signals.take() {
        // A second signal does not wait for the fade.
        if isStopping { return true }
        stop()
      }
      var hasNewRate = false
      for notice in output.takeNotices() {
        switch notice {
        case .serverShutDown(let reason) where reattaches: announceLoss(reason: reason)
        case .serverShutDown(let reason):
          terminal.clearPanel()
          Failure.report(
            "the JACK server \(output.serverName) has ended (\(reason)); start it and play again")
          return false
        case .reattached:
          lead.beginAnew()
          wantedTransport = WantedTransport()
          schedulingCycle = output.cycleCount
          announceReturn()
          hasNewRate = true
        case .sampleRateChanged(let hertz):
          player.follow(outputRate: hertz)
          hasNewRate = true
        case .freewheeling(false):
          schedulingCycle = output.cycleCount + Self.cyclesAfterFreewheeling
        case .xruns, .bufferSizeChanged, .freewheeling: break
        }
      }
      if hasNewRate { equalizer?.announce(print: terminal.print, warn: warn) }
      if let remote { serve(remote) }
      takeOpened()
      equalizer?.follow(print: terminal.print, warn: warn)
      if let managed { serve(managed) }
      leadTransport()
      adviseOnScheduling()
      let snapshot = player.snapshot(latencyFrames: latencyFrames)
      announceDecoder(snapshot)
      if terminal.showsPanel, snapshot.state != .idle || isStopping,
        monotonicNanoseconds() >= nextShowNanoseconds
      {
        terminal.show(screen(snapshot))
        if transportRole == .lead { nextShowNanoseconds = monotonicNanoseconds() + 100_000_000 }
      }
      if let endState, hasBeenHeard(snapshot) {
        return isStopping || (endState == .ended && !report.hasFailures)
      }
    }
  }

  /// The longest wait between two checks. Without a panel, bus, session manager or transport, events end it.
  private var longestWaitMilliseconds: Int32 {
    if isEnding || transportRole == .lead { return 10 }
    let isWatched = terminal.showsPanel || remote != nil || managed != nil
    if isWatched || transportRole != nil { return 100 }
    return equalizer?.millisecondsToLook ?? 10_000
  }

  private func screen(_ snapshot: PlayerSnapshot) -> PlayScreen {
    PlayScreen(
      snapshot: snapshot, peaks: renderer.takePeaks(),
      volume: volume, isMuted: isMuted, xruns: output.xrunCount,
      clippedSamples: renderer.clippedSampleCount,
      effects: [equalizer?.summary, effects].compactMap(\.self),
      latencyNanoseconds: UInt64(Double(totalLatencyFrames) * 1_000_000_000 / output.sampleRate),
      isUnicode: TerminalText.isUnicode, isServerAway: isServerAway,
      transport: transportRole == nil ? nil : output.transport?.state, isFollowing: isFollowing)
  }

  private var isEnding: Bool { isStopping || endState != nil }

  /// JACK's playback latency.
  var latencyFrames: UInt64 {
    UInt64(max(0, output.playbackLatency?.upperBound ?? 0))
  }

  private var totalLatencyFrames: UInt64 { latencyFrames + UInt64(renderer.graph.latencyFrames) }

  /// Returns true if the last frame has left the server: closing before that would cut it off. Cycles of silence after
  /// it show that the next clients in the graph have received it. PipeWire does not wait for them, and with one such
  /// cycle they sometimes missed our last one.
  private func hasBeenHeard(_ snapshot: PlayerSnapshot) -> Bool {
    let tailFrames = UInt64(renderer.graph.tailFrames)
    let silentFrames = totalLatencyFrames + tailFrames + 2 * UInt64(output.bufferSize)
    return snapshot.trailingSilentFrames >= silentFrames
      || snapshot.counters.packets == 0 || isServerAway
  }

  private func handle(_ event: PlayerEvent) {
    report.take(event)
    switch event {
    case .state(let new):
      state = new
      if new == .ended || new == .failed || (new == .idle && isStopping) {
        endState = new
      }
    case .started(let index):
      if trackCount > 1 || terminal.showsPanel { announceTrack(index) }
    case .track(let index, let information): tracks[index] = information
    case .seekFailed(_, let error):
      terminal.clearPanel()
      terminal.print(
        isFollowing
          ? "note: the JACK transport is not followed there, and it plays on from where it is: \(error)"
          : "note: \(error)")
    case .streamTitle(_, let title):
      if let text = title.title { terminal.print("title: \(text)") }
    case .failed, .account, .underrun, .skipped, .packetFailed, .outputRateChanged, .sought, .scan:
      break
    }
  }

  private var announcedThread: DecoderThread?
  /// The information about the tracks that were opened.
  private(set) var tracks: [Int: TrackInformation] = [:]

  private func announceTrack(_ index: Int) {
    guard let track = tracks[index] else { return }
    let format = track.dataFormat
    let number = trackCount > 1 ? "[\(index + 1)/\(trackCount)] " : ""
    terminal.print(
      "\(number)\(track.location)  (\(format.formatID), \(Int(format.sampleRate)) Hz, "
        + "\(format.channelsPerFrame) channel\(format.channelsPerFrame == 1 ? "" : "s"))")
  }

  /// Prints the decoding thread and the reason for it on a terminal, whenever the thread changes.
  private func announceDecoder(_ snapshot: PlayerSnapshot) {
    guard terminal.showsPanel, let decoder = snapshot.decoder,
      decoder.thread != announcedThread
    else { return }
    announcedThread = decoder.thread
    terminal.print("decoded \(decoder.words)")
  }

  private func handle(_ key: TerminalKey) {
    switch key {
    case .left: seek(byNanoseconds: -5_000_000_000)
    case .right: seek(byNanoseconds: 5_000_000_000)
    case .down: seek(byNanoseconds: -60_000_000_000)
    case .up: seek(byNanoseconds: 60_000_000_000)
    case .pageDown: seek(byNanoseconds: -600_000_000_000)
    case .pageUp: seek(byNanoseconds: 600_000_000_000)
    case .home: seek(toNanoseconds: 0)
    case .character(let byte): handle(character: byte)
    }
  }

  private func handle(character: UInt8) {
    switch character {
    case UInt8(ascii: " "), UInt8(ascii: "p"):
      if isPaused { resume() } else { pause() }
    case UInt8(ascii: "q"), UInt8(ascii: "Q"): stop()
    case UInt8(ascii: ">"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): goToNextTrack()
    case UInt8(ascii: "<"): goToPreviousTrack()
    case UInt8(ascii: "9"), UInt8(ascii: "/"): setVolume(volume - 0.05)
    case UInt8(ascii: "0"), UInt8(ascii: "*"): setVolume(volume + 0.05)
    case UInt8(ascii: "m"): toggleMute()
    case UInt8(ascii: "["): changeScanSpeed(forward: false)
    case UInt8(ascii: "]"): changeScanSpeed(forward: true)
    case UInt8(ascii: "L"):
      let modes = RepeatMode.allCases
      let next = (modes.firstIndex(of: repeatMode) ?? 0) + 1
      setRepeat(modes[next % modes.count])
    case UInt8(ascii: "?"), UInt8(ascii: "h"):
      for line in Self.keyHelp { terminal.print(line) }
    default: break
    }
  }

  func setVolume(_ wanted: Float) {
    isMuted = false
    volume = min(4, max(0, wanted))
    player.volume = volume
  }

  func toggleMute() {
    isMuted.toggle()
    player.volume = isMuted ? 0 : volume
  }

  private static let keyHelp = [
    "space, p      pause, go on           left, right      5 s back, on",
    "<, >          previous, next track   down, up         1 min back, on",
    "9, 0          volume down, up        page down, up    10 min back, on",
    "m             mute                   home             to the start",
    "L             repeat one, all, off   [, ]             rewind, fast forward",
    "?             these keys             q                quit",
  ]

  /// Reports a failure, which also sets the exit code.
  func noteFailure(_ message: String) {
    report.add(message)
  }

  /// Ends playback with a fade.
  func stop() {
    isStopping = true
    player.stop()
  }
}
