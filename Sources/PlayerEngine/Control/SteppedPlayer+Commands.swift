// SPDX-License-Identifier: MIT

internal import RenderCore

extension SteppedPlayer {
  /// Performs a command; events report the effect.
  public func apply(_ command: Command) {
    if isTransports(command) { return }
    switch command {
    case .append, .changeScanSpeed, .resume, .scan, .setRepeat: break
    case .next, .pause, .previous, .restart, .seek, .seekBy, .stop, .track: setScan(speed: 0)
    }
    switch command {
    case .pause: perform(.pause)
    case .resume: perform(.resume)
    case .stop: perform(.stop)
    case .next: skip(toTrack: following(shownPosition.track))
    case .previous:
      let (track, nanoseconds) = shownPosition
      skip(toTrack: nanoseconds < Self.restartNanoseconds ? max(0, track - 1) : track)
    case .restart: restart()
    case .track(let index): skip(toTrack: index)
    case .seek(let nanoseconds): beginSeek(toNanoseconds: nanoseconds)
    case .seekBy(let nanoseconds): beginSeek(byNanoseconds: nanoseconds)
    case .scan(let speed): setScan(speed: speed)
    case .changeScanSpeed(let forward): changeScanSpeed(forward: forward)
    case .setRepeat(let mode): feeder.repeatMode = mode
    case .append(let items): feeder.append(items)
    }
  }

  /// Past this time in a track, `previous` restarts it instead of going to the track before.
  private static let restartNanoseconds: UInt64 = 3_000_000_000

  private func restart() {
    let track = shownPosition.track
    // A track that is not open yet will begin at its start. Standard input cannot be read twice.
    guard information[track] != nil, feeder.items[track].location != "-" else { return }
    skip(toTrack: track)
  }

  /// Returns the track that `next` leads to.
  private func following(_ track: Int) -> Int {
    let next = track + 1
    return feeder.repeatMode == .all && next == feeder.items.count ? 0 : next
  }

  /// Drops the playing sound and starts a track from its beginning.
  private func skip(toTrack index: Int) {
    flushSerial &+= 1
    seek = nil
    replacedSeek = nil
    queuedSeek = nil
    feeder.skip(toTrack: index, flushSerial: flushSerial)
    takeFeederEvents()
    accounts.removeAll(but: startedTrack, upTo: lastBegunStream)
    accounts.isRepositioned = true
    comingPosition =
      feeder.items.indices.contains(index)
      ? ComingPosition(track: index, nanoseconds: 0) : nil
    goOver()
    lastError = nil
    isRebuffering = false
    perform(.skipped)
  }
}
