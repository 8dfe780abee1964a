// SPDX-License-Identifier: MIT

public import ByteSources
public import RenderCore

/// A player without a thread: feeder, state machine and clock, moved by ``step(mayWait:)``. ``Player``
/// repeats the step on a thread of its own; rendering to a file and tests call it themselves.
///
/// One thread at a time, which is not the render thread.
public final class SteppedPlayer {
  /// What one step did.
  public enum Step: Sendable, Equatable {
    /// Something moved: call again.
    case progressed
    /// Nothing to do for so many nanoseconds, unless a command comes.
    case wait(nanoseconds: UInt64)
    /// Ended, failed or stopped.
    case finished
  }

  /// What an owner may ask for.
  public enum Command: Sendable {
    /// Fade out over 5 ms and keep the place.
    case pause
    /// Go on with the frame after the last one heard.
    case resume
    /// Fade out and end.
    case stop
    /// Drop the track that is heard and go on with the next one.
    case next
    /// Go back to the start of the track that is heard, or, in its first three seconds, to the track
    /// before it.
    case previous
    /// Go on with the start of this track, counted from 0.
    case track(Int)
    /// Go on at a time in the track that is heard. What is heard goes on until that is ready.
    case seek(toNanoseconds: UInt64)
    /// Go on so much later, or earlier, than what is heard, or than where a seek is leading.
    case seekBy(nanoseconds: Int64)
    /// Fast forward (2 to 64), or rewind (-1 to -64): how many times as fast; 0 and 1 end it.
    case scan(speed: Int)
    /// Scan in this direction, or faster in it. A scan in the other direction gets slower, and ends at the
    /// slowest speed.
    case changeScanSpeed(forward: Bool)
    /// Play the current track from its start, unless it is standard input. During a skip the current track is the
    /// one skipped to.
    case restart
    /// What follows when a track has been played to its end.
    case setRepeat(RepeatMode)
    /// Add tracks behind the others.
    case append([PlaylistItem])
  }

  /// The render side's control: position, counters, volume.
  public let control: SourceControl
  private(set) var timeline: StreamTimeline
  private(set) var titles = TitleTimeline()
  private(set) var information: [Int: TrackInformation] = [:]
  /// The decoder of each track's last prepared stream.
  var decoders: [Int: DecoderChoice] = [:]
  /// Its context has the output's period.
  let renderer: Renderer
  /// The sound fades out or is silent, and continues with packets that are decoded elsewhere.
  var movesDecoder = false
  let configuration: PlayerConfiguration
  let feeder: Feeder
  let tell: (PlayerEvent) -> Void
  var machine = PlayerStateMachine()
  private var stopFade = StopFade()
  /// The track that is rendered.
  var startedTrack: Int?
  /// What became of the sound of the tracks that are not reported yet.
  var accounts = PendingAccounts()
  /// The last stream that is in the timeline.
  private(set) var lastStartedStream: UInt32 = 0
  /// The last stream that was put into the ring.
  private(set) var lastBegunStream: UInt32 = 0
  /// Its generation.
  private(set) var lastBegunGeneration: UInt32?
  var lastEndedStream: UInt32 = 0
  /// The output's frame after that stream's last one. The event is there before the position of its cycle.
  private(set) var lastEndFrame: UInt64 = 0
  var lastError: PlayerError?
  var generation: UInt32 = 0
  /// A generation that the render thread has still to go over to.
  private var awaitedGeneration: UInt32?
  /// A seek that the feeder is at.
  var seek: SeekInFlight?
  /// The one that the feeder had begun when that took its place, until that is begun.
  var replacedSeek: SeekInFlight?
  /// A seek that waits until what the last one led to is safe.
  var queuedSeek: (track: Int, nanoseconds: UInt64)?
  /// The place that the first stream of this generation begins at, until that stream is heard.
  var comingPlace: ComingPlace?
  /// Where the transport wants it, if it follows one.
  var transport = TransportTask()
  /// How many times as fast the track goes by, backwards when negative; 0 when it just plays.
  var scanSpeed = 0
  /// The track that it is done in.
  var scanTrack = 0
  private(set) var lastStep = Feeder.Step.progressed
  /// The sound has stopped for want of more and has not begun again.
  var isRebuffering = false
  var buffering = BufferingStatus()
  var arrival = ArrivalMeter()
  /// What of the track that is being read can be had without asking a server, in nanoseconds.
  var spooled: (track: Int, ranges: [Range<UInt64>])?
  /// Whether the heard track can be sought in.
  var canSeek: (track: Int, isPossible: Bool)?
  /// When that was looked at last.
  var lookedAt: UInt64 = 0

