// SPDX-License-Identifier: MIT

public import ByteSources
internal import Glibc
public import RenderCore

/// Plays files and URLs into a renderer, in order and without a gap between those of the same rate and channel count.
///
/// Life cycle: create it with the output's renderer; call ``start()``; call ``pause()``, ``resume()``, ``next()`` and
/// ``stop()`` as needed; it ends after the last track; release it, which removes its source from the renderer. Its one
/// thread, the feeder, reads, parses and fills the packet ring; the render thread is the output's.
///
/// Every method may be called from any thread but the render thread, and returns at once.
public final class Player: Sendable {
  private struct Shared: ~Copyable {
    var commands: [SteppedPlayer.Command] = []
    var snapshot = PlayerSnapshot()
    var timeline: StreamTimeline
    var information: [Int: TrackInformation] = [:]
    var decoders: [Int: DecoderChoice] = [:]
    var comingPosition: ComingPosition?
    var titles = TitleTimeline()
    var spooled: (track: Int, ranges: [Range<UInt64>])?
    var canSeek: (track: Int, isPossible: Bool)?
    /// The last stream in the timeline.
    var lastStartedStream: UInt32 = 0
    var interrupter: (any ByteSource)?
    var listeners: [@Sendable (PlayerEvent) -> Void] = []
    /// Functions that end the event streams.
    var finishers: [@Sendable () -> Void] = []
    var thread: pthread_t?
    var isCancelled = false
    var isFinished = false
  }

  private let renderer: Renderer
  private let control: SourceControl
  private let feeder: FeederThread
  private let shared: SharedState

  /// Shared between the owner's threads and the feeder's.
  private final class SharedState: Sendable {
    /// Protects all fields in it. The render thread never takes this lock.
    let state: POSIXMutex<Shared>
    let wakeup = Wakeup()

    init(timeline: StreamTimeline) {
      state = POSIXMutex(Shared(timeline: timeline))
    }

    func tell(_ event: PlayerEvent) {
      let listeners = state.withLock { $0.listeners }
      for listen in listeners { listen(event) }
    }
  }

  /// The feeder thread's argument. Once that thread runs, only it uses the core.
  private final class FeederThread: @unchecked Sendable {
    let core: SteppedPlayer
    let shared: SharedState

    init(core: SteppedPlayer, shared: SharedState) {
      self.core = core
      self.shared = shared
    }
  }

  /// Creates a player that has not started.
  ///
  /// - Parameters:
  ///   - opened: the first track if it is open already, so that its errors are known at once; `items` are then the
  ///     tracks after it.
  ///   - items: the tracks, in order.
  ///   - renderer: the renderer that takes the sound; retained.
  ///   - configuration: buffering, decoding and resampling.
  ///   - sources: the sources' time limits and sizes.
  public init(
    opened: sending TrackReader? = nil, playing items: [PlaylistItem], into renderer: Renderer,
    configuration: PlayerConfiguration = PlayerConfiguration(),
    sources: ByteSourceConfiguration = ByteSourceConfiguration()
  ) {
    self.renderer = renderer
    let shared = SharedState(timeline: StreamTimeline(outputRate: renderer.sampleRate))
    let core = SteppedPlayer(
      opened: opened, items: items, renderer: renderer, configuration: configuration,
      sources: sources, tell: { [shared] event in shared.tell(event) })
    control = core.control
    feeder = FeederThread(core: core, shared: shared)
    self.shared = shared
  }

  /// Creates a player that has not started, for locations without a list's titles and durations.
  ///
  /// - Parameters:
  ///   - opened: the first track if it is open already, so that its errors are known at once; `locations` are then the
  ///     tracks after it.
  ///   - locations: paths, `file:`, `http:` or `https:` URLs, or `-` for standard input, in order.
  ///   - renderer: the renderer that takes the sound; retained.
  ///   - configuration: buffering, decoding and resampling.
  ///   - sources: the sources' time limits and sizes.
  public convenience init(
    opened: sending TrackReader? = nil, playing locations: [String], into renderer: Renderer,
    configuration: PlayerConfiguration = PlayerConfiguration(),
    sources: ByteSourceConfiguration = ByteSourceConfiguration()
  ) {
    self.init(
      opened: opened, playing: locations.map { PlaylistItem(location: $0) }, into: renderer,
      configuration: configuration, sources: sources)
  }

