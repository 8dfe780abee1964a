// SPDX-License-Identifier: MIT

import AudioModel
import RenderCore

/// What is measured between two readings. It is looked at many times a second, however rare the readings are:
/// the capture that loudness comes from holds about a second, and a sound that stays loud is told by its time.
struct MonitorMeters: ~Copyable {
  private let monitor: MonitorControl
  private var reader: LoudnessReading
  private var sampleRate: Double
  private var feedback = FeedbackGuard()
  private var levels: MonitorLevels?
  private var loudness: Loudness?
  /// When there were frames last.
  private var lastSound: Double

  init(_ monitor: MonitorControl, in renderer: Renderer, sampleRate: Double, now: Double) {
    self.monitor = monitor
    self.sampleRate = sampleRate
    reader = LoudnessReading(renderer.addOutputCapture(), sampleRate: sampleRate)
    lastSound = now
  }

  /// Measures loudness at another rate, anew.
  mutating func follow(sampleRate hertz: Double, in renderer: Renderer) {
    guard hertz != sampleRate else { return }
    sampleRate = hertz
    reader.end(in: renderer)
    reader = LoudnessReading(renderer.addOutputCapture(), sampleRate: hertz)
  }

  /// Takes in what has come since the last time.
  ///
  /// - Parameter now: in seconds.
  /// - Returns: whether to warn of a signal that stays at full scale.
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

  /// How loud it was since this was last called, and the loudness now; nil where that is not measured.
  mutating func take() -> (levels: MonitorLevels, loudness: Loudness?) {
    defer { levels = nil }
    return (levels ?? monitor.takeLevels(), loudness)
  }
}