  /// A player that stands before its first track.
  ///
  /// - Parameters:
  ///   - opened: the first track, when it has been opened already to learn its format.
  ///   - items: the tracks, or those after `opened`.
  ///   - renderer: where it renders to, and kept alive by this. Its source stays there until the renderer goes.
  ///   - configuration: how it buffers.
  ///   - sources: how sources behave: time limits and sizes.
  ///   - tell: is told what happens, in order, from within ``step(mayWait:)`` and ``apply(_:)``.
  public init(
    opened: TrackReader? = nil, items: [PlaylistItem], renderer: Renderer,
    configuration: PlayerConfiguration = PlayerConfiguration(),
    sources: ByteSourceConfiguration = ByteSourceConfiguration(),
    tell: @escaping (PlayerEvent) -> Void
  ) {
    let source = renderer.addSource(
      ringBytes: configuration.ringBytes, ringPackets: configuration.ringPackets,
      fadesAtUnderrun: true, resamplerQuality: configuration.resamplerQuality)
    control = source.control
    control.followsTransport = configuration.followsTransport
    feeder = Feeder(
      feed: source.feed, opened: opened, items: items, configuration: sources,
      buffering: configuration)
    self.configuration = configuration
    self.renderer = renderer
    self.tell = tell
    timeline = StreamTimeline(outputRate: renderer.sampleRate)
    // Where a transport stands before anything was heard, the first track is shown all the same.
    if configuration.followsTransport, !feeder.items.isEmpty {
      comingPlace = ComingPlace(track: 0, nanoseconds: 0)
    }
  }

  /// A player of what lists say nothing of.
  ///
  /// - Parameters:
  ///   - opened: the first track, when it has been opened already to learn its format.
  ///   - locations: the tracks, or those after `opened`: paths, `file:`, `http:` or `https:` URLs, or
  ///     `-` for standard input.
  ///   - renderer: where it renders to, and kept alive by this. Its source stays there until the renderer goes.
  ///   - configuration: how it buffers.
  ///   - sources: how sources behave: time limits and sizes.
  ///   - tell: is told what happens, in order, from within ``step(mayWait:)`` and ``apply(_:)``.
  public convenience init(
    opened: TrackReader? = nil, locations: [String], renderer: Renderer,
    configuration: PlayerConfiguration = PlayerConfiguration(),
    sources: ByteSourceConfiguration = ByteSourceConfiguration(),
    tell: @escaping (PlayerEvent) -> Void
  ) {
    self.init(
      opened: opened, items: locations.map { PlaylistItem(location: $0) }, renderer: renderer,
      configuration: configuration, sources: sources, tell: tell)
  }

  /// What the player is doing.
  public var state: PlayerState { machine.state }

  /// What ends a wait for the source from another thread.
  var interrupter: (any ByteSource)? { feeder.interrupter }

  /// Has the render side drop everything of older generations.
  func goOver() {
    control.generation = generation
    awaitedGeneration = generation
    // Whatever was begun before is dropped, and will not tell of its end.
    lastEndedStream = max(lastEndedStream, seek?.lastStreamBefore ?? lastBegunStream)
  }

