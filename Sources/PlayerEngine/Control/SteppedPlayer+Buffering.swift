// SPDX-License-Identifier: MIT

internal import ByteSources
internal import RenderCore

extension SteppedPlayer {
  /// Nanoseconds of sound in the ring.
  public var bufferedNanoseconds: UInt64 { feeder.feed.bufferedNanoseconds }

  /// Whether pulling would find all that can be expected now: for an output that can wait.
  public var isBufferReady: Bool {
    lastStep == .finished || lastStep == .waitingForRing
      || upcomingNanoseconds >= threshold
  }

  /// Nanoseconds of sound in the ring that is to be heard next. The ring also holds what a skip has dropped,
  /// until the next cycle.
  private var upcomingNanoseconds: UInt64 {
    let (buffered, fed) = (bufferedNanoseconds, feeder.fedNanoseconds)
    // A seek's sound is behind that which is heard until then.
    let isAhead = feeder.feed.generation != control.generation
    return isAhead ? buffered - min(buffered, fed) : min(buffered, fed)
  }

  /// Sound that has to be there before it begins.
  var threshold: UInt64 {
    if isRebuffering { return configuration.rebufferThresholdNanoseconds }
    let wanted = configuration.startThresholdNanoseconds
    guard feeder.decodesLocalAhead else { return wanted }
    // The file is there, and a second of it is decoded in milliseconds.
    return min(wanted, feeder.isStarting ? feeder.startNanoseconds : Self.readyNanoseconds)
  }

  /// What the sound waits for while the player is opening or buffering.
  private var waitsFor: StallCause? {
    switch machine.state {
    case .opening, .buffering: cause
    case .idle, .playing, .paused, .ended, .failed: nil
    }
  }

  /// What keeps more sound from being there; nil before the first track is open.
  private var cause: StallCause? {
    feeder.stallCause(waitsForSource: lastStep == .waitingForSource)
  }

  /// The sound has stopped: counts that.
  func noteStall() -> StallCause {
    // There was sound, so there was a track.
    let cause = cause ?? .network
    buffering.stallCount += 1
    buffering.lastStallCause = cause
    return cause
  }

  /// Ten times a second is often enough for the eye.
  private static var lookNanoseconds: UInt64 { 100_000_000 }

  /// Takes in what the buffer and the source are like now.
  func lookAtBuffer() {
    buffering.bufferedNanoseconds = bufferedNanoseconds
    buffering.waitsFor = waitsFor
    let now = monotonicNanoseconds()
    let track = shownPlace.track
    // Of another track at once: a place that is saved now would else be taken for one that cannot be gone to.
    guard now >= lookedAt &+ Self.lookNanoseconds || canSeek?.track != track else { return }
    lookedAt = now
    // What is not open will be, and then tells.
    canSeek = (track, feeder.canTurnBack(inTrack: track) ?? true)
    guard let reader = feeder.reader else {
      buffering.source = nil
      return
    }
    let status = reader.driver.source.status
    buffering.source = status
    if reader.driver.source.information.isLocal {
      arrival = ArrivalMeter()
    } else {
      arrival.note(byteCount: status.receivedByteCount, at: now)
    }
    buffering.arrivalBytesPerSecond = arrival.bytesPerSecond
    spooled = (feeder.trackIndex, reader.spooledTimeRanges)
  }
}
