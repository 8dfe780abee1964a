// SPDX-License-Identifier: MIT

import ArgumentParser
import ByteSources
import CDescriptors
import Drawbar
import Glibc
import JACKRemoteIO
import MediaControl
import PlayerEngine
import RenderCore
import SessionManagement

/// `drawbar play`: files and URLs into JACK.
struct PlayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play files and URLs into JACK, one after the other.",
    discussion: """
      Tracks of the same rate and channel count follow each other without a gap. Tracks at a rate other \
      than the server's are resampled; mono goes to both ports; more channels than ports are mixed down.

      On a terminal it shows the title, the format, a progress bar with the buffered part, a peak meter \
      for each output, position, duration, underruns (the source was too slow) and xruns (JACK reported a \
      late client, any client). Keys: space pauses and resumes, the arrows seek by 5 s and by 1 min, < and > \
      change the track, 9 and 0 the volume, m mutes, L repeats, [ and ] rewind and fast-forward, ? lists \
      the keys, q quits.

      When the JACK server ends, the program waits for it, then restores its connections and resumes at \
      the same position.

      Without a terminal it prints errors only.

      Under a session manager (NSM_URL is set) the session names the client and makes its connections. \
      The session saves the tracks and the position, and restores them in place of the command line, which \
      may then be empty.
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

  @Option(
    help: """
      Ports to connect the outputs to: auto (the physical playback ports of one client), none, a client or \
      port name or pattern, or port,port in the order of the outputs. (default: auto; under a session \
      manager: none)
      """)
  var connect: String?

  @Option(
    help: """
      JACK transport mode (default: ignore the transport). follow: the transport controls playback, to \
      the sample. Frame 0 of the transport is the start of the first track, and each track begins at the \
      end of the one before it. The keys for pausing, seeking and tracks start, stop and locate the \
      transport, for all its clients. After the list it is silent until q. lead: playback controls the \
      transport, whose frame is then the time in the track. In both modes --limit does not look ahead, and \
      --convolve, GraphicEQ: and Convolution: delay the sound by 256 frames.
      """)
  var transport: TransportRole?

  @Option(help: "Output ports, 1 to 64.")
  var ports = 2

  @Option(help: "Gain of the sound in percent; 100 is as decoded.")
  var volume = 100

  @OptionGroup
  var buffering: BufferingOptions

  @OptionGroup
  var effects: EffectOptions

  @OptionGroup
  var limiter: LimiterOptions

  @OptionGroup
  var track: TrackOptions

  @OptionGroup
  var spool: SpoolOptions

  @Flag(help: "Stay off the session bus: media keys, desktops and playerctl do not see it (MPRIS).")
  var noMpris = false

  @OptionGroup
  var timing: TimingOptions

  @OptionGroup
  var processors: CPULatencyOptions

  @Flag(name: .shortAndLong, help: "Print libjack's messages on standard error.")
  var verbose = false

  @Argument(help: "Paths, http or https URLs, or - for standard input; playlists, too.")
  var locations: [String] = []

  func validate() throws {
    guard !locations.isEmpty || SessionManagerURL.inEnvironment != nil else { throw Self.nothing }
    guard (1...64).contains(ports) else { throw ValidationError("--ports must be 1 to 64.") }
    try effects.validate(channels: ports)
    guard (0...400).contains(volume) else { throw ValidationError("--volume must be 0 to 400.") }
    guard !startServer || !serverWait.wait else { throw ServerWaitOptions.contradiction }
    if transport != nil, limiter.truePeak {
      throw ValidationError("--true-peak delays the sound, which --transport rules out.")
    }
    if transport == .follow, track.start > 0 {
      throw ValidationError("--start has no meaning with --transport follow: locate the transport.")
    }
  }

  private static let nothing = ValidationError("Missing expected argument '<locations> ...'")

  func run() throws {
    try Failure.reporting {
      // One heap for all threads: no thread allocates often, and each heap has unused pages.
      mallopt(M_ARENA_MAX, 1)
      // Created before any thread, so that all threads block these signals and the loop below takes them.
      let signals = TerminationSignals()
      guard let session = try ManagedSession.join(signals) else {
        guard !locations.isEmpty else { throw Self.nothing }
        return try play(in: nil, signals)
      }
      return try session.opening {
        guard let saved = session.saved else { return try play(in: session, signals) }
        guard case .play = saved.content else {
          throw SessionRefusal(.badProject, "what was saved is not of 'drawbar play'")
        }
        return try saved.resume(in: session, signals)
      }
    }
  }

  /// The tracks to play, and the state to begin in.
  private struct Programme {
    /// The tracks, or those after the opened one.
    var items: [PlaylistItem]
    var list: SavedList
    var position = SavedPosition()
    var hasFailures = false
    var state: PlayState?
  }

  /// Plays the locations of the command line.
  ///
  /// - Returns: true if every track was played, or if the user ended playback.
  private func play(in session: ManagedSession?, _ signals: TerminationSignals) throws -> Bool {
    guard !locations.isEmpty else {
      throw SessionRefusal(
        .createFailed, "nothing was saved for this program, and no file or URL was named")
    }
    // Reports a missing file before connecting to JACK.
    let start = track.start
    let keys = TerminalKeys()
    let queue = try TrackQueue(
      locations, configuration: sources, isCancelled: { signals.take() || keys.haveQuit }
    ) { reader in
      try reader.seek(toSeconds: start)
    }
    if let path = timing.path { try queue.check(writing: path) }
    let programme = Programme(
      items: queue.rest, list: SavedList([queue.firstItem] + queue.rest),
      position: SavedPosition(seconds: start), hasFailures: queue.hasFailures)
    return try play(queue.first, programme, in: session, signals, keys)
  }

  /// Plays a saved list from its saved position.
  ///
  /// - Returns: true if every track was played, or if the user ended playback.
  func play(
    in session: ManagedSession, resuming state: PlayState, _ signals: TerminationSignals
  ) throws -> Bool {
    let tracks = state.playback.tracks
    return try play(
      nil, Programme(items: tracks.map(\.item), list: SavedList(tracks), state: state),
      in: session, signals, TerminalKeys())
  }

  private var sources: ByteSourceConfiguration {
    var sources = track.source.configuration
    sources.spool = spool.configuration
    return sources
  }

  private func play(
    _ opened: sending TrackReader?, _ programme: Programme, in managed: ManagedSession?,
    _ signals: TerminationSignals, _ keys: TerminalKeys
  ) throws -> Bool {
    let isCancelled = { @Sendable in signals.take() || keys.haveQuit }
    let watch = FileWatch()
    let files = try effects.read(watchedBy: watch, isCancelled: isCancelled)
    if let path = timing.path { try WrittenFile(path: path).check(isNoneOf: files.paths) }
    let readiness = try processors.request()
    defer { withExtendedLifetime(readiness) {} }
    RemoteIO.libraryMessageDescriptor = verbose ? STDERR_FILENO : nil
    var client = RemoteIO.Configuration(
      clientName: managed?.clientID ?? name, serverName: server, startsServer: startServer,
      outputPortNames: (1...ports).map { "out_\($0)" }, connection: try connectionPolicy(),
      reattaches: !noReattach)
    client.followsTransport = transport == .follow
    try serverWait.waitForServer(server, isCancelled: isCancelled)
    let output = try RemoteIO(client, isCancelled: isCancelled)
    let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: ports)
    var chain = EffectChain(renderer, from: renderer.graph.mix, to: renderer.graph.output)
    let inserted = try effects.append(files, to: &chain)
    try limiter.append(to: &chain, looksAhead: transport == nil)
    var configuration = track.configuration
    buffering.apply(to: &configuration)
    configuration.followsTransport = client.followsTransport
    let player = Player(
      opened: opened, playing: programme.items, into: renderer,
      configuration: configuration, sources: sources)
    player.volume = Float(volume) / 100
    let runTiming = try timing.recorder(of: output, rendering: renderer)
    var session: PlaySession?
    defer { session?.close() }
    // The player fills its ring while the server activates and connects the client; until then nothing is rendered.
    let report = try begin(output, rendering: renderer, isCancelled) {
      let made = PlaySession(
        player: player, renderer: renderer, output: output, signals: signals, keys: keys,
        list: programme.list, hasFailed: programme.hasFailures, sources: sources,
        decode: track.decode.thread, reattaches: !noReattach,
        managed: managed, transportRole: transport,
        effects: effects.summary(files.response, limiter: limiter),
        equalizer: inserted.map { FollowedEqualizer($0, watchedBy: watch) })
      made.savedPosition = programme.position
      if let state = programme.state { made.restore(state) }
      player.start()
      session = made
    }
    guard let session else { preconditionFailure("it is active, and there is no player") }
    session.announce(report)
    if !noMpris, let address = SessionBus.address { session.joinBus(at: address) }
    managed?.answerOpen()
    let isWell = session.run()
    try runTiming?.finish(
      command: "play", input: programme.list.timingInput, streams: 1,
      decoding: player.snapshot().decoder?.words)
    return isWell
  }

  /// Starts the output. If that fails, closes it, with a short wait for a stalled server.
  private func begin(
    _ output: RemoteIO, rendering renderer: Renderer, _ isCancelled: @escaping @Sendable () -> Bool,
    meanwhile: () -> Void
  ) throws -> RemoteIO.ConnectionReport {
    do {
      return try output.start(
        rendering: renderer, isCancelled: isCancelled, meanwhile: meanwhile)
    } catch {
      output.close(withinMilliseconds: 500)
      throw error
    }
  }

  private func connectionPolicy() throws -> RemoteIO.ConnectionPolicy {
    try connect.map { try RemoteIO.ConnectionPolicy(parsing: $0) } ?? .automatic
  }
}
