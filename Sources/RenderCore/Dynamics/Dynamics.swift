// SPDX-License-Identifier: MIT

/// The settings of a compressor and expander, in the units of the render side. Levels and gains are powers of two: 1
/// is 6.02 dB.
struct DynamicsSettings: BitwiseCopyable, Equatable {
  /// The level above which sound is compressed.
  var threshold: Float = 0
  /// The excess at which half of the full compression is applied.
  var headroom: Float = 0
  /// 1 - 1 / ratio.
  var slope: Float = 0
  /// The level below which sound is expanded.
  var expansionThreshold: Float = 0
  /// The expansion ratio - 1.
  var expansionSlope: Float = 0
  /// The gain of all sound.
  var gain: Float = 0
  /// The part of the distance to a higher level that is left after a frame.
  var attack: Double = 0
  /// The part of a level that is left after a frame.
  var release: Double = 0
  /// Frames of a fade to other settings.
  var fadeFrames = 1

  @_noLocks
  init() {}
}

/// A compressor and expander of several channels. All channels have the same gain.
///
/// The level of a frame is the largest magnitude of its samples. It falls exponentially with the release time, and the
/// result rises exponentially with the attack time. The gain is a function of the level. Every setting fades, the
/// times excepted, which move no gain by a step.
///
/// At a gain of 1, samples are unchanged. No sample depends on how frames are cut into cycles.
///
/// Real-time: every call is wait-free, render thread only.
@safe
struct Dynamics: ~Copyable {
  /// The level of silence: -602 dBFS.
  private static var silence: Double { @_noLocks get { -100 } }
  /// The lowest gain of the expander: -120 dB.
  private static var lowestGain: Double { @_noLocks get { -20 } }

  private var settings = DynamicsSettings()
  private var threshold = Gain(0)
  private var headroom = Gain(0)
  private var slope = Gain(0)
  private var expansionThreshold = Gain(0)
  private var expansionSlope = Gain(0)
  private var gain = Gain(0)
  /// Frames until all of these are at rest.
  private var movingFrames = 0
  private var peak = 0.0
  private var level = 0.0
  /// Levels from the lower to the higher one have a gain of 1, if the settings are at rest.
  private var neutral = (from: Double.infinity, to: 0.0)

  /// Changes the settings.
  ///
  /// - Parameter fades: whether they fade in.
  @_noLocks
  mutating func set(_ new: DynamicsSettings, fades: Bool) {
    if new == settings, fades { return }
    settings = new
    let frames = fades ? max(1, new.fadeFrames) : 0
    movingFrames = 0
    Self.move(&threshold, to: new.threshold, frames, &movingFrames)
    Self.move(&headroom, to: new.headroom, frames, &movingFrames)
    Self.move(&slope, to: new.slope, frames, &movingFrames)
    Self.move(&expansionThreshold, to: new.expansionThreshold, frames, &movingFrames)
    Self.move(&expansionSlope, to: new.expansionSlope, frames, &movingFrames)
    Self.move(&gain, to: new.gain, frames, &movingFrames)
    if movingFrames == 0 { findNeutralLevels() }
  }

  @_noLocks
  private static func move(
    _ value: inout Gain, to target: Float, _ frames: Int, _ movingFrames: inout Int
  ) {
    if frames > 0 { value.go(to: target, frames: frames) } else { value.jump(to: target) }
    movingFrames = max(movingFrames, value.framesLeft)
  }

  /// Resets the level.
  @_noLocks
  mutating func reset() {
    peak = 0
    level = 0
  }

  /// Changes frames of every channel in place. NaN and infinity become 0.
  ///
  /// - Returns: the gain of the last frame without `gain`, as a power of two, and the number of samples
  ///   that were NaN or infinite.
  @_noLocks
  mutating func apply(
    to channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) -> (lastGain: Double, nonFiniteSamples: Int) {
    var (lastGain, nonFinite) = (0.0, 0)
    for i in 0..<frameCount {
      var highest: Float = 0
      for channel in 0..<channels.count {
        let sample = unsafe channels[channel][i]
        if !sample.isFinite {
          unsafe channels[channel][i] = 0
          nonFinite = nonFinite &+ 1
        } else if sample.magnitude > highest {
          highest = sample.magnitude
        }
      }
      follow(Double(highest))
      if movingFrames > 0 {
        advance()
      } else if level >= neutral.from, level <= neutral.to {
        lastGain = 0
        continue
      }
      lastGain = gain(forLevel: level)
      let factor = Float(BinaryLogarithm.exp2(lastGain + gain.exactValue))
      if factor == 1 { continue }
      for channel in 0..<channels.count { unsafe channels[channel][i] *= factor }
    }
    return (lastGain, nonFinite)
  }

  /// Updates the level with the highest magnitude of a frame.
  @_noLocks
  private mutating func follow(_ highest: Double) {
    peak = max(highest, peak * settings.release)
    level = peak + settings.attack * (level - peak)
    if level < 1e-30 {
      level = 0
      if peak < 1e-30 { peak = 0 }
    }
  }

  @_noLocks
  private mutating func advance() {
    threshold.advance()
    headroom.advance()
    slope.advance()
    expansionThreshold.advance()
    expansionSlope.advance()
    gain.advance()
    movingFrames = movingFrames &- 1
    if movingFrames == 0 { findNeutralLevels() }
  }

  /// Returns the gain of a level as a power of two, without `gain`.
  @_noLocks
  private func gain(forLevel level: Double) -> Double {
    let level = level > 1e-30 ? BinaryLogarithm.log2(level) : Self.silence
    var result = 0.0
    let excess = level - threshold.exactValue
    if excess > 0 {
      result -= slope.exactValue * excess * (excess / (excess + headroom.exactValue))
    }
    let lack = expansionThreshold.exactValue - level
    if lack > 0 { result = max(Self.lowestGain, result - expansionSlope.exactValue * lack) }
    return result
  }

  /// Finds the levels whose gain is 1, which need no logarithm.
  @_noLocks
  private mutating func findNeutralLevels() {
    if settings.gain != 0 {
      neutral = (.infinity, 0)
    } else {
      // A little less, since these powers are rounded.
      neutral = (
        settings.expansionSlope == 0
          ? 0 : BinaryLogarithm.exp2(Double(settings.expansionThreshold)) * 1.0001,
        settings.slope == 0
          ? .infinity : BinaryLogarithm.exp2(Double(settings.threshold)) * 0.9999
      )
    }
  }
}
