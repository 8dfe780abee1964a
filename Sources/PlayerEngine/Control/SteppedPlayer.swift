// SPDX-License-Identifier: MIT

public import ByteSources
public import RenderCore

/// A player without a thread: feeder, state machine and clock, moved by ``step(mayWait:)``. ``Player`` repeats the step
/// on its own thread; rendering to a file and tests call it directly.
///
/// One thread at a time, never the render thread.
public final class SteppedPlayer {
  /// The result of one step.
  public enum Step: Sendable, Equatable {
    /// Something moved: call again.
    case progressed
    /// Nothing to do for this many nanoseconds, unless a command arrives.
    case wait(nanoseconds: UInt64)
    /// Ended, failed or stopped.
    case finished
  }

  /// A command of the owner.
  public enum Command: Sendable {
    /// Fade out over 5 ms and keep the position.
    case pause
    /// Resume with the frame after the last one rendered.
    case resume
    /// Fade out and end.
    case stop
    /// Drop the current track and start the next one.
    case next
    /// Return to the start of the current track or, in its first three seconds, to the previous track.
    case previous
    /// Start the track with this index, counted from 0.
    case track(Int)
    /// Seek to a time in the current track. The old sound continues until the new position is ready.
    case seek(toNanoseconds: UInt64)
    /// Seek forward or, if negative, backward, relative to the position or to the target of a seek in progress.
    case seekBy(nanoseconds: Int64)
    /// Scan forward (2 to 64) or backward (-1 to -64) at this many times the speed; 0 and 1 end the scan.
    case scan(speed: Int)
    /// Start a scan in this direction, or double its speed. A scan in the other direction slows down, and ends at the
    /// lowest speed.
    case changeScanSpeed(forward: Bool)
    /// Play the current track from its start, unless it is standard input. During a skip the current track is the
    /// one skipped to.
    case restart
    /// Set the repeat mode.
    case setRepeat(RepeatMode)
    /// Append tracks to the list.
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
  /// The sound fades out or is silent until it continues with packets from the other decoding thread.
  var movesDecoder = false
  let configuration: PlayerConfiguration
  let feeder: Feeder
  let tell: (PlayerEvent) -> Void
  var machine = PlayerStateMachine()
  private var stopFade = StopFade()
  /// The track that is rendered.
  var startedTrack: Int?
  /// The accounts of the tracks that are not reported yet.
  var accounts = PendingAccounts()
  /// The last stream that is in the timeline.
  private(set) var lastStartedStream: UInt32 = 0
  /// The last stream that was put into the ring.
  private(set) var lastBegunStream: UInt32 = 0
  /// That stream's flush serial.
  private(set) var lastBegunFlushSerial: UInt32?
  var lastEndedStream: UInt32 = 0
  /// The output frame after that stream's last one. The event arrives before the position of its cycle.
  private(set) var lastEndFrame: UInt64 = 0
  var lastError: PlayerError?
  /// The flush serial: counts seeks and skips. The render thread drops ring entries with an older one.
  var flushSerial: UInt32 = 0
  /// The flush serial that the render thread has still to reach; nil if it has.
  private var awaitedFlushSerial: UInt32?
  /// The seek in progress in the feeder.
  var seek: SeekInFlight?
  /// The seek that the feeder had begun before `seek` replaced it, until the feeder begins `seek`.
  var replacedSeek: SeekInFlight?
  /// A seek that waits until enough sound of the last one is buffered.
  var queuedSeek: (track: Int, nanoseconds: UInt64)?
  /// The position that the first stream with this flush serial begins at, until that stream is rendered.
  var comingPosition: ComingPosition?
  /// The last request of the transport, if the player follows one.
  var transport = TransportTask()
  /// Speed of a scan as a multiple, negative for rewind; 0 for normal playback.
  var scanSpeed = 0
  /// The track that is scanned.
  var scanTrack = 0
  private(set) var lastStep = Feeder.Step.progressed
  /// An underrun has stopped the sound, and it has not restarted.
  var isRebuffering = false
  var buffering = BufferingStatus()
  var arrival = ArrivalMeter()
  /// The spooled time ranges of the track being read, in nanoseconds.
  var spooled: (track: Int, ranges: [Range<UInt64>])?
  /// Whether the current track can be sought in.
  var canSeek: (track: Int, isPossible: Bool)?
  /// Time of the last look at the source, on the monotonic clock.
  var lookedAt: UInt64 = 0

