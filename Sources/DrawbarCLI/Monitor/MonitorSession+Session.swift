// SPDX-License-Identifier: MIT

import PlayerEngine
import RenderCore
import SessionManagement

/// The state of the playback beside the monitor, for saving.
struct PlayingAlong {
  let list: SavedList
  var position = SavedPosition()
  var isPaused = false
  /// Whether a track was left out because of a failure.
  var hasFailures = false

  /// - Returns: whether playback is paused now.
  mutating func togglePause() -> Bool {
    isPaused.toggle()
    return isPaused
  }
}

/// The state that a session manager saves.
extension MonitorSession {
  /// Handles the session manager's requests.
  func serve(_ managed: ManagedSession) {
    if let player { along?.position.follow(player.snapshot()) }
    let with = along.flatMap { along in
      along.list.playback(
        track: along.position.track, seconds: along.position.seconds, isPaused: along.isPaused)
    }
    managed.serve(.monitor(MonitorState(monitor.settings, with: with)), report: report)
  }
}

extension MonitorState {
  init(_ settings: MonitorSettings, with: PlaybackState?) {
    // Rounds to a ten-thousandth, so that decibels are the same after the conversion to a factor and back.
    func decibels(_ factor: Float) -> Double? {
      Decibels.value(factor).map { max(-100, min(($0 * 10000).rounded() / 10000, 40)) }
    }
    self.init(
      gainDecibels: decibels(settings.gain) ?? -100, isMuted: settings.isMuted,
      pan: (Double(settings.pan) * 10000).rounded() / 100,
      invertedInputs: settings.invertedInputs.map { $0 + 1 }.sorted(),
      highPassHertz: settings.highPassHertz,
      limitDecibels: settings.limit.map { min(decibels($0) ?? -60, 0) },
      matrix: settings.crosspoints.map { row in row.map(decibels) }, with: with)
  }
}

extension MonitorSettings {
  /// - Returns: nil if the matrix has a different size.
  init?(_ state: MonitorState, inputs: Int, outputs: Int) {
    guard state.matrix.count == outputs, state.matrix.allSatisfy({ $0.count == inputs }) else {
      return nil
    }
    self.init(inputs: inputs, outputs: outputs)
    crosspoints = state.matrix.map { row in row.map { $0.map(Decibels.factor) ?? 0 } }
    gain = Decibels.factor(state.gainDecibels)
    isMuted = state.isMuted
    pan = Float(state.pan / 100)
    invertedInputs = Set(state.invertedInputs.map { $0 - 1 })
    highPassHertz = state.highPassHertz
    limit = state.limitDecibels.map(Decibels.factor)
  }
}
