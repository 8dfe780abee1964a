// SPDX-License-Identifier: MIT

internal import RenderCore

/// A seek that the feeder is at, while what was heard before goes on.
struct SeekInFlight {
  let generation: UInt32
  /// Where it shall lead.
  var track: Int
  var nanoseconds: UInt64
  /// The last stream that was put into the ring before it.
  let lastStreamBefore: UInt32
  /// Where it leads, when that is known.
  var result: PlayerSeek?
  /// The track has failed on the way, which has been told.
  var hasFailed = false
  /// The player itself began it, to continue at the same position. It sends no event.
  var isInternal = false
}

/// Where the sound goes on that is not heard yet.
struct ComingPlace: Equatable {
  let track: Int
  let nanoseconds: UInt64
}

extension SteppedPlayer {
  /// Sound that has to be there before the old one is given up, so that the new one does not run dry at
  /// once.
  static var readyNanoseconds: UInt64 { 500_000_000 }

  /// The place that a user means: where a seek or a skip is leading, else what is heard.
  var shownPlace: (track: Int, nanoseconds: UInt64) {
    if let queuedSeek { return queuedSeek }
    if let seek { return (seek.track, seek.nanoseconds) }
    if let comingPlace { return (comingPlace.track, comingPlace.nanoseconds) }
    return timeline.position(at: control.position.outputFrames) ?? (0, 0)
  }

  func beginSeek(byNanoseconds difference: Int64) {
    let here = shownPlace.nanoseconds
    let there =
      difference < 0
      ? here - min(here, difference.magnitude) : here + min(difference.magnitude, 1 << 60)
    beginSeek(toNanoseconds: there)
  }

  func beginSeek(toNanoseconds nanoseconds: UInt64) {
    // Beyond all tracks; from there a difference can still be added.
    let nanoseconds = min(nanoseconds, 1 << 60)
    let track = shownPlace.track
    guard feeder.items.indices.contains(track) else { return }
    if isSettling {
      queuedSeek = (track, nanoseconds)
      return
    }
    startSeek(inTrack: track, toNanoseconds: nanoseconds)
  }

  /// Has the feeder seek, instead of what it is at.
  func startSeek(inTrack track: Int, toNanoseconds nanoseconds: UInt64) {
    do throws(PlayerError) {
      try feeder.seek(
        inTrack: track, toNanoseconds: nanoseconds, generation: generation &+ 1,
        purpose: scanSpeed == 0 ? .listening : .scanning)
    } catch {
      return tellRefusal(error, inTrack: track)
    }
    // What the feeder has begun goes on if it cannot make this one.
    if let seek, seek.generation == feeder.feed.generation { replacedSeek = seek }
    generation &+= 1
    seek = SeekInFlight(
      generation: generation, track: track, nanoseconds: nanoseconds,
      lastStreamBefore: seek?.lastStreamBefore ?? lastBegunStream)
  }

  /// The feeder cannot make the seek, and goes on with what it was at before.
  func refuseSeek(_ error: PlayerError, inTrack track: Int) {
    seek = replacedSeek
    replacedSeek = nil
    generation = seek?.generation ?? control.generation
    endMove()
    tellRefusal(error, inTrack: track)
  }

  private func tellRefusal(_ error: PlayerError, inTrack track: Int) {
    // What a seek leads to has a place of its own.
    if seek == nil { control.answer(.here, to: transport.request) }
    tell(.seekFailed(index: track, error))
    // The next piece could not be had either.
    setScan(speed: 0)
  }

  /// What a seek or a skip led to is what sounds, and not much of it is there yet: were the feeder to turn
  /// elsewhere now, it would run dry.
  private var isSettling: Bool {
    machine.state == .playing && seek == nil
      && (comingPlace != nil && !isAtEnd
        || feeder.fedNanoseconds < min(readyNanoseconds, threshold) && lastStep != .finished)
  }

  /// True if a seek or a skip has led to the end, where no stream begins.
  private var isAtEnd: Bool {
    feeder.isFinished && lastBegunGeneration != feeder.feed.generation
  }

  /// Sound that has to be there before the old one is given up.
  private var readyNanoseconds: UInt64 {
    min(Self.readyNanoseconds, configuration.startThresholdNanoseconds)
  }

  /// Takes in where the feeder's seek leads.
  func take(_ found: TrackSeek, inTrack track: Int, sampleRate: Double) {
    func nanoseconds(_ frames: Int64) -> UInt64 {
      UInt64(min(Double(max(0, frames)) / sampleRate * 1_000_000_000, 0x1p60))
    }
    guard seek != nil else { return }
    let result = PlayerSeek(
      askedNanoseconds: nanoseconds(found.askedFrame),
      reachedNanoseconds: nanoseconds(found.reachedFrame), isEstimated: found.isEstimated,
      errorBoundNanoseconds: found.errorBoundFrames.map(nanoseconds))
    replacedSeek = nil
    seek?.result = result
    seek?.track = track
    seek?.nanoseconds = result.reachedNanoseconds
  }

  /// Goes over to the new place when enough of it is there, or all that can be had.
  func settleSeek() {
    if let queued = queuedSeek, !isSettling {
      queuedSeek = nil
      // In its own track: the next one may be heard by now.
      if feeder.items.indices.contains(queued.track) {
        startSeek(inTrack: queued.track, toNanoseconds: queued.nanoseconds)
      }
    }
    // If the track failed before the seek had a result, the next track plays.
    guard let seek, seek.result != nil || seek.hasFailed else { return }
    let isReady =
      feeder.fedNanoseconds >= readyNanoseconds || lastStep == .waitingForRing
      || lastStep == .finished
    guard isReady else { return }
    comingPlace = seek.result.map {
      ComingPlace(track: seek.track, nanoseconds: $0.reachedNanoseconds)
    }
    if seek.result == nil, feeder.isFinished, lastEndedStream == lastBegunStream {
      // Nothing sounds and nothing comes, so there may be no cycle that drops the former generation.
      control.generation = generation
    } else {
      goOver()
    }
    accounts.isRepositioned = true
    answerSilence()
    self.seek = nil
    endMove()
    guard !seek.hasFailed, let result = seek.result else { return }
    lastError = nil
    if seek.isInternal { return }
    tell(.sought(index: seek.track, result))
  }
}
