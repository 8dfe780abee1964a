// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import PacketParser
internal import RenderCore

/// Fills a source's packet ring from a list of tracks, one after the other, without a gap.
///
/// A step moves at most what one read of the source gave; a thread (or a test) repeats it. Nothing is
/// read while packets wait for room in the ring, which is the back-pressure: the source's receive
/// buffer fills, and the server is made to wait. Feeder thread only.
final class Feeder {
  /// What one step did.
  enum Step: Equatable {
    /// Something moved: call again.
    case progressed
    /// The source gave no byte in the time given.
    case waitingForSource
    /// The ring has no room.
    case waitingForRing
    /// Every track is in the ring, with the mark of its end.
    case finished
  }

  /// What happened in a step, to be told by the owner.
  enum Event {
    case opened(track: Int)
    case found(track: Int, TrackInformation)
    /// What is known of the track has another duration.
    case measured(track: Int, TrackInformation)
    /// The decoder of the track's next stream.
    case chose(track: Int, DecoderChoice)
    /// A stream was put into the ring.
    case began(stream: UInt32)
    case skipped(track: Int, AudioFileStreamGap)
    case failed(track: Int, PlayerError)
    /// A seek has found its frame, and what follows it is on its way into the ring.
    case sought(track: Int, TrackSeek, sampleRate: Double, isBehindEnd: Bool = false)
    /// A seek cannot be made; everything goes on as it was.
    case seekRefused(track: Int, PlayerError)
    /// A packet that was written with this mark begins what the station says this of.
    case said(track: Int, mark: UInt32, StreamMetadata)
    /// What is being rendered cannot be brought to the output's new rate.
    case outputRateRefused(AudioConverterError)
    /// The track's reader was closed: at its end, or because another place is wanted.
    case closed(track: Int, TrackAccount)
    /// A reader that was closed reads on, for a seek.
    case reopened(track: Int)
  }

  /// The events of the steps since this was last emptied.
  var events: [Event] = []
  /// The end that the render thread answers through.
  var feed: SourceFeed
  /// The tracks, in order.
  private(set) var items: [PlaylistItem]
  private let configuration: ByteSourceConfiguration
  var trackIndex = -1
  var reader: TrackReader? {
    didSet { chooseHighWater() }
  }
  /// Readers of tracks that were read to their end and may still be heard, oldest first.
  private var finishedReaders: [(track: Int, reader: TrackReader)] = []
  /// Finished readers that are kept: each has a buffer of its source's size.
  private static let keptReaders = 2
  /// What follows when a track has been read to its end.
  var repeatMode = RepeatMode.off
  /// The track to open next, where that is not the one that follows.
  private var queuedTrack: Int?
  /// Tracks in a row that could not be opened, or had no packet.
  private var fruitlessTracks = 0
  let buffering: PlayerConfiguration
  /// With so much sound in the ring the feeder rests, until there is less than the second.
  private(set) var highWaterNanoseconds: UInt64
  private var lowWaterNanoseconds: UInt64 {
    min(max(1, buffering.lowWaterNanoseconds), highWaterNanoseconds)
  }
  private var isResting = false
  /// Where its time went.
  var times = FeederTimes()
  /// Where a seek shall lead, until the track's format is known.
  var wantedPlace: WantedPlace?
  /// A seek has been begun in the reader and has not found its frame.
  var isSeeking = false
  /// Where the tracks begin on the time line of a transport.
  var trackStarts = TrackStarts()
  /// Decodes the reader's packets, where that is not done in the callback.
  var ahead: AheadStage? {
    didSet { chooseHighWater() }
  }
  /// Where what it decodes goes: from one stream to the next.
  let aheadOutput: AheadOutput
  /// The format of this generation's last stream, and where it is decoded.
  var lastPlace: (format: AudioStreamBasicDescription, place: DecodePlace)?
  var packetCost: PacketCost
  /// The output's period; 0 if its cycles have no deadlines.
  var periodFrames = 0
  /// The same in nanoseconds.
  var periodNanoseconds: UInt64 {
    UInt64(periodFrames) * 1_000_000_000 / UInt64(max(1, feed.outputRate))
  }
  var readerHasEnded = false
  /// The reader's parser has failed: it cannot be turned to another place.
  private var readerIsBroken = false
  private var hasToldInformation = false
  /// The front packet's stream has been begun; the packet itself is still to be written.
  var hasBegunFrontStream = false
  /// The last mark that a packet was written with.
  var lastMark: UInt32 = 0
  /// A stream of this generation is in the ring, so the next one can join it.
  var canJoin = false
  var isFinished = false
  /// Nothing has been heard yet, and nothing else was wanted.
  private(set) var isStarting = true
  /// Nanoseconds of a local source's sound that are decoded before the first of it is heard: more than the
  /// longest of JACK's periods takes, 8192 frames, also at a low rate.
  var startNanoseconds: UInt64 {
    max(300_000_000, 10_000_000_000_000 / UInt64(max(1, feed.outputRate)))
  }

  /// - Parameter opened: the first track, when it has been opened already; `items` are then the tracks
  ///   after it.
  /// - Parameter buffering: how much is held ahead, and where packets are decoded.
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

