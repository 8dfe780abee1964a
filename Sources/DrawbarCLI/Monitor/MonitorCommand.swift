// SPDX-License-Identifier: MIT

import ArgumentParser
import Drawbar
import Glibc
import JACKRemoteIO
import PlayerEngine
import RenderCore
import SessionManagement

/// `drawbar monitor`: live input to output in the same cycle.
struct MonitorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor",
    abstract: "Pass inputs to outputs in the same JACK cycle.",
    discussion: """
      Passes each input to the outputs in the same cycle, so it adds no frame of latency between a \
      microphone and the headphones. It can mix in a file or a stream to play along to (--with), and \
      record the result (--record).

      Examples:
        drawbar monitor                              two inputs, to the sound card
        drawbar monitor --inputs 1 --high-pass 80    one microphone, to both ears
        drawbar monitor --route 1:1 --route 2:1:-6   both to one output
        drawbar monitor --with song.mp3 --record take.wav --limit=-1
        drawbar monitor --inputs 1 --eq desk.txt     through an equaliser
        drawbar monitor --from none --to none        for you to connect

      Effects (--eq to --delay) process the sum of inputs and files, before the limiter. Only --convolve, \
      GraphicEQ: and Convolution: add latency, 256 frames each, and --delay on request.

      On a terminal it shows meters. Keys: 9 and 0 change the gain by 1 dB, m mutes, space pauses the \
      files, q quits. Without a terminal it prints errors and warnings only, or, with --json, one line for \
      each reading.

      A microphone near a loudspeaker howls: use headphones. The program never connects its outputs to \
      its inputs, and warns if an input stays at full scale for a second.

      When the JACK server ends, the program waits for it, and then restores its connections.

      Under a session manager (NSM_URL is set) the session names the client and makes its connections. \
      The session saves the settings and the files, and restores them in place of the command line. It does \
      not restart a recording.
      """)

  @Option(help: "The client's name in the JACK graph.")
  var name = "drawbar"

  @Option(help: "The JACK server's name. (default: $JACK_DEFAULT_SERVER, or default)")
  var server: String?

  @Flag(help: "Let libjack start a server by ~/.jackdrc if none is running.")
  var startServer = false

  @OptionGroup
  var serverWait: ServerWaitOptions

  @Flag(help: "End when the JACK server ends (default: wait until it is back).")
  var noReattach = false

  @Option(help: "Input ports in_1 and so on, 1 to 64.")
  var inputs = 2

  @Option(help: "Output ports out_1 and so on, 1 to 64.")
  var outputs = 2

  @Option(
    help: """
      Ports to connect to the inputs: auto (the physical capture ports of one client), none, a client or \
      port name or pattern, or port,port in the order of the inputs. Under a session manager the default \
      is none.
      """)
  var from = "auto"

  @Option(help: "Ports to connect to the outputs: as --from, with playback ports.")
  var to = "auto"

  @OptionGroup
  var sound: MonitorSoundOptions

  @OptionGroup
  var effects: EffectOptions

  @Option(
    help: ArgumentHelp(
      "A file, a stream or a playlist to play along to; repeatable.", valueName: "file-or-url"))
  var with: [String] = []

  @Option(parsing: .unconditional, help: "Gain of --with, in dB, -100 to 40.")
  var withGain = 0.0

  @Option(
    help: ArgumentHelp(
      "Record the outputs into this file: 32-bit float, or 24-bit if it ends in .flac.",
      valueName: "out.wav|out.flac"))
  var record: String?

  @Flag(help: "Record the inputs unprocessed, instead of the outputs.")
  var recordInput = false

  @Flag(help: "Write each reading of the meters as a line of JSON.")
  var json = false

  @Option(help: "Seconds between two readings, 0.05 to 60.")
  var interval = 0.1

  @Option(help: "Seconds to run. (default: until q or Ctrl-C)")
  var seconds: Double?

  @OptionGroup
  var source: SourceOptions

  @OptionGroup
  var timing: TimingOptions

  @OptionGroup
  var processors: CPULatencyOptions

  @Flag(name: .shortAndLong, help: "Print libjack's messages on standard error.")
  var verbose = false

  func validate() throws {
    guard (1...64).contains(inputs) else { throw ValidationError("--inputs must be 1 to 64.") }
    guard (1...64).contains(outputs) else { throw ValidationError("--outputs must be 1 to 64.") }
    guard (-100...40).contains(withGain) else {
      throw ValidationError("--with-gain must be -100 to 40.")
    }
    guard (0.05...60).contains(interval) else {
      throw ValidationError("--interval must be 0.05 to 60.")
    }
    guard !startServer || !serverWait.wait else { throw ServerWaitOptions.contradiction }
    guard seconds ?? 0 >= 0 else { throw ValidationError("--seconds must not be negative.") }
    guard !recordInput || record != nil else {
      throw ValidationError("--record-input needs --record and a file.")
    }
    _ = try sound.settings(inputs: inputs, outputs: outputs)
    try effects.validate(channels: outputs)
  }

  func run() throws {
    try Failure.reporting {
      // Created before any thread, so that all threads block these signals and the loop below takes them.
      let signals = TerminationSignals()
      guard let session = try ManagedSession.join(signals) else {
        return try monitor(in: nil, signals)
      }
      return try session.opening {
        guard let saved = session.saved else { return try monitor(in: session, signals) }
        guard case .monitor = saved.content else {
          throw SessionRefusal(.badProject, "what was saved is not of 'drawbar monitor'")
        }
        return try saved.resume(in: session, signals)
      }
    }
  }

  /// Monitors with the settings of the command line.
  ///
  /// - Returns: false if anything failed.
  private func monitor(in session: ManagedSession?, _ signals: TerminationSignals) throws -> Bool {
    let settings = try sound.settings(inputs: inputs, outputs: outputs)
    let keys = TerminalKeys()
    let files = try read(signals, keys)
    if with.isEmpty {
      let output = try open(in: session, signals, keys)
      return try monitor(
        settings, files, output, renderer(for: output), along: nil, in: session, signals, keys)
    }
    // Reports a missing file before connecting to JACK.
    let queue = try TrackQueue(
      with, configuration: source.configuration,
      isCancelled: { signals.take() || keys.haveQuit }, prepare: { _ in })
    for path in [record, timing.path].compactMap(\.self) { try queue.check(writing: path) }
    let along = PlayingAlong(
      list: SavedList([queue.firstItem] + queue.rest), hasFailures: queue.hasFailures)
    let rest = queue.rest
    let output = try open(in: session, signals, keys)
    let renderer = renderer(for: output)
    let player = Player(
      opened: queue.first, playing: rest, into: renderer, sources: source.configuration)
    return try monitor(
      settings, files, output, renderer, along: (player, along), in: session, signals, keys)
  }

  /// Resumes a saved session.
  ///
  /// - Returns: false if anything failed.
  func monitor(
    in session: ManagedSession, resuming state: MonitorState, _ signals: TerminationSignals
  ) throws -> Bool {
    guard let settings = MonitorSettings(state, inputs: inputs, outputs: outputs) else {
      throw SessionRefusal(
        .badProject, "the saved matrix is not of \(inputs) inputs and \(outputs) outputs")
    }
    let keys = TerminalKeys()
    let files = try read(signals, keys)
    let output = try open(in: session, signals, keys)
    let renderer = renderer(for: output)
    let along = state.with.map { playback in
      let list = SavedList(playback.tracks)
      let player = Player(
        playing: playback.tracks.map(\.item), into: renderer, sources: source.configuration)
      player.begin(at: playback)
      return (
        player,
        PlayingAlong(list: list, position: SavedPosition(playback), isPaused: playback.isPaused)
      )
    }
    return try monitor(settings, files, output, renderer, along: along, in: session, signals, keys)
  }

  /// The contents of the effects' files, and a watch on the files that began before they were read.
  private typealias WatchedFiles = (effects: EffectFiles, watch: FileWatch)

  /// Reads the files of the effects. A missing file is reported before JACK is contacted.
  private func read(_ signals: TerminationSignals, _ keys: TerminalKeys) throws -> WatchedFiles {
    let watch = FileWatch()
    let files = try effects.read(
      watchedBy: watch, isCancelled: { signals.take() || keys.haveQuit })
    for path in [record, timing.path].compactMap(\.self) {
      try WrittenFile(path: path).check(isNoneOf: files.paths)
    }
    return (files, watch)
  }

  private func open(
    in session: ManagedSession?, _ signals: TerminationSignals, _ keys: TerminalKeys
  ) throws -> RemoteIO {
    RemoteIO.libraryMessageDescriptor = verbose ? STDERR_FILENO : nil
    try serverWait.waitForServer(server, writesJSON: json, isCancelled: { signals.take() })
    return try RemoteIO(
      configuration(name: session?.clientID ?? name),
      isCancelled: { signals.take() || keys.haveQuit })
  }

  private func renderer(for output: RemoteIO) -> Renderer {
    Renderer(sampleRate: output.sampleRate, outputChannels: outputs, inputChannels: inputs)
  }

  /// - Parameter along: the player to play along to, not started.
  private func monitor(
    _ settings: MonitorSettings, _ files: WatchedFiles, _ output: RemoteIO, _ renderer: Renderer,
    along: (player: Player, list: PlayingAlong)?, in managed: ManagedSession?,
    _ signals: TerminationSignals, _ keys: TerminalKeys
  ) throws -> Bool {
    // A stalled server must not delay the exit.
    defer { output.close(withinMilliseconds: 500) }
    let readiness = try processors.request()
    defer { withExtendedLifetime(readiness) {} }
    let player = along?.player
    player?.volume = Decibels.factor(withGain)
    let monitor = renderer.addMonitor(settings)
    let inserted = try insert(files.effects, behind: monitor, in: renderer)
    let recorder = try record.map { path in
      try CaptureRecorder(
        recordInput
          ? renderer.addCapture(capacityFrames: 1 << 17)
          : renderer.addOutputCapture(capacityFrames: 1 << 17),
        of: renderer, into: path, sampleRate: Int(output.sampleRate.rounded()))
    }
    let session = MonitorSession(
      output: output, renderer: renderer, monitor: monitor, player: player, recorder: recorder,
      signals: signals, keys: keys,
      choices: MonitorSession.Choices(
        writesJSON: json, interval: interval, seconds: seconds, reattaches: !noReattach),
      along: along?.list, managed: managed,
      equalizer: inserted.map { FollowedEqualizer($0, watchedBy: files.watch) },
      effects: effects.summary(files.effects.response))
    let runTiming = try timing.recorder(of: output, rendering: renderer)
    recorder?.start()
    do {
      session.announce(
        try output.start(
          rendering: renderer, isCancelled: { signals.take() || keys.haveQuit }))
    } catch {
      _ = recorder?.finish(isGivenUp: { signals.take() })
      throw error
    }
    player?.start()
    managed?.answerOpen()
    let isWell = session.run()
    try runTiming?.finish(
      command: "monitor", input: along?.list.list.timingInput ?? "inputs",
      streams: along == nil ? 0 : 1, decoding: along?.player.snapshot().decoder?.words)
    return isWell
  }

  /// Inserts the effects between the mix of all sound and the limiter.
  ///
  /// - Returns: the equaliser, whose file can be replaced.
  private func insert(
    _ files: EffectFiles, behind monitor: MonitorControl, in renderer: Renderer
  ) throws -> EqualizerInsert? {
    let graph = renderer.graph
    guard let sum = graph.node(of: monitor), let limiter = graph.outputNode(of: monitor) else {
      preconditionFailure("the monitor is in the graph")
    }
    var chain = EffectChain(renderer, from: sum, to: limiter)
    return try effects.append(files, to: &chain)
  }

  private func configuration(name: String) throws -> RemoteIO.Configuration {
    var configuration = RemoteIO.Configuration(
      clientName: name, serverName: server, startsServer: startServer,
      outputPortNames: (1...outputs).map { "out_\($0)" },
      connection: try RemoteIO.ConnectionPolicy(parsing: to),
      inputPortNames: (1...inputs).map { "in_\($0)" },
      inputConnection: try RemoteIO.ConnectionPolicy(parsing: from), reattaches: !noReattach)
    configuration.passesInputsOn = true
    return configuration
  }
}
