// SPDX-License-Identifier: MIT

import JACKRemoteIO
import PlayerEngine

/// What the user wants, done by the player, or by the transport that it follows and all others with it.
extension PlaySession {
  private static let noteWhileFollowing = "note: not while it follows the JACK transport"

  var isFollowing: Bool { transportRole == .follow }

  /// Silence is wanted, by whoever has the say.
  var isPaused: Bool {
    isFollowing ? output.transport?.state == .stopped : hasPaused
  }

  func pause() {
    if isFollowing { return output.stopTransport() }
    hasPaused = true
    player.pause()
  }

  func resume() {
    isAtStart = false
    if isFollowing { return output.startTransport() }
    hasPaused = false
    player.resume()
  }

  func seek(byNanoseconds difference: Int64) {
    guard isFollowing else { return player.seek(byNanoseconds: difference) }
    guard let here = output.transport?.nanoseconds else { return }
    output.locateTransport(
      toNanoseconds: difference < 0
        ? here - min(here, difference.magnitude) : here + difference.magnitude)
  }

  /// Goes to a time in the track.
  func seek(toNanoseconds nanoseconds: UInt64) {
    guard isFollowing else { return player.seek(toNanoseconds: nanoseconds) }
    let snapshot = player.snapshot()
    let starts = snapshot.trackStartsNanoseconds
    guard let track = snapshot.trackIndex, starts.indices.contains(track) else { return }
    output.locateTransport(toNanoseconds: starts[track] + nanoseconds)
  }

  func goToNextTrack() {
    guard isFollowing else { return player.next() }
    let snapshot = player.snapshot()
    let starts = snapshot.trackStartsNanoseconds
    guard let track = snapshot.trackIndex, starts.indices.contains(track),
      track + 1 < snapshot.trackCount
    else { return }
    if starts.indices.contains(track + 1) {
      output.locateTransport(toNanoseconds: starts[track + 1])
    } else if let duration = snapshot.track?.durationNanoseconds {
      output.locateTransport(toNanoseconds: starts[track] + duration)
    } else {
      terminal.print("note: it is not known where the next track begins")
    }
  }

  func goToPreviousTrack() {
    guard isFollowing else { return player.previous() }
    let snapshot = player.snapshot()
    let starts = snapshot.trackStartsNanoseconds
    guard let track = snapshot.trackIndex, starts.indices.contains(track) else { return }
    // As the player does without a transport.
    let isNearStart = snapshot.positionNanoseconds < 3_000_000_000
    output.locateTransport(toNanoseconds: starts[isNearStart ? max(0, track - 1) : track])
  }

  /// Goes to the start of the track, and stays there.
  func goToTrackStart() {
    if isFollowing { return seek(toNanoseconds: 0) }
    let snapshot = player.snapshot()
    // Standard input cannot be read twice.
    guard let index = snapshot.trackIndex, snapshot.track?.location.trackURL != nil else { return }
    player.play(track: index)
  }

  func setRepeat(_ mode: RepeatMode) {
    if isFollowing { return terminal.print(Self.noteWhileFollowing) }
    repeatMode = mode
    player.setRepeat(mode)
  }

  func scan(speed: Int) {
    if isFollowing { return terminal.print(Self.noteWhileFollowing) }
    player.scan(speed: speed)
  }

  /// Has the transport do as the player does, when this leads.
  func leadTransport() {
    guard transportRole == .lead else { return }
    let cycle = UInt64(Double(output.bufferSize) * 1_000_000_000 / output.sampleRate)
    // JACK takes a new place in at a cycle's end, and is there a cycle later.
    let timing = TransportLead.Timing(delayNanoseconds: 2 * cycle, cycleNanoseconds: cycle)
    for command in lead.commands(for: player.snapshot(), timing) {
      switch command {
      case .start: output.startTransport()
      case .stop: output.stopTransport()
      case .locate(let nanoseconds): output.locateTransport(toNanoseconds: nanoseconds)
      }
    }
  }

  /// Has the transport stand that this has led, also when the player was not waited for.
  func leaveTransport() {
    guard transportRole == .lead, lead.isRolling else { return }
    output.stopTransport()
  }
}
