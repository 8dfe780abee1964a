// SPDX-License-Identifier: MIT

internal import RenderCore

/// A seek in progress in the feeder, while the old sound continues.
struct SeekInFlight {
  let flushSerial: UInt32
  /// The target: a track and a time in it.
  var track: Int
  var nanoseconds: UInt64
  /// The last stream that was put into the ring before it.
  let lastStreamBefore: UInt32
  /// The result, once known.
  var result: PlayerSeek?
  /// The track failed during the seek, and an event reported that.
  var hasFailed = false
  /// The player itself began it, to continue at the same position. It sends no event.
  var isInternal = false
}

/// The position at which the sound continues after a seek or skip, until it is rendered.
struct ComingPosition: Equatable {
  let track: Int
  let nanoseconds: UInt64
}

extension SteppedPlayer {
  /// Nanoseconds of new sound to buffer before a seek drops the old sound, so that no underrun follows at once.
  static var readyNanoseconds: UInt64 { 500_000_000 }

  /// The position that a user means: the target of a pending seek or skip, else the rendered position.
  var shownPosition: (track: Int, nanoseconds: UInt64) {
    if let queuedSeek { return queuedSeek }
    if let seek { return (seek.track, seek.nanoseconds) }
    if let comingPosition { return (comingPosition.track, comingPosition.nanoseconds) }
    return timeline.position(at: control.position.outputFrames) ?? (0, 0)
  }

  func beginSeek(byNanoseconds difference: Int64) {
    let here = shownPosition.nanoseconds
    let there =
      difference < 0
      ? here - min(here, difference.magnitude) : here + min(difference.magnitude, 1 << 60)
    beginSeek(toNanoseconds: there)
  }

  func beginSeek(toNanoseconds nanoseconds: UInt64) {
    // This lies beyond all tracks, and a difference can still be added to it.
    let nanoseconds = min(nanoseconds, 1 << 60)
    let track = shownPosition.track
    guard feeder.items.indices.contains(track) else { return }
    if isSettling {
      queuedSeek = (track, nanoseconds)
      return
    }
    startSeek(inTrack: track, toNanoseconds: nanoseconds)
  }

  /// Starts a seek in the feeder, replacing one in progress.
  func startSeek(inTrack track: Int, toNanoseconds nanoseconds: UInt64) {
    do throws(PlayerError) {
      try feeder.seek(
        inTrack: track, toNanoseconds: nanoseconds, flushSerial: flushSerial &+ 1,
        purpose: scanSpeed == 0 ? .listening : .scanning)
    } catch {
      return tellRefusal(error, inTrack: track)
    }
    // The feeder continues the seek it has begun if it cannot make this one.
    if let seek, seek.flushSerial == feeder.feed.flushSerial { replacedSeek = seek }
    flushSerial &+= 1
    seek = SeekInFlight(
      flushSerial: flushSerial, track: track, nanoseconds: nanoseconds,
      lastStreamBefore: seek?.lastStreamBefore ?? lastBegunStream)
  }

  /// Restores the seek in progress, if any, after the feeder refused a newer one.
  func refuseSeek(_ error: PlayerError, inTrack track: Int) {
    seek = replacedSeek
    replacedSeek = nil
    flushSerial = seek?.flushSerial ?? control.flushSerial
    endMove()
    tellRefusal(error, inTrack: track)
  }

  private func tellRefusal(_ error: PlayerError, inTrack track: Int) {
    // The stream of a seek in progress carries its own position on the time line.
    if seek == nil { control.answer(.here, to: transport.request) }
    tell(.seekFailed(index: track, error))
    // The scan's next seek would fail too.
    setScan(speed: 0)
  }

  /// Whether little of the new sound after a seek or skip is buffered yet: another seek now would cause an underrun.
  private var isSettling: Bool {
    machine.state == .playing && seek == nil
      && (comingPosition != nil && !isAtEnd
        || feeder.fedNanoseconds < min(readyNanoseconds, threshold) && lastStep != .finished)
  }

  /// Whether a seek or skip led to the end, where no stream begins.
  private var isAtEnd: Bool {
    feeder.isFinished && lastBegunFlushSerial != feeder.feed.flushSerial
  }

  /// Nanoseconds of new sound to buffer before the old sound is dropped; at most the start threshold.
  private var readyNanoseconds: UInt64 {
    min(Self.readyNanoseconds, configuration.startThresholdNanoseconds)
  }

  /// Stores the result of the feeder's seek.
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

  /// Changes to the new sound once enough of it is buffered, or all that there is.
  func settleSeek() {
    if let queued = queuedSeek, !isSettling {
      queuedSeek = nil
      // The queued seek keeps its track: the next one may be playing by now.
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
    comingPosition = seek.result.map {
      ComingPosition(track: seek.track, nanoseconds: $0.reachedNanoseconds)
    }
    if seek.result == nil, feeder.isFinished, lastEndedStream == lastBegunStream {
      // Nothing plays and nothing follows, so no further cycle may come to drop the old sound.
      control.flushSerial = flushSerial
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
