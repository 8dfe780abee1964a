// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import PacketParser
internal import RenderCore

/// Fills a source's packet ring from a list of tracks, one after the other, without a gap.
///
/// A step moves at most the result of one read of the source; a thread (or a test) repeats it. The feeder does not read
/// while packets wait for room in the ring. This is the back-pressure: the source's receive buffer fills, and the
/// server stops sending. Feeder thread only.
final class Feeder {
  /// The result of one step.
  enum Step: Equatable {
    /// Something moved: call again.
    case progressed
    /// No byte arrived within the time limit.
    case waitingForSource
    /// The ring has no room, or holds enough sound for now.
    case waitingForRing
    /// Every track is in the ring, with its end mark.
    case finished
  }

  /// An event of a step, for the owner to report.
  enum Event {
    case opened(track: Int)
    case found(track: Int, TrackInformation)
    /// The track's duration has changed.
    case measured(track: Int, TrackInformation)
    /// The decoder of the track's next stream.
    case chose(track: Int, DecoderChoice)
    /// A stream was put into the ring.
    case began(stream: UInt32)
    case skipped(track: Int, AudioFileStreamGap)
    case failed(track: Int, PlayerError)
    /// A seek has found its frame; the packets from there on follow into the ring.
    case sought(track: Int, TrackSeek, sampleRate: Double, isBehindEnd: Bool = false)
    /// A seek cannot be made; the feeder continues as before.
    case seekRefused(track: Int, PlayerError)
    /// The station's metadata for the sound from the packet with this mark on.
    case said(track: Int, mark: UInt32, StreamMetadata)
    /// The rendered sound cannot be resampled to the output's new rate.
    case outputRateRefused(AudioConverterError)
    /// The track's reader was closed: at its end, or for a skip or seek elsewhere.
    case closed(track: Int, TrackAccount)
    /// A closed reader reads on, for a seek.
    case reopened(track: Int)
  }

  /// The events of the steps since this was last emptied.
  var events: [Event] = []
  /// The feeder's end of the ring, which also returns the render thread's events.
  var feed: SourceFeed
  /// The tracks, in order.
  private(set) var items: [PlaylistItem]
  private let configuration: ByteSourceConfiguration
  var trackIndex = -1
  var reader: TrackReader? {
    didSet { chooseHighWater() }
  }
  /// Readers of tracks that were read to their end and may still play, oldest first.
  private var finishedReaders: [(track: Int, reader: TrackReader)] = []
  /// Finished readers that are kept: each has a buffer of its source's size.
  private static let keptReaders = 2
  /// The repeat mode.
  var repeatMode = RepeatMode.off
  /// The track to open next, if it is not the one that follows.
  private var queuedTrack: Int?
  /// Tracks in a row that could not be opened, or had no packet.
  private var fruitlessTracks = 0
  let buffering: PlayerConfiguration
  /// The feeder rests at this much buffered sound, until less than `lowWaterNanoseconds` is left.
  private(set) var highWaterNanoseconds: UInt64
  private var lowWaterNanoseconds: UInt64 {
    min(max(1, buffering.lowWaterNanoseconds), highWaterNanoseconds)
  }
  private var isResting = false
  /// The feeder's recent time by stage.
  var times = FeederTimes()
  /// The target of a seek, until the track's format is known.
  var pendingSeek: PendingSeek?
  /// A seek has been begun in the reader and has not found its frame.
  var isSeeking = false
  /// The tracks' starts on the time line of a transport.
  var trackStarts = TrackStarts()
  /// Decodes the reader's packets ahead; nil if the callback decodes them.
  var ahead: AheadStage? {
    didSet { chooseHighWater() }
  }
  /// The output of `ahead`, kept from one stream to the next.
  let aheadOutput: AheadOutput
  /// The format and decoding thread of the last stream with this flush serial.
  var lastThread: (format: AudioStreamBasicDescription, thread: DecoderThread)?
  var packetCost: PacketCost
  /// The output's period; 0 if its cycles have no deadlines.
  var periodFrames = 0
  /// The output's period in nanoseconds.
  var periodNanoseconds: UInt64 {
    UInt64(periodFrames) * 1_000_000_000 / UInt64(max(1, feed.outputRate))
  }
  var readerHasEnded = false
  /// The reader's parser has failed, so the reader cannot seek.
  private var readerIsBroken = false
  private var hasToldInformation = false
  /// The front packet's stream has been begun; the packet itself is still to be written.
  var hasBegunFrontStream = false
  /// The last mark that a packet was written with.
  var lastMark: UInt32 = 0
  /// A stream with this flush serial is in the ring, so the next one can join it.
  var canJoin = false
  var isFinished = false
  /// No sound has been rendered yet, and no skip or seek was made.
  private(set) var isStarting = true
  /// Nanoseconds of a local source's sound to decode before it starts: more than JACK's longest period, 8192 frames,
  /// also at a low rate.
  var startNanoseconds: UInt64 {
    max(300_000_000, 10_000_000_000_000 / UInt64(max(1, feed.outputRate)))
  }

