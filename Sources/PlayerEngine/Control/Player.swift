// SPDX-License-Identifier: MIT

public import ByteSources
internal import Glibc
public import RenderCore

/// Plays files and URLs into a renderer, one after the other and without a gap between them where
/// rate and channel count stay the same.
///
/// Life cycle: make it with the renderer of the output; ``start()``; ``pause()``, ``resume()``,
/// ``next()``, ``stop()`` as wanted; it ends by itself; let go of it, which takes its source off the
/// renderer. It has one thread of its own, the feeder, which reads, parses and fills the packet ring;
/// the render thread is the output's.
///
/// Every method may be called from any thread but the render thread, and returns at once.
public final class Player: Sendable {
  private struct Shared: ~Copyable {
    var commands: [SteppedPlayer.Command] = []
    var snapshot = PlayerSnapshot()
    var timeline: StreamTimeline
    var information: [Int: TrackInformation] = [:]
    var decoders: [Int: DecoderChoice] = [:]
    var comingPlace: ComingPlace?
    var titles = TitleTimeline()
    var spooled: (track: Int, ranges: [Range<UInt64>])?
    var canSeek: (track: Int, isPossible: Bool)?
    /// The last stream that the timeline knows.
    var lastStartedStream: UInt32 = 0
    var interrupter: (any ByteSource)?
    var listeners: [@Sendable (PlayerEvent) -> Void] = []
    /// End the streams of events.
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
    /// Protects everything in it. Never taken by the render thread.
    let state: GuardedState<Shared>
    let wakeup = Wakeup()

    init(timeline: StreamTimeline) {
      state = GuardedState(Shared(timeline: timeline))
    }

    func tell(_ event: PlayerEvent) {
      let listeners = state.withLock { $0.listeners }
      for listen in listeners { listen(event) }
    }
  }

  /// What the feeder's thread runs on. Handed to it once; nobody else touches the core after that.
  private final class FeederThread: @unchecked Sendable {
    let core: SteppedPlayer
    let shared: SharedState

    init(core: SteppedPlayer, shared: SharedState) {
      self.core = core
      self.shared = shared
    }
  }

  /// A player that has not been started.
  ///
  /// - Parameters:
  ///   - opened: the first track, when it has been opened already to learn at once what stands in the
  ///     way; `items` are then the tracks after it.
  ///   - items: the tracks, in order.
  ///   - renderer: where it renders to. Kept alive by this.
  ///   - configuration: how it buffers.
  ///   - sources: how sources behave: time limits and sizes.
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

  /// A player that has not been started, of what lists say nothing of.
  ///
  /// - Parameters:
  ///   - opened: the first track, when it has been opened already to learn at once what stands in the
  ///     way; `locations` are then the tracks after it.
  ///   - locations: paths, `file:`, `http:` or `https:` URLs, or `-` for standard input, in order.
  ///   - renderer: where it renders to. Kept alive by this.
  ///   - configuration: how it buffers.
  ///   - sources: how sources behave: time limits and sizes.
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

  /// What happens from now on, in order. Each call gives a stream of its own, which ends when the
  /// player has ended. A reader that falls 1,024 events behind loses the oldest.
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

  /// Has what happens from now on told, in order, without a task that waits for it. Each call adds a listener,
  /// which lives as long as the player.
  ///
  /// - Parameter listen: is called on the player's own thread, which waits for it: it must be brief, and must
  ///   not keep the player.
  public func tellEvents(to listen: @escaping @Sendable (PlayerEvent) -> Void) {
    shared.state.withLock { $0.listeners.append(listen) }
  }

  /// Begins with the first track. A second call does nothing.
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

  /// Gain of the sound, 1 is as decoded. A change is spread over 5 ms.
  public var volume: Float {
    get { control.volume }
    set { control.volume = newValue }
  }

