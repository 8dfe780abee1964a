// SPDX-License-Identifier: MIT

/// The player's states as a value without input or output: each input returns the actions to take.
struct PlayerStateMachine {
  enum Input: Equatable {
    /// Start with the first track.
    case open
    /// A track's format is known.
    case formatKnown
    /// The ring holds enough sound, the rest of the input, or all that it takes.
    case bufferReady
    /// The render thread found the ring empty in mid-stream.
    case underrun
    case pause
    case resume
    case stop
    /// The source has become silent after a pause or stop.
    case faded
    /// A skip dropped the playing sound.
    case skipped
    /// Every track was rendered to its end or failed; the error is the last track's.
    case finished(PlayerError?)
  }

  enum Action: Equatable {
    /// Silence, at once.
    case hold
    /// Sound, also after an underrun.
    case play
    /// Fade to silence.
    case fade
    /// Fade out the dropped sound, then silence.
    case dropThenHold
    /// Report this new state.
    case tell(PlayerState)
  }

  private(set) var state = PlayerState.idle
  /// Whether sound shall start as soon as enough is buffered.
  private(set) var wantsSound = true
  private(set) var isStopping = false

  /// Whether sound plays, or will start without another command.
  var awaitsSound: Bool {
    switch state {
    case .opening, .buffering: wantsSound && !isStopping
    case .playing: !isStopping
    case .idle, .paused, .ended, .failed: false
    }
  }

  mutating func handle(_ input: Input) -> [Action] {
    switch (input, state) {
    case (.open, .idle): return [.hold, enter(.opening)]
    case (.formatKnown, .opening): return [enter(.buffering)]
    case (.bufferReady, _) where isStopping: return []
    case (.bufferReady, .buffering):
      return wantsSound ? [.play, enter(.playing)] : [enter(.paused)]
    case (.underrun, .playing): return [enter(.buffering)]
    case (.pause, .playing):
      wantsSound = false
      return [.fade, enter(.paused)]
    case (.pause, .idle), (.pause, .opening), (.pause, .buffering):
      wantsSound = false
      return []
    case (.resume, .paused):
      wantsSound = true
      // Buffering ends at once if the ring holds enough; after an underrun it may not.
      return [enter(.buffering)]
    case (.resume, .idle), (.resume, .opening), (.resume, .buffering):
      wantsSound = true
      return []
    case (.stop, .ended), (.stop, .failed): return []
    case (.stop, .idle), (.stop, .opening), (.stop, .buffering):
      // A fade from these states would begin with sound.
      isStopping = true
      return [.hold]
    case (.stop, .playing), (.stop, .paused):
      isStopping = true
      return [.fade]
    case (.faded, _) where isStopping:
      isStopping = false
      return [.hold, enter(.idle)]
    case (.skipped, .playing): return [.dropThenHold, enter(.buffering)]
    case (.skipped, .paused): return [enter(.buffering)]
    case (.finished, .idle), (.finished, .ended), (.finished, .failed): return []
    case (.finished(nil), _): return [.hold, enter(.ended)]
    case (.finished(_?), _): return [.hold, enter(.failed)]
    default: return []
    }
  }

  private mutating func enter(_ state: PlayerState) -> Action {
    self.state = state
    return .tell(state)
  }
}
