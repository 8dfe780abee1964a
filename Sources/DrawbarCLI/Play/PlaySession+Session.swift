// SPDX-License-Identifier: MIT

import PlayerEngine
import SessionManagement

/// The player's state, saved and restored for a session manager.
extension PlaySession {
  /// Makes a player that has not started begin at its saved position, or at that of the followed transport.
  func restore(_ state: PlayState) {
    savedPosition = SavedPosition(state.playback)
    repeatMode = RepeatMode(state.repeats)
    setVolume(Float(state.volumePercent / 100))
    if state.isMuted { toggleMute() }
    if isFollowing { return }
    player.setRepeat(repeatMode)
    player.begin(at: state.playback)
    hasPaused = state.playback.isPaused
  }

  /// Handles the session manager's requests.
  func serve(_ managed: ManagedSession) {
    let snapshot = player.snapshot(latencyFrames: latencyFrames)
    savedPosition.follow(snapshot)
    let playback = list.playback(
      track: savedPosition.track, seconds: savedPosition.seconds, isPaused: isPaused)
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
