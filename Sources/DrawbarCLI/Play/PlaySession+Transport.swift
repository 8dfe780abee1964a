// SPDX-License-Identifier: MIT

import JACKRemoteIO
import PlayerEngine

/// The user's commands, performed by the player or by the transport that it follows with other clients.
extension PlaySession {
  private static let noteWhileFollowing = "note: not while it follows the JACK transport"

  var isFollowing: Bool { transportRole == .follow }

  /// Whether playback is paused, by the user or by the followed transport.
  var isPaused: Bool {
    guard isFollowing else { return hasPaused }
    if let isRolling = wantedTransport.isRolling(cycle: output.cycleCount) { return !isRolling }
    return output.transport?.state == .stopped
  }

  func pause() {
    if isFollowing { return rollTransport(false) }
    hasPaused = true
    player.pause()
  }

  func resume() {
    isAtStart = false
    if isFollowing { return rollTransport(true) }
    hasPaused = false
    player.resume()
  }

  private func rollTransport(_ isWanted: Bool) {
    wantedTransport.roll(isWanted, cycle: output.cycleCount)
    if isWanted { output.startTransport() } else { output.stopTransport() }
  }

  private func locateTransport(toNanoseconds nanoseconds: UInt64) {
    // JACK's transport stops at its last frame.
    let last = UInt64(Double(UInt32.max) * 1_000_000_000 / output.sampleRate)
    let nanoseconds = min(nanoseconds, last)
    wantedTransport.locate(nanoseconds, cycle: output.cycleCount)
    output.locateTransport(toNanoseconds: nanoseconds)
  }

  /// The transport's position, or the requested one until JACK reports it.
  private var transportNanoseconds: UInt64? {
    guard let reported = output.transport?.nanoseconds else { return nil }
    return wantedTransport.nanoseconds(cycle: output.cycleCount) ?? reported
  }

  /// The same position, with its track and the starts of tracks known so far.
  private var transportPosition: (nanoseconds: UInt64, track: Int, starts: [UInt64])? {
    let starts = player.snapshot().trackStartsNanoseconds
    guard let here = transportNanoseconds, let track = starts.lastIndex(where: { $0 <= here })
    else { return nil }
    return (here, track, starts)
  }

  func seek(byNanoseconds difference: Int64) {
    guard isFollowing else { return player.seek(byNanoseconds: difference) }
    guard let here = transportNanoseconds else { return }
    let distance = difference.magnitude
    locateTransport(
      toNanoseconds: difference < 0
        ? here - min(here, distance) : here + min(distance, .max - here))
  }

  /// Seeks to a time in the track.
  func seek(toNanoseconds nanoseconds: UInt64) {
    guard isFollowing else { return player.seek(toNanoseconds: nanoseconds) }
    guard let position = transportPosition else { return }
    let start = position.starts[position.track]
    locateTransport(toNanoseconds: start + min(nanoseconds, .max - start))
  }

  func goToNextTrack() {
    guard isFollowing else { return player.next() }
    let snapshot = player.snapshot()
    guard let (here, track, starts) = transportPosition, track + 1 < snapshot.trackCount
    else { return }
    let information = snapshot.trackIndex == track ? snapshot.track : tracks[track]
    if starts.indices.contains(track + 1) {
      locateTransport(toNanoseconds: starts[track + 1])
    } else if let duration = information?.durationNanoseconds, here < starts[track] + duration {
      locateTransport(toNanoseconds: starts[track] + duration)
    } else {
      terminal.print("note: it is not known where the next track begins")
    }
  }

  func goToPreviousTrack() {
    guard isFollowing else { return player.previous() }
    guard let (here, track, starts) = transportPosition else { return }
    // As the player does without a transport.
    let isNearStart = here - starts[track] < 3_000_000_000
    locateTransport(toNanoseconds: starts[isNearStart ? max(0, track - 1) : track])
  }

  /// Goes to the start of the track, and stays there.
  func goToTrackStart() {
    if isFollowing { seek(toNanoseconds: 0) } else { player.restart() }
  }

  func setRepeat(_ mode: RepeatMode) {
    if isFollowing { return terminal.print(Self.noteWhileFollowing) }
    repeatMode = mode
    player.setRepeat(mode)
  }

  func changeScanSpeed(forward: Bool) {
    if isFollowing { return terminal.print(Self.noteWhileFollowing) }
    player.changeScanSpeed(forward: forward)
  }

  /// Makes the transport follow the player, with `--transport lead`.
  func leadTransport() {
    guard transportRole == .lead else { return }
    let cycle = UInt64(Double(output.bufferSize) * 1_000_000_000 / output.sampleRate)
    // JACK accepts a new position at a cycle's end, and is there a cycle later.
    let timing = TransportLead.Timing(delayNanoseconds: 2 * cycle, cycleNanoseconds: cycle)
    for command in lead.commands(for: player.snapshot(), timing) {
      switch command {
      case .start: output.startTransport()
      case .stop: output.stopTransport()
      case .locate(let nanoseconds): output.locateTransport(toNanoseconds: nanoseconds)
      }
    }
  }

  /// Stops a transport that this player leads and that still rolls, even if the player was not waited for.
  func leaveTransport() {
    guard transportRole == .lead, lead.isRolling else { return }
    output.stopTransport()
  }
}