  /// Moves packets, takes in what the render thread told, and changes the state accordingly.
  ///
  /// - Parameter mayWait: whether it may wait for the source, for a time that fits the state.
  public func step(mayWait: Bool) -> Step {
    if machine.state == .idle && !machine.isStopping { perform(.open) }
    takeRenderEvents()
    if machine.isStopping, stopFade.isOver(control, in: renderer) {
      reportAccounts(isStop: true)
      perform(.faded)
    }
    if isOver { return .finished }
    followTransport()
    followPeriod()
    let taken = feeder.feed.takenEntryCount
    lastStep = feeder.step(timeoutNanoseconds: mayWait ? idleNanoseconds : 0)
    takeFeederEvents()
    takeRenderEvents()
    settleSeek()
    // What a seek has led to is wanted by now.
    feeder.feed.noteFull(atTakenEntryCount: lastStep == .waitingForRing ? taken : nil)
    settleGeneration()
    stepScan()
    if machine.state == .buffering, isBufferReady {
      isRebuffering = false
      perform(.bufferReady)
    }
    lookAtBuffer()
    if isOver { return .finished }
    switch lastStep {
    case .progressed: return .progressed
    case .waitingForSource: return mayWait ? .progressed : .wait(nanoseconds: idleNanoseconds)
    case .waitingForRing, .finished: return .wait(nanoseconds: idleNanoseconds)
    }
  }

  private var isOver: Bool {
    switch machine.state {
    case .ended, .failed: true
    case .idle: !machine.isStopping
    case .opening, .buffering, .playing, .paused: false
    }
  }

  /// How long nothing can be missed: an underrun is far away while much is buffered, and a fade or a
  /// coming end is looked at more often.
  private var idleNanoseconds: UInt64 {
    if machine.isStopping || awaitedGeneration != nil || seek != nil || queuedSeek != nil
      || scanSpeed != 0 || movesDecoder
    {
      return 2_000_000
    }
    if control.isWaitedFor { return 500_000 }
    if configuration.followsTransport { return Self.transportLookNanoseconds }
    // Many packets at once, with a decoder that is in the cache, take less than as many looks.
    // Half a second, or two thirds of less, is kept for what may hold up the feeder.
    if isQuiet {
      let buffered = bufferedNanoseconds
      let spare = buffered - min(buffered, 500_000_000)
      return min(1_000_000_000, max(5_000_000, buffered / 3, spare))
    }
    return min(100_000_000, max(5_000_000, bufferedNanoseconds / 8))
  }

  /// Nothing is in the ring whose turn is to be told when it comes, and nothing of the source changes by
  /// itself: an eye on it once a second keeps the processor asleep in between.
  private var isQuiet: Bool {
    (machine.state == .playing || machine.state == .paused)
      && lastStartedStream == lastBegunStream && !titles.isExpecting
      && lastStep != .waitingForSource && feeder.reader?.driver.source.information.isLocal != false
  }

  private func settleGeneration() {
    guard let awaited = awaitedGeneration, control.renderedGeneration == awaited else { return }
    awaitedGeneration = nil
    if machine.state != .playing { control.mode = .hold }
  }

  func perform(_ input: PlayerStateMachine.Input) {
    for action in machine.handle(input) {
      switch action {
      case .hold: control.mode = .hold
      case .fade: control.mode = .pause
      case .dropThenHold: control.mode = .holdAfterReset
      case .play:
        control.acknowledgeUnderruns()
        control.mode = .play
      case .tell(let state): tell(.state(state))
      }
    }
    control.isAwaited = machine.awaitsSound
  }

