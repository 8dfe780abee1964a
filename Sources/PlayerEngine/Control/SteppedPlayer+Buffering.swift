// SPDX-License-Identifier: MIT

internal import ByteSources
internal import RenderCore

extension SteppedPlayer {
  /// Nanoseconds of sound in the ring.
  public var bufferedNanoseconds: UInt64 { feeder.feed.bufferedNanoseconds }

  /// Whether the ring holds the threshold, all input, or all that it takes: for an output that can wait.
  public var isBufferReady: Bool {
    lastStep == .finished || lastStep == .waitingForRing
      || upcomingNanoseconds >= threshold
  }

  /// Nanoseconds of sound in the ring that plays next. Sound that a skip dropped stays in the ring until the next
  /// cycle.
  private var upcomingNanoseconds: UInt64 {
    let (buffered, fed) = (bufferedNanoseconds, feeder.fedNanoseconds)
    // The sound of a seek in progress lies behind the old sound.
    let isAhead = feeder.feed.flushSerial != control.flushSerial
    return isAhead ? buffered - min(buffered, fed) : min(buffered, fed)
  }

  /// Nanoseconds of sound to buffer before it starts.
  var threshold: UInt64 {
    if isRebuffering { return configuration.rebufferThresholdNanoseconds }
    let wanted = configuration.startThresholdNanoseconds
    guard feeder.decodesLocalAhead else { return wanted }
    // The file is local, and a second of it takes milliseconds to decode.
    return min(wanted, feeder.isStarting ? feeder.startNanoseconds : Self.readyNanoseconds)
  }

  /// The cause of the wait while the player is opening or buffering.
  private var waitsFor: StallCause? {
    switch machine.state {
    case .opening, .buffering: cause
    case .idle, .playing, .paused, .ended, .failed: nil
    }
  }

  /// The stage that limits the buffered sound; nil before the first track is open.
  private var cause: StallCause? {
    feeder.stallCause(waitsForSource: lastStep == .waitingForSource)
  }

  /// Counts an underrun and returns its cause.
  func noteStall() -> StallCause {
    // An underrun follows sound, so a track was open.
    let cause = cause ?? .network
    buffering.stallCount += 1
    buffering.lastStallCause = cause
    return cause
  }

  /// Interval between updates of the status: ten a second suffice for display.
  private static var lookNanoseconds: UInt64 { 100_000_000 }

  /// Updates the buffering status from the ring and the source.
  func lookAtBuffer() {
    buffering.bufferedNanoseconds = bufferedNanoseconds
    buffering.waitsFor = waitsFor
    let now = monotonicNanoseconds()
    let track = shownPosition.track
    // Another track updates at once: a state saved now would otherwise omit its position as not seekable.
    guard now >= lookedAt &+ Self.lookNanoseconds || canSeek?.track != track else { return }
    lookedAt = now
    // A track counts as seekable until its source is open.
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