  /// Sets the high water mark for what is being read; between two tracks the last one's holds.
  private func chooseHighWater() {
    guard let reader else { return }
    highWaterNanoseconds = buffering.highWaterNanoseconds(
      isLocal: reader.driver.source.information.isLocal, isDecoded: ahead != nil)
  }

  /// The reader of a track, at work or kept; nil if the track's source would have to be opened.
  private func reader(ofTrack index: Int) -> TrackReader? {
    let current = trackIndex == index ? reader : nil
    return current ?? finishedReaders.first { $0.track == index }?.reader
  }

  /// Returns true if a track's source is open and on this machine.
  func isLocal(track index: Int) -> Bool {
    reader(ofTrack: index)?.driver.source.information.isLocal == true
  }

  /// Returns whether a track can be sought in both directions; nil if its source would have to be opened.
  func canTurnBack(inTrack index: Int) -> Bool? { reader(ofTrack: index)?.canTurnBack }

  /// What ends a wait for the source from another thread.
  var interrupter: (any ByteSource)? { reader?.interrupter }

  /// Nanoseconds of sound written to the ring in this generation.
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

  /// Adds tracks behind the others. What has come to its end goes on with them.
  func append(_ more: [PlaylistItem]) {
    items.append(contentsOf: more)
    guard isFinished, nextTrack != nil else { return }
    isFinished = false
    // The mark of the end is in the ring: nothing joins what was before it.
    canJoin = false
  }

  /// The next event of the render thread.
  func nextRenderEvent() -> SourceEvent? { feed.nextEvent() }

  /// Drops what is being read and goes on with a track, in a new generation. The feeder is ahead of
  /// what is heard, so that may be one that it has read before.
  func skip(toTrack index: Int, generation: UInt32) {
    closeReader()
    for finished in finishedReaders { finished.reader.close() }
    finishedReaders.removeAll()
    queuedTrack = index
    wantedPlace = nil
    begin(generation: generation)
  }

  /// What is written from now on is of another generation and begins with a stream of its own.
  func begin(generation: UInt32) {
    feed.generation = generation
    ahead = nil
    aheadOutput.removeAll()
    lastPlace = nil
    hasBegunFrontStream = false
    canJoin = false
    isFinished = false
    fedNanoseconds = 0
    isResting = false
    fruitlessTracks = 0
    isStarting = false
  }

  /// What was written is being heard.
  func noteHeard() { isStarting = false }

  /// Goes back to a track whose reader is not at work any more: to its kept reader, or a new one.
  ///
  /// - Returns: false when its source cannot be turned back.
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

  /// One step.
  func step(timeoutNanoseconds: UInt64) -> Step {
    feed.reclaimConverters()
    do throws(AudioConverterError) {
      try feed.followOutputRate()
    } catch {
      events.append(.outputRateRefused(error))
    }
    guard !isFinished || wantedPlace != nil else { return .finished }
    guard let reader else { return openNextTrack() }
    // A track that was opened before may have more packets than the ring takes.
    if !hasToldInformation { takeFacts(of: reader) }
    if rests { return .waitingForRing }
    do throws(PlayerError) {
      if wantedPlace != nil || isSeeking {
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
      // What came before the failure is still played, unless it is what failed.
      readerHasEnded = true
      if case .parser = error.reason { readerIsBroken = true }
      return .progressed
    }
  }

  /// Whether there is sound enough for now. Not of a generation that has only begun.
  var rests: Bool {
    guard wantedPlace == nil, !isSeeking else { return false }
    let held = min(feed.bufferedNanoseconds, fedNanoseconds)
    // Meanwhile a server makes the output's client active, which takes longer beside a decoder at work.
    if isStarting, decodesLocalAhead, held >= startNanoseconds { return true }
    if held >= highWaterNanoseconds {
      isResting = true
    } else if held < lowWaterNanoseconds || lowWaterNanoseconds == highWaterNanoseconds {
      isResting = false
    }
    return isResting
  }

  /// What keeps the feeder from having more sound ready; nil before the first track is open.
  ///
  /// - Parameter waitsForSource: the last step found nothing to read.
  func stallCause(waitsForSource: Bool) -> StallCause? {
    // Between two tracks it is the last one's source that has led to this.
    guard let reader = reader ?? finishedReaders.last?.reader else { return nil }
    let isLocal = reader.driver.source.information.isLocal
    return waitsForSource ? (isLocal ? .disk : .network) : times.cause(isLocal: isLocal)
  }

  /// Has the reader read on.
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
    // A list that is repeated and has nothing in it to hear must end.
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
      // An open source serves once.
      let item = items[trackIndex]
      items[trackIndex].source = nil
      reader = try TrackReader(
        item, configuration: configuration, generation: feed.generation)
      events.append(.opened(track: trackIndex))
    } catch {
      events.append(.failed(track: trackIndex, error))
      abandonSeek()
    }
    return .progressed
  }

  /// A packet is in the ring.
  func didWrite(_ history: PacketHistory) {
    fedNanoseconds &+= history.durationNanoseconds
    fruitlessTracks = 0
  }

  /// - Parameter keepsSource: the track may still be heard, and sought in.
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
