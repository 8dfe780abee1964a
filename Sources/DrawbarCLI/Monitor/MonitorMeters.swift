// SPDX-License-Identifier: MIT

import AudioModel
import RenderCore

/// The meters between two readings. They are polled many times a second even if readings are rare, because the
/// loudness capture holds about a second and the feedback guard measures the time at full scale.
struct MonitorMeters: ~Copyable {
  private let monitor: MonitorControl
  private var reader: LoudnessReading
  private var sampleRate: Double
  private var feedback = FeedbackGuard()
  private var levels: MonitorLevels?
  private var loudness: Loudness?
  /// The time at which the last frames came, in seconds.
  private var lastSound: Double

  init(_ monitor: MonitorControl, in renderer: Renderer, sampleRate: Double, now: Double) {
    self.monitor = monitor
    self.sampleRate = sampleRate
    reader = LoudnessReading(renderer.addOutputCapture(), sampleRate: sampleRate)
    lastSound = now
  }

  /// Starts the loudness measurement anew at another rate.
  mutating func follow(sampleRate hertz: Double, in renderer: Renderer) {
    guard hertz != sampleRate else { return }
    sampleRate = hertz
    reader.end(in: renderer)
    reader = LoudnessReading(renderer.addOutputCapture(), sampleRate: hertz)
  }

  /// Adds the levels and frames since the last call.
  ///
  /// - Parameter now: in seconds.
  /// - Returns: whether to warn about a signal that stays at full scale.
  mutating func look(at now: Double) -> Bool {
    loudness = reader.take()
    let new = monitor.takeLevels()
    levels?.add(new)
    if levels == nil { levels = new }
    let all = new.inputs + new.outputs
    guard all.contains(where: { $0.frameCount > 0 }) else { return false }
    defer { lastSound = now }
    let peak = all.reduce(Float(0)) { max($0, $1.peak) }
    return feedback.note(peak: peak, seconds: now - lastSound)
  }

  /// Returns the levels since the last call, and the current loudness; nil if loudness is not measured.
  mutating func take() -> (levels: MonitorLevels, loudness: Loudness?) {
    defer { levels = nil }
    return (levels ?? monitor.takeLevels(), loudness)
  }
}