  deinit {
    let thread = shared.state.withLock { shared -> pthread_t? in
      shared.isCancelled = true
      shared.interrupter?.wake()
      for finish in shared.finishers { finish() }
      return shared.thread
    }
    shared.wakeup.ring()
    if let thread { pthread_join(thread, nil) }
    renderer.remove(control)
  }

  /// Returns a stream of the events from now on, in order. Each call returns a new stream, which ends with the player.
  /// A reader more than 1,024 events behind loses the oldest.
  public func events() -> AsyncStream<PlayerEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PlayerEvent.self, bufferingPolicy: .bufferingNewest(1024))
    shared.state.withLock { shared in
      if shared.isFinished {
        continuation.finish()
      } else {
        shared.listeners.append { _ = continuation.yield($0) }
        shared.finishers.append { continuation.finish() }
      }
    }
    return stream
  }

  /// Calls a function with each event from now on, in order, without a task that awaits events. Each call of this
  /// method adds a listener, which lives as long as the player.
  ///
  /// - Parameter listen: called on the player's thread, which waits for it: it must be brief and must not retain the
  ///   player.
  public func tellEvents(to listen: @escaping @Sendable (PlayerEvent) -> Void) {
    shared.state.withLock { $0.listeners.append(listen) }
  }

  /// Starts the first track. A second call does nothing.
  public func start() {
    let feeder = feeder
    shared.state.withLock { shared in
      guard shared.thread == nil, !shared.isCancelled else { return }
      var thread = pthread_t()
      let argument = unsafe Unmanaged.passRetained(feeder).toOpaque()
      let status = unsafe pthread_create(&thread, nil, { unsafe runFeeder($0) }, argument)
      precondition(status == 0, "no thread for the feeder: \(status)")
      shared.thread = thread
    }
  }

  /// Gain of the sound; 1 leaves it as decoded. A change is a ramp of 5 ms.
  public var volume: Float {
    get { control.volume }
    set { control.volume = newValue }
  }

  /// Changes the output rate of the renderer and the player. The sound continues with the frame after the last one
  /// rendered; ``PlayerEvent/outputRateChanged(hertz:)`` follows.
  ///
  /// - Parameter hertz: the rate, one of `Renderer.sampleRates`.
  public func follow(outputRate hertz: Double) {
    renderer.sampleRate = hertz
    shared.wakeup.ring()
  }

  /// Returns the player's present state and position.
  ///
  /// - Parameter latencyFrames: frames between the output and the listener: with JACK, the port's playback latency. The
  ///   position is earlier by these frames and by the latency of the renderer's graph.
  public func snapshot(latencyFrames: UInt64 = 0) -> PlayerSnapshot {
    let latencyFrames = latencyFrames + UInt64(renderer.graph.latencyFrames)
    let position = control.position
    let counters = control.counters
    let isSettled = control.renderedFlushSerial == control.flushSerial
    let outputNanoseconds = renderer.elapsedNanoseconds
    let nonFiniteSamples = renderer.nonFiniteSampleCount
    return shared.state.withLock { shared in
      var snapshot = shared.snapshot
      snapshot.counters = counters
      snapshot.nonFiniteSamples = nonFiniteSamples
      snapshot.trailingSilentFrames = position.trailingSilentFrames
      // Silence rendered after the sound has already pushed as many frames of it to the listener.
      let held = latencyFrames - min(latencyFrames, position.trailingSilentFrames)
      let heard = position.outputFrames - min(position.outputFrames, held)
      var timeline = shared.timeline
      // The render thread has changed to another rate, and the feeder has not taken the event yet.
      let rate = position.rateChange
      if rate.hertz > 0, Double(rate.hertz) != timeline.outputRate {
        timeline.changeRate(
          to: Double(rate.hertz), at: rate.outputFrame, droppedNanoseconds: rate.droppedNanoseconds)
      }
      // A stream has begun, and the feeder has not taken the event yet.
      let isNew = position.streamID > shared.lastStartedStream
      if isNew {
        timeline.begin(
          track: position.streamOrigin.track, at: position.streamStartFrame,
          startNanoseconds: position.streamOrigin.startNanoseconds)
      }
      // The seek's target is rendered, and the feeder, which looks ten times a second, has not taken the event yet.
      if isNew, isSettled { snapshot.seekTargetNanoseconds = nil }
      var shown = timeline.position(at: heard)
      // The old sound is gone, and the new one has not begun.
      if let coming = shared.comingPosition, isSettled, !isNew,
        position.trailingSilentFrames >= latencyFrames
      {
        shown = (coming.track, coming.nanoseconds)
      }
      if let shown {
        snapshot.trackIndex = shown.track
        snapshot.positionNanoseconds = shown.nanoseconds
        snapshot.track = shared.information[shown.track]
        snapshot.decoder = shared.decoders[shown.track]
        snapshot.streamTitle = shared.titles.title(at: heard, track: shown.track)
        snapshot.bufferedRanges = bufferedRanges(
          from: shown.nanoseconds, buffered: snapshot.buffering.bufferedNanoseconds,
          spooled: shared.spooled?.track == shown.track ? shared.spooled?.ranges ?? [] : [],
          duration: snapshot.track?.durationNanoseconds)
        if let canSeek = shared.canSeek, canSeek.track == shown.track {
          snapshot.canSeek = canSeek.isPossible
        }
      }
      snapshot.frameTime = position.frameTime
      snapshot.outputNanoseconds = outputNanoseconds
      return snapshot
    }
  }

  func send(_ command: SteppedPlayer.Command) {
    shared.state.withLock { shared in
      shared.commands.append(command)
      shared.interrupter?.wake()
    }
    shared.wakeup.ring()
  }

  /// Runs one round of the feeder's thread.
  ///
  /// - Returns: whether another round follows.
  fileprivate static func runOnce(_ context: UnsafeMutableRawPointer) -> Bool {
    let feeder = unsafe Unmanaged<FeederThread>.fromOpaque(context).takeUnretainedValue()
    let core = feeder.core
    let shared = feeder.shared
    let (commands, isCancelled) = shared.state.withLock { state in
      let commands = state.commands
      state.commands.removeAll()
      return (commands, state.isCancelled)
    }
    if isCancelled { return false }
    for command in commands { core.apply(command) }
    let step = core.step(mayWait: true)
    shared.state.withLock { state in
      state.snapshot.state = core.state
      state.snapshot.buffering = core.buffering
      state.titles = core.titles
      state.spooled = core.spooled
      state.snapshot.seekTargetNanoseconds =
        core.queuedSeek?.nanoseconds ?? core.seek?.nanoseconds ?? core.comingPosition?.nanoseconds
      state.snapshot.scanSpeed = core.scanSpeed
      state.snapshot.trackCount = core.feeder.items.count
      state.snapshot.repeatMode = core.feeder.repeatMode
      state.snapshot.trackStartsNanoseconds = core.trackStarts
      state.canSeek = core.canSeek
      state.comingPosition = core.comingPosition
      state.lastStartedStream = core.lastStartedStream
      state.timeline = core.timeline
      state.information = core.information
      state.decoders = core.decoders
      state.interrupter = core.interrupter
    }
    switch step {
    case .progressed: return true
    case .wait(let nanoseconds):
      shared.wakeup.wait(nanoseconds: nanoseconds)
      return true
    case .finished:
      shared.state.withLock { state in
        state.isFinished = true
        for finish in state.finishers { finish() }
        state.finishers.removeAll()
      }
      return false
    }
  }

  fileprivate static func release(_ context: UnsafeMutableRawPointer) {
    unsafe Unmanaged<FeederThread>.fromOpaque(context).release()
  }
}

/// Runs the feeder's thread: repeats the step until the player ends.
private func runFeeder(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context = unsafe context else { return nil }
  while unsafe Player.runOnce(context) {}
  unsafe Player.release(context)
  return nil
}