  func takeFeederEvents() {
    for event in feeder.events {
      switch event {
      case .opened: break
      case .closed(let track, let account): accounts.close(account, of: track)
      case .reopened(let track): accounts.reopen(track)
      case .found(let track, let found):
        lastError = nil
        information[track] = found
        tell(.track(index: track, found))
        perform(.formatKnown)
      case .measured(let track, let found): information[track] = found
      case .chose(let track, let choice): decoders[track] = choice
      case .began(let stream):
        lastBegunStream = stream
        lastBegunGeneration = feeder.feed.generation
      case .said(let track, let mark, let metadata):
        titles.expect(metadata, mark: mark, track: track)
      case .sought(let track, let found, let sampleRate, let isBehindEnd):
        take(found, inTrack: track, sampleRate: sampleRate)
        if isBehindEnd { followBehind(track: track) }
      case .seekRefused(let track, let error): refuseSeek(error, inTrack: track)
      case .skipped(let track, let gap): tell(.skipped(index: track, gap))
      case .failed(let track, let error):
        lastError = error
        seek?.hasFailed = true
        followFailure(ofTrack: track)
        tell(.failed(index: track, error))
      case .outputRateRefused(let error):
        let track = timeline.position(at: control.position.outputFrames)?.track ?? 0
        let name = information[track]?.location ?? ""
        tell(.failed(index: track, PlayerError(location: name, reason: .converter(error))))
        apply(.next)
      }
    }
    feeder.events.removeAll(keepingCapacity: true)
    finishIfDone()
  }

  private func takeRenderEvents() {
    while let event = feeder.nextRenderEvent() {
      switch event.kind {
      case .streamStarted(let origin):
        feeder.noteHeard()
        lastStartedStream = event.streamID
        noteStart(ofTrack: origin.track, at: event.outputFrame)
        if control.renderedGeneration == generation { comingPlace = nil }
        timeline.begin(
          track: origin.track, at: event.outputFrame, startNanoseconds: origin.startNanoseconds)
        if origin.startNanoseconds == 0 { titles.beginTrack(origin.track, at: event.outputFrame) }
        // After a seek the track goes on.
        if origin.startNanoseconds == 0 || origin.track != startedTrack {
          reportAccount(ofTrack: startedTrack, at: event.outputFrame)
          accounts.begin(stream: event.streamID)
          tell(.started(index: origin.track))
        }
        startedTrack = origin.track
      case .streamEnded:
        lastEndedStream = max(lastEndedStream, event.streamID)
        lastEndFrame = max(lastEndFrame, event.outputFrame)
      case .underrun:
        isRebuffering = true
        tell(.underrun(noteStall()))
        perform(.underrun)
      case .packetMarked(let mark):
        if let (track, title) = titles.begin(mark: mark, at: event.outputFrame) {
          tell(.streamTitle(index: track, title))
        }
      case .packetFailed(let packet, let byteOffset):
        let track = timeline.position(at: event.outputFrame)?.track ?? 0
        accounts.addUndecodable(at: byteOffset)
        tell(.packetFailed(index: track, packet: packet, byteOffset: byteOffset))
      case .outputRateChanged(let hertz, let dropped):
        accounts.changeRate(from: timeline.outputRate, at: event.outputFrame)
        titles.follow(
          OutputRateChange(
            frame: event.outputFrame, from: timeline.outputRate, to: Double(hertz),
            droppedNanoseconds: dropped))
        timeline.changeRate(
          to: Double(hertz), at: event.outputFrame, droppedNanoseconds: dropped)
        tell(.outputRateChanged(hertz: hertz))
      }
    }
    finishIfDone()
  }

  /// Everything is over when all is fed and the last stream has been rendered to its end; when no
  /// stream was begun since the last skip, that is at once.
  private func finishIfDone() {
    guard feeder.isFinished, lastEndedStream == lastBegunStream, awaitedGeneration == nil,
      seek == nil, queuedSeek == nil
    else { return }
    if configuration.followsTransport, lastError == nil {
      // The transport may lead back; until then there is nothing to wait for.
      control.isAwaited = false
      return
    }
    reportAccounts(isStop: false)
    perform(.finished(lastError))
  }
}
