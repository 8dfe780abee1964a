// SPDX-License-Identifier: MIT

import PlayerEngine
import SessionManagement

/// What a session manager has the player save, and what it goes on with.
extension PlaySession {
  /// Has the player, which has not been started, begin where it was saved, or where the transport is that it
  /// follows.
  func restore(_ state: PlayState) {
    savedPlace = SavedPlace(state.playback)
    repeatMode = RepeatMode(state.repeats)
    setVolume(Float(state.volumePercent / 100))
    if state.isMuted { toggleMute() }
    if isFollowing { return }
    player.setRepeat(repeatMode)
    player.begin(at: state.playback)
    hasPaused = state.playback.isPaused
  }

  /// Does what the session manager asks for.
  func serve(_ managed: ManagedSession) {
    let snapshot = player.snapshot(latencyFrames: latencyFrames)
    savedPlace.follow(snapshot)
    let playback = list.playback(
      track: savedPlace.track, seconds: savedPlace.seconds, isPaused: isPaused)
    let state = playback.map { playback in
      PlayState(
        playback: playback, volumePercent: (Double(volume) * 10000).rounded() / 100,
        isMuted: isMuted, repeats: PlayState.Repeat(repeatMode))
    }
    managed.serve(state.map { .play($0) }) { message in
      terminal.clearPanel()
      Failure.report(message)
    }
  }
}

extension RepeatMode {
  init(_ repeats: PlayState.Repeat) {
    switch repeats {
    case .off: self = .off
    case .one: self = .one
    case .all: self = .all
    }
  }
}

extension PlayState.Repeat {
  init(_ mode: RepeatMode) {
    switch mode {
    case .off: self = .off
    case .one: self = .one
    case .all: self = .all
    }
  }
}
