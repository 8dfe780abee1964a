// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
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
    /// The stream's packets belong to this track; after a seek they begin at this time in it.
    case began(stream: UInt32, track: Int, startNanoseconds: UInt64?)
    case skipped(track: Int, byteCount: Int64, byteOffset: Int64)
    case failed(track: Int, PlayerError)
    /// What is being rendered cannot be brought to the output's new rate.
    case outputRateRefused(AudioConverterError)
    /// Every packet of the track is in the ring.
    case fed(track: Int)
  }

  /// The events of the steps since this was last emptied.
  var events: [Event] = []
  /// The end that the render thread answers through.
  var feed: SourceFeed
  private let locations: [String]
  private let configuration: ByteSourceConfiguration
  var trackIndex = -1
  let decodePlace: DecodePlace?
  private var reader: TrackReader?
  /// Decodes the reader's packets, where that is not done in the callback.
  var ahead: AheadStage?
  private var readerHasEnded = false
  private var hasToldInformation = false
  /// The front packet's stream has been begun; the packet itself is still to be written.
  var hasBegunFrontStream = false
  /// A stream of this generation is in the ring, so the next one can join it.
  var canJoin = false
  private(set) var isFinished = false

  /// - Parameter opened: the first track, when it has been opened already; `locations` are then the
  ///   tracks after it.
  /// - Parameter decodePlace: where packets are decoded; nil for the place that suits each format.
  init(
    feed: consuming SourceFeed, opened: TrackReader?, locations: [String],
    configuration: ByteSourceConfiguration, decodePlace: DecodePlace? = nil
  ) {
    self.feed = feed
    self.decodePlace = decodePlace
    self.locations = (opened.map { [$0.name] } ?? []) + locations
    self.configuration = configuration
    if let opened {
      reader = opened
      trackIndex = 0
    }
  }

  /// What ends a wait for the source from another thread.
  var interrupter: (any ByteSource)? { reader?.interrupter }

  /// Whether there is another track after the one that is being fed.
  var hasNextTrack: Bool { trackIndex + 1 < locations.count }

  /// The next event of the render thread.
  func nextRenderEvent() -> SourceEvent? { feed.nextEvent() }

  /// Drops what is being read and goes on with a track, in a new generation. The feeder is ahead of
  /// what is heard, so that may be one that it has read before.
  func skip(toTrack index: Int, generation: UInt32) {
    closeReader()
    trackIndex = index - 1
    feed.generation = generation
    canJoin = false
    isFinished = false
  }

  /// One step.
  func step(timeoutNanoseconds: UInt64) -> Step {
    feed.reclaimConverters()
    do throws(AudioConverterError) {
      try feed.followOutputRate()
    } catch {
      events.append(.outputRateRefused(error))
    }
    guard !isFinished else { return .finished }
    guard let reader else { return openNextTrack() }
    do throws(PlayerError) {
      if let ahead, ahead.packets.first != nil { return try drain(&ahead.packets, of: reader) }
      if let item = reader.output.packets.first { return try pass(item, of: reader) }
      if readerHasEnded {
        events.append(.fed(track: trackIndex))
        closeReader()
        return .progressed
      }
      defer { takeFacts(of: reader) }
      switch try reader.step(timeoutNanoseconds: timeoutNanoseconds) {
      case .progressed: return .progressed
      case .waiting: return .waitingForSource
      case .ended:
        readerHasEnded = true
        return .progressed
      }
    } catch {
      events.append(.failed(track: trackIndex, error))
      // What came before the failure is still played, unless it is what failed.
      readerHasEnded = true
      return .progressed
    }
  }

  private func openNextTrack() -> Step {
    guard hasNextTrack else {
      guard feed.endStream() else { return .waitingForRing }
      isFinished = true
      return .finished
    }
    trackIndex += 1
    do throws(PlayerError) {
      reader = try TrackReader(
        location: locations[trackIndex], configuration: configuration,
        generation: feed.generation)
      events.append(.opened(track: trackIndex))
    } catch {
      events.append(.failed(track: trackIndex, error))
    }
    return .progressed
  }

  private func closeReader() {
    reader = nil
    ahead = nil
    readerHasEnded = false
    hasToldInformation = false
    hasBegunFrontStream = false
  }

  private func takeFacts(of reader: TrackReader) {
    if !hasToldInformation, let information = reader.output.information {
      hasToldInformation = true
      events.append(.found(track: trackIndex, information))
    }
    for skipped in reader.output.skipped {
      events.append(
        .skipped(
          track: trackIndex, byteCount: skipped.byteCount, byteOffset: skipped.byteOffset))
    }
    reader.output.skipped.removeAll()
  }
}