  /// Tells the renderer and the player that the output runs at another rate now. The sound goes on with
  /// the frame that follows the last one given; ``PlayerEvent/outputRateChanged(hertz:)`` follows.
  ///
  /// - Parameter hertz: the rate, one of `Renderer.sampleRates`.
  public func follow(outputRate hertz: Double) {
    renderer.sampleRate = hertz
    shared.wakeup.ring()
  }

  /// The player now.
  ///
  /// - Parameter latencyFrames: frames that the output has taken but not yet made heard: JACK's
  ///   playback latency of the port. The position is earlier by as many, and by the latency of the renderer's graph.
  public func snapshot(latencyFrames: UInt64 = 0) -> PlayerSnapshot {
    let latencyFrames = latencyFrames + UInt64(renderer.graph.latencyFrames)
    let position = control.position
    let counters = control.counters
    let isSettled = control.renderedGeneration == control.generation
    let outputNanoseconds = renderer.elapsedNanoseconds
    let nonFiniteSamples = renderer.nonFiniteSampleCount
    return shared.state.withLock { shared in
      var snapshot = shared.snapshot
      snapshot.counters = counters
      snapshot.nonFiniteSamples = nonFiniteSamples
      snapshot.trailingSilentFrames = position.trailingSilentFrames
      // Silence at the end of what was rendered has pushed that much sound out already.
      let held = latencyFrames - min(latencyFrames, position.trailingSilentFrames)
      let heard = position.outputFrames - min(position.outputFrames, held)
      var timeline = shared.timeline
      // The sound has gone over to another rate, and the feeder has not heard of it yet.
      let rate = position.rateChange
      if rate.hertz > 0, Double(rate.hertz) != timeline.outputRate {
        timeline.changeRate(
          to: Double(rate.hertz), at: rate.outputFrame, droppedNanoseconds: rate.droppedNanoseconds)
      }
      // It has begun, and the feeder has not heard of it yet.
      let isNew = position.streamID > shared.lastStartedStream
      if isNew {
        timeline.begin(
          track: position.streamOrigin.track, at: position.streamStartFrame,
          startNanoseconds: position.streamOrigin.startNanoseconds)
      }
      // What was sought is rendered, and the feeder, which looks ten times a second, has not heard of it yet.
      if isNew, isSettled { snapshot.seekTargetNanoseconds = nil }
      var place = timeline.position(at: heard)
      // The old sound is gone, and the new one has not begun.
      if let coming = shared.comingPlace, isSettled, !isNew,
        position.trailingSilentFrames >= latencyFrames
      {
        place = (coming.track, coming.nanoseconds)
      }
      if let place {
        snapshot.trackIndex = place.track
        snapshot.positionNanoseconds = place.nanoseconds
        snapshot.track = shared.information[place.track]
        snapshot.decoder = shared.decoders[place.track]
        snapshot.streamTitle = shared.titles.title(at: heard, track: place.track)
        snapshot.bufferedRanges = bufferedRanges(
          from: place.nanoseconds, buffered: snapshot.buffering.bufferedNanoseconds,
          spooled: shared.spooled?.track == place.track ? shared.spooled?.ranges ?? [] : [],
          duration: snapshot.track?.durationNanoseconds)
        if let canSeek = shared.canSeek, canSeek.track == place.track {
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

  /// One round of the feeder's thread.
  ///
  /// - Returns: whether there is another.
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
        core.queuedSeek?.nanoseconds ?? core.seek?.nanoseconds ?? core.comingPlace?.nanoseconds
      state.snapshot.scanSpeed = core.scanSpeed
      state.snapshot.trackCount = core.feeder.items.count
      state.snapshot.repeatMode = core.feeder.repeatMode
      state.snapshot.trackStartsNanoseconds = core.trackStarts
      state.canSeek = core.canSeek
      state.comingPlace = core.comingPlace
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

/// The feeder's thread: repeats the step.
private func runFeeder(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context = unsafe context else { return nil }
  while unsafe Player.runOnce(context) {}
  unsafe Player.release(context)
  return nil
}