  /// - Parameter opened: the first track if it is open already; `items` are then the tracks after it.
  /// - Parameter buffering: buffer sizes and the decoding thread.
  init(
    feed: consuming SourceFeed, opened: TrackReader?, items: [PlaylistItem],
    configuration: ByteSourceConfiguration, buffering: PlayerConfiguration = PlayerConfiguration()
  ) {
    self.feed = feed
    packetCost = PacketCost(quality: buffering.resamplerQuality)
    aheadOutput = AheadOutput(quality: buffering.resamplerQuality)
    self.buffering = buffering
    highWaterNanoseconds = buffering.highWaterNanoseconds
    self.items = (opened.map { [$0.item] } ?? []) + items
    self.configuration = configuration
    if let opened {
      reader = opened
      trackIndex = 0
      chooseHighWater()
    }
  }

  /// Sets the high water mark for the reader's source; between two tracks the last mark stays.
  private func chooseHighWater() {
    guard let reader else { return }
    highWaterNanoseconds = buffering.highWaterNanoseconds(
      isLocal: reader.driver.source.information.isLocal, isDecoded: ahead != nil)
  }

  /// Returns the active or kept reader of a track; nil if the track's source would have to be opened.
  private func reader(ofTrack index: Int) -> TrackReader? {
    let current = trackIndex == index ? reader : nil
    return current ?? finishedReaders.first { $0.track == index }?.reader
  }

  /// Returns whether a track's source is open and local.
  func isLocal(track index: Int) -> Bool {
    reader(ofTrack: index)?.driver.source.information.isLocal == true
  }

  /// Returns whether a track can be sought in both directions; nil if its source would have to be opened.
  func canTurnBack(inTrack index: Int) -> Bool? { reader(ofTrack: index)?.canTurnBack }

  /// The source whose `wake()` ends a wait from another thread.
  var interrupter: (any ByteSource)? { reader?.interrupter }

  /// Nanoseconds of sound written to the ring with this flush serial.
  var fedNanoseconds: UInt64 = 0

  /// The track that follows the one that is being fed.
  private var nextTrack: Int? {
    if let queuedTrack { return items.indices.contains(queuedTrack) ? queuedTrack : nil }
    switch repeatMode {
    case .off: return trackIndex + 1 < items.count ? trackIndex + 1 : nil
    case .one where trackIndex >= 0: return trackIndex
    case .one, .all: return items.isEmpty ? nil : (trackIndex + 1) % items.count
    }
  }

  /// Appends tracks to the list. A feeder that has finished continues with them.
  func append(_ more: [PlaylistItem]) {
    items.append(contentsOf: more)
    guard isFinished, nextTrack != nil else { return }
    isFinished = false
    // The end mark is in the ring, so no stream can join the last one.
    canJoin = false
  }

  /// Returns the next event of the render thread.
  func nextRenderEvent() -> SourceEvent? { feed.nextEvent() }

  /// Drops the reader and continues with a track, under a new flush serial. The feeder is ahead of the output, so it
  /// may have read that track before.
  func skip(toTrack index: Int, flushSerial: UInt32) {
    closeReader()
    for finished in finishedReaders { finished.reader.close() }
    finishedReaders.removeAll()
    queuedTrack = index
    pendingSeek = nil
    begin(flushSerial: flushSerial)
  }

  /// Starts a new flush serial: the next packet written begins a stream of its own.
  func begin(flushSerial: UInt32) {
    feed.flushSerial = flushSerial
    ahead = nil
    aheadOutput.removeAll()
    lastThread = nil
    hasBegunFrontStream = false
    canJoin = false
    isFinished = false
    fedNanoseconds = 0
    isResting = false
    fruitlessTracks = 0
    isStarting = false
  }

  /// Notes that the render thread has begun a stream.
  func noteHeard() { isStarting = false }

  /// Returns to a track whose reader is not active any more: to its kept reader, or a new one.
  ///
  /// - Returns: false if its source cannot seek back.
  func returnTo(track index: Int) -> Bool {
    if let kept = finishedReaders.first(where: { $0.track == index })?.reader {
      guard kept.canTurnBack else { return false }
      closeReader()
      finishedReaders.removeAll { $0.track == index }
      reader = kept
      trackIndex = index
      events.append(.reopened(track: index))
      readerHasEnded = true
      hasToldInformation = true
    } else {
      closeReader()
      queuedTrack = index
    }
    return true
  }