  /// Creates a player before its first track.
  ///
  /// - Parameters:
  ///   - opened: the first track if it is open already, for its format.
  ///   - items: the tracks, or those after `opened`.
  ///   - renderer: the renderer that takes the sound; retained. The source stays in it until the renderer is freed.
  ///   - configuration: buffering, decoding and resampling.
  ///   - sources: the sources' time limits and sizes.
  ///   - tell: receives each event, in order, from within ``step(mayWait:)`` and ``apply(_:)``.
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
    // The first track is shown even if the transport stands still before any sound.
    if configuration.followsTransport, !feeder.items.isEmpty {
      comingPosition = ComingPosition(track: 0, nanoseconds: 0)
    }
  }

  /// Creates a player for locations without a list's titles and durations.
  ///
  /// - Parameters:
  ///   - opened: the first track if it is open already, for its format.
  ///   - locations: the tracks, or those after `opened`: paths, `file:`, `http:` or `https:` URLs, or
  ///     `-` for standard input.
  ///   - renderer: the renderer that takes the sound; retained. The source stays in it until the renderer is freed.
  ///   - configuration: buffering, decoding and resampling.
  ///   - sources: the sources' time limits and sizes.
  ///   - tell: receives each event, in order, from within ``step(mayWait:)`` and ``apply(_:)``.
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

  /// The player's state.
  public var state: PlayerState { machine.state }

  /// The source whose `wake()` ends a wait from another thread.
  var interrupter: (any ByteSource)? { feeder.interrupter }

  /// Drops everything in the ring with an older flush serial.
  func goOver() {
    control.flushSerial = flushSerial
    awaitedFlushSerial = flushSerial
    // Streams begun before are dropped and report no end.
    lastEndedStream = max(lastEndedStream, seek?.lastStreamBefore ?? lastBegunStream)
  }

  /// Moves packets, takes the render thread's events, and updates the state.
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
    // After `settleSeek()`, so that the render thread already takes the new sound of a seek.
    feeder.feed.noteFull(atTakenEntryCount: lastStep == .waitingForRing ? taken : nil)
    settleFlushSerial()
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

  /// The longest safe wait: long while much is buffered, short during a fade, seek or scan.
  private var idleNanoseconds: UInt64 {
    if machine.isStopping || awaitedFlushSerial != nil || seek != nil || queuedSeek != nil
      || scanSpeed != 0 || movesDecoder
    {
      return 2_000_000
    }
    if control.isOutputWaiting { return 500_000 }
    if configuration.followsTransport { return Self.transportLookNanoseconds }
    // Many packets at once, with the decoder in the cache, cost less than a look for each. Half a second, or two thirds
    // of a smaller buffer, is left for delays of the feeder.
    if isQuiet {
      let buffered = bufferedNanoseconds
      let spare = buffered - min(buffered, 500_000_000)
      return min(1_000_000_000, max(5_000_000, buffered / 3, spare))
    }
    return min(100_000_000, max(5_000_000, bufferedNanoseconds / 8))
  }

  /// Whether the ring holds no start or title still to report, and the source is local: one look a second then lets the
  /// processor sleep.
  private var isQuiet: Bool {
    (machine.state == .playing || machine.state == .paused)
      && lastStartedStream == lastBegunStream && !titles.isExpecting
      && lastStep != .waitingForSource && feeder.reader?.driver.source.information.isLocal != false
  }

  private func settleFlushSerial() {
    guard let awaited = awaitedFlushSerial, control.renderedFlushSerial == awaited else { return }
    awaitedFlushSerial = nil
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
    control.holdsOutput = machine.awaitsSound
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
        lastBegunFlushSerial = feeder.feed.flushSerial
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
        if control.renderedFlushSerial == flushSerial { comingPosition = nil }
        timeline.begin(
          track: origin.track, at: event.outputFrame, startNanoseconds: origin.startNanoseconds)
        if origin.startNanoseconds == 0 { titles.beginTrack(origin.track, at: event.outputFrame) }
        // After a seek the same track continues.
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

  /// Ends the player when all is fed and the last stream has been rendered to its end: at once if no stream was begun
  /// since the last skip.
  private func finishIfDone() {
    guard feeder.isFinished, lastEndedStream == lastBegunStream, awaitedFlushSerial == nil,
      seek == nil, queuedSeek == nil
    else { return }
    if configuration.followsTransport, lastError == nil {
      // The transport may return to a track; until then an output need not wait.
      control.holdsOutput = false
      return
    }
    reportAccounts(isStop: false)
    perform(.finished(lastError))
  }
}
