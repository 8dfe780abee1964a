// SPDX-License-Identifier: MIT

internal import RenderCore

/// Parameters, levels, speed and pitch.
extension QueueEngine {
  func set(_ parameter: AudioQueueParameter, to value: Float) throws(AudioQueueError) {
    try checkAlive()
    try check(parameter)
    let value = parameter.possible(value)
    switch parameter {
    case .volume: control.volume = value
    case .playRate: timePitch.rate = value
    case .pitch: timePitch.cents = value
    case .volumeRampTime: control.volumeRampSeconds = value
    case .pan: control.pan = value
    }
  }

  func value(of parameter: AudioQueueParameter) -> Float {
    switch parameter {
    case .volume: control.volume
    case .playRate: timePitch.rate
    case .pitch: timePitch.cents
    case .volumeRampTime: control.volumeRampSeconds
    case .pan: control.pan
    }
  }

  /// Returns the levels since the last time that there were frames to measure.
  func takeLevels() -> [AudioQueueLevel] {
    let now = control.takeLevels()
    let framesBefore = levelsBefore.first?.frames ?? 0
    guard let frames = now.first?.frames, frames > framesBefore else { return lastLevels }
    lastLevels = now.indices.map { channel in
      let before = levelsBefore.isEmpty ? 0 : levelsBefore[channel].sumOfSquares
      let power = max(0, now[channel].sumOfSquares - before) / Double(frames - framesBefore)
      return AudioQueueLevel(average: Float(power.squareRoot()), peak: now[channel].peak)
    }
    levelsBefore = now
    return lastLevels
  }

  func setTimePitch(enabled: Bool) throws(AudioQueueError) {
    try checkAlive()
    guard state == .stopped else {
      throw AudioQueueError(
        .invalidRunState, "time and pitch can be enabled only while the queue is stopped")
    }
    guard enabled != timePitch.isEnabled else { return }
    takeStretchedTail()
    if enabled { try timePitch.enable(timePitch.algorithm) } else { timePitch.disable() }
  }

  func setTimePitch(_ algorithm: AudioQueueTimePitchAlgorithm) throws(AudioQueueError) {
    try checkAlive()
    guard timePitch.isEnabled, state == .stopped else {
      throw AudioQueueError(
        .invalidRunState,
        "the algorithm can be chosen only while time and pitch is enabled and the queue stopped")
    }
    takeStretchedTail()
    try timePitch.enable(algorithm)
  }

  /// Puts the stretched remainder of priming before the output of the next stretcher.
  private func takeStretchedTail() {
    guard let tail = timePitch.finish() else { return }
    ready = ready[readyUsed...] + tail
    readyUsed = 0
  }
}