  /// Performs one step.
  func step(timeoutNanoseconds: UInt64) -> Step {
    feed.reclaimConverters()
    do throws(AudioConverterError) {
      try feed.followOutputRate()
    } catch {
      events.append(.outputRateRefused(error))
    }
    guard !isFinished || pendingSeek != nil else { return .finished }
    guard let reader else { return openNextTrack() }
    // A track that was opened before may have more packets than the ring takes.
    if !hasToldInformation { takeFacts(of: reader) }
    if rests { return .waitingForRing }
    do throws(PlayerError) {
      if pendingSeek != nil || isSeeking {
        return try stepSeek(in: reader, timeoutNanoseconds: timeoutNanoseconds)
      }
      if aheadOutput.packets.first != nil { return try drain(&aheadOutput.packets, of: reader) }
      if let item = reader.output.packets.first { return try pass(item, of: reader) }
      if readerHasEnded {
        closeReader(keepsSource: !readerIsBroken)
        return .progressed
      }
      return try step(reader, timeoutNanoseconds: timeoutNanoseconds)
    } catch {
      events.append(.failed(track: trackIndex, error))
      // Packets before the failure still play, unless they are the failure.
      readerHasEnded = true
      if case .parser = error.reason { readerIsBroken = true }
      return .progressed
    }
  }

  /// Whether the ring holds enough sound for now. Only sound with the present flush serial counts.
  var rests: Bool {
    guard pendingSeek == nil, !isSeeking else { return false }
    let held = min(feed.bufferedNanoseconds, fedNanoseconds)
    // Meanwhile the JACK server activates the output's client, which takes longer beside a busy decoder.
    if isStarting, decodesLocalAhead, held >= startNanoseconds { return true }
    if held >= highWaterNanoseconds {
      isResting = true
    } else if held < lowWaterNanoseconds || lowWaterNanoseconds == highWaterNanoseconds {
      isResting = false
    }
    return isResting
  }

  /// Returns the stage that limits the feeder; nil before the first track is open.
  ///
  /// - Parameter waitsForSource: the last step found nothing to read.
  func stallCause(waitsForSource: Bool) -> StallCause? {
    // Between two tracks, the last one's source is the cause.
    guard let reader = reader ?? finishedReaders.last?.reader else { return nil }
    let isLocal = reader.driver.source.information.isLocal
    return waitsForSource ? (isLocal ? .disk : .network) : times.cause(isLocal: isLocal)
  }

  /// Performs one step of the reader.
  func step(
    _ reader: TrackReader, timeoutNanoseconds: UInt64
  ) throws(PlayerError) -> Step {
    let (read, parsed) = (reader.driver.readNanoseconds, reader.driver.parseNanoseconds)
    defer {
      times.note(
        source: reader.driver.readNanoseconds &- read,
        parser: reader.driver.parseNanoseconds &- parsed)
      takeFacts(of: reader)
    }
    switch try reader.step(timeoutNanoseconds: timeoutNanoseconds) {
    case .progressed: return .progressed
    case .waiting: return .waitingForSource
    case .ended:
      readerHasEnded = true
      return .progressed
    }
  }

  private func openNextTrack() -> Step {
    // A repeated list without a playable track must end.
    let tries = repeatMode == .one ? 1 : items.count
    guard let next = nextTrack, queuedTrack != nil || fruitlessTracks < tries else {
      guard finishAhead(), feed.endStream() else { return .waitingForRing }
      isFinished = true
      return .finished
    }
    queuedTrack = nil
    trackIndex = next
    fruitlessTracks += 1
    do throws(PlayerError) {
      // An open source can be used only once.
      let item = items[trackIndex]
      items[trackIndex].source = nil
      reader = try TrackReader(
        item, configuration: configuration, flushSerial: feed.flushSerial)
      events.append(.opened(track: trackIndex))
    } catch {
      events.append(.failed(track: trackIndex, error))
      abandonSeek()
    }
    return .progressed
  }

  /// Counts a packet that was written to the ring.
  func didWrite(_ metadata: PacketMetadata) {
    fedNanoseconds &+= metadata.durationNanoseconds
    fruitlessTracks = 0
  }

  /// - Parameter keepsSource: the track may still play and be sought in.
  private func closeReader(keepsSource: Bool = false) {
    if let reader {
      events.append(.closed(track: trackIndex, reader.account))
      if keepsSource { finishedReaders.append((trackIndex, reader)) } else { reader.close() }
    }
    if finishedReaders.count > Self.keptReaders { finishedReaders.removeFirst().reader.close() }
    reader = nil
    ahead = nil
    isSeeking = false
    readerHasEnded = false
    readerIsBroken = false
    hasToldInformation = false
    hasBegunFrontStream = false
  }

  private func takeFacts(of reader: TrackReader) {
    if !hasToldInformation, let information = reader.information {
      hasToldInformation = true
      events.append(.found(track: trackIndex, information))
    } else if reader.output.hasNewDuration, let information = reader.information {
      events.append(.measured(track: trackIndex, information))
    }
    reader.output.hasNewDuration = false
    for skipped in reader.output.skipped {
      events.append(.skipped(track: trackIndex, skipped))
    }
    reader.output.skipped.removeAll()
  }
}
