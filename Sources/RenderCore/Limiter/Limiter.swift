// SPDX-License-Identifier: MIT

/// A limiter that keeps the samples of several channels at or below a ceiling. All channels have the same gain.
///
/// The sound is delayed by the look-ahead, so that the gain has fallen when a peak comes. The reduction that a frame
/// needs is held for the look-ahead, decays exponentially, and passes two moving averages. So the gain bends smoothly
/// before a peak and returns smoothly after it. Without a look-ahead it falls within one frame.
///
/// The peaks are those of the samples, or true peaks. A true peak is found later than its samples, and the reduction that
/// it needs is held for more frames on both sides, so the delay is longer by ``truePeakFrames``.
///
/// While no peak is above the ceiling, samples are only delayed. No sample depends on how frames are
/// cut into cycles.
///
/// Real-time: every call but the initialiser is wait-free, render thread only.
@safe
struct Limiter: ~Copyable {
  /// The ceiling of a limiter that is off.
  private static var noCeiling: Float { @_noLocks get { .greatestFiniteMagnitude } }
  /// Reductions are summed as integers, whose sums are exact.
  private static var one: Double { @_noLocks get { 0x1p30 } }

  /// Frames before and after those around a true peak for which its reduction is held.
  private static var holdFrames: Int { @_noLocks get { 13 } }
  /// The frames by which a limiter of true peaks is later than one of samples.
  static let truePeakFrames = InterpolatedPeaks.delayFrames + holdFrames
  /// The most frames whose peaks are found at once.
  private static var blockFrames: Int { @_noLocks get { InterpolatedPeaks.blockFrames } }

  private let channelCount: Int
  /// The delay.
  let latencyFrames: Int
  private let findsTruePeaks: Bool
  private let truePeaks: InterpolatedPeaks
  /// The peak of each frame of a block.
  private let peaks: UnsafeMutablePointer<Float>
  /// A line of `latencyFrames` samples for each channel, and one with the ceiling of each frame.
  private let lines: UnsafeMutablePointer<Float>
  private var position = 0
  /// 1 / ceiling, which is 0 when the limiter is off.
  private var inverse = Gain(0)
  /// The ceiling of the present frame.
  private var ceiling = Limiter.noCeiling
  /// The ceiling when `inverse` is at rest.
  private var target = Limiter.noCeiling
  /// The part of the reduction that is removed in each frame.
  private var release = 1.0
  private var reduction = 0.0
  private var held: SlidingMaximum
  private var average: MovingSum
  private var smoothAverage: MovingSum
  /// 1 / the largest sum of the second average.
  private let scale: Double

  init(channels: Int, lookAheadFrames: Int, findsTruePeaks: Bool = false) {
    channelCount = channels
    self.findsTruePeaks = findsTruePeaks
    truePeaks = InterpolatedPeaks(channels: findsTruePeaks ? channels : 0)
    unsafe peaks = .allocate(capacity: Self.blockFrames)
    unsafe peaks.initialize(repeating: 0, count: Self.blockFrames)
    latencyFrames = lookAheadFrames + (findsTruePeaks ? Self.truePeakFrames : 0)
    let count = (channels + 1) * latencyFrames
    unsafe lines = .allocate(capacity: count)
    unsafe lines.initialize(repeating: 0, count: count)
    // Together the averages are as long as the time for which a reduction is held.
    let (first, second) = (lookAheadFrames / 2 + 1, lookAheadFrames - lookAheadFrames / 2 + 1)
    // A true peak may be anywhere between two frames.
    let hold = findsTruePeaks ? 2 * Self.holdFrames + 1 : 0
    held = SlidingMaximum(window: lookAheadFrames + 1 + hold)
    average = MovingSum(window: first)
    smoothAverage = MovingSum(window: second)
    scale = 1 / (Double(first * second) * Self.one)
  }

  deinit {
    unsafe lines.deallocate()
    unsafe peaks.deallocate()
  }

  /// True while samples are only delayed: nothing is reduced, and no ceiling is set.
  var isOff: Bool {
    @_noLocks get { inverse.isStill && target == Self.noCeiling && isAtRest }
  }

  /// True while the gain is 1, and no frame in the lines needs less.
  private var isAtRest: Bool {
    @_noLocks get {
      reduction == 0 && average.sum == 0 && smoothAverage.sum == 0 && held.isZero
    }
  }

  /// Sets the ceiling.
  ///
  /// - Parameters:
  ///   - ceiling: the magnitude, above 0; nil turns the limiter off.
  ///   - releaseFrames: frames in which the gain returns by 63 %.
  ///   - fadeFrames: frames of the change from the old ceiling; 0 for none.
  @_noLocks
  mutating func set(ceiling: Float?, releaseFrames: Int, fadeFrames: Int) {
    release = 1 / Double(max(1, releaseFrames))
    let ceiling = ceiling ?? Self.noCeiling
    if ceiling == target, fadeFrames > 0 { return }
    target = ceiling
    let goal = ceiling == Self.noCeiling ? 0 : 1 / ceiling
    if fadeFrames > 0 {
      inverse.go(to: goal, frames: fadeFrames)
    } else {
      inverse.jump(to: goal)
    }
    if inverse.isStill { self.ceiling = target }
  }

  /// Clears the lines and the reduction.
  @_noLocks
  mutating func reset() {
    unsafe lines.update(repeating: 0, count: (channelCount &+ 1) &* latencyFrames)
    if findsTruePeaks { truePeaks.reset() }
    reduction = 0
    held.reset()
    average.reset()
    smoothAverage.reset()
  }

  /// Limits frames of every channel in place. NaN and infinity become 0.
  ///
  /// - Returns: the lowest gain, and the number of samples that were NaN or infinite.
  @_noLocks
  mutating func apply(
    to channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) -> (lowestGain: Float, nonFiniteSamples: Int) {
    if !findsTruePeaks, isAtRest, inverse.isStill,
      unsafe !exceeds(channels, frameCount: frameCount)
    {
      unsafe delay(channels, from: 0, to: frameCount)
      return (1, 0)
    }
    var lowest: Float = 1
    var nonFinite = 0
    var first = 0
    while first < frameCount {
      let end = min(frameCount, first &+ Self.blockFrames)
      nonFinite = unsafe nonFinite &+ findPeaks(channels, from: first, to: end)
      if isAtRest, inverse.isStill, !hasPeak(frameCount: end &- first) {
        unsafe delay(channels, from: first, to: end)
      } else {
        unsafe limit(channels, from: first, to: end, lowestGain: &lowest)
      }
      first = end
    }
    return (lowest, nonFinite)
  }

  /// Limits frames, at most a block.
  @_noLocks
  private mutating func limit(
    _ channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, from first: Int,
    to end: Int, lowestGain: inout Float
  ) {
    for i in first..<end {
      if !inverse.isStill { moveCeiling() }
      let gain = unsafe gain(forPeak: peaks[i &- first])
      if gain < lowestGain { lowestGain = gain }
      unsafe delay(channels, frame: i, gain: gain)
    }
  }

  // MARK: Peaks

  /// Finds the peak of each frame of a block over all channels, after NaN and infinity have become 0.
  ///
  /// - Returns: the number of samples that were NaN or infinite.
  @_noLocks
  private func findPeaks(
    _ channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, from first: Int,
    to end: Int
  ) -> Int {
    let count = end &- first
    var nonFinite = 0
    unsafe peaks.update(repeating: 0, count: count)
    for channel in 0..<channels.count {
      let samples = unsafe channels[channel] + first
      for i in 0..<count {
        if unsafe !samples[i].isFinite {
          unsafe samples[i] = 0
          nonFinite = nonFinite &+ 1
        } else if !findsTruePeaks, unsafe samples[i].magnitude > peaks[i] {
          unsafe peaks[i] = samples[i].magnitude
        }
      }
      if findsTruePeaks, channel < channelCount {
        unsafe truePeaks.raise(
          peaks, toThoseOf: samples, channel: channel, frameCount: count,
          floor: inverse.isStill ? ceiling : 0)
      }
    }
    return nonFinite
  }

  /// Returns true if a frame of a block has a peak above the ceiling.
  @_noLocks
  private func hasPeak(frameCount: Int) -> Bool {
    for i in 0..<frameCount where unsafe peaks[i] > ceiling { return true }
    return false
  }

  /// Returns true if a sample is above the ceiling, or not finite.
  @_noLocks
  private func exceeds(
    _ channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) -> Bool {
    for channel in 0..<channels.count {
      let samples = unsafe channels[channel]
      var isWithin = true
      for i in 0..<frameCount { unsafe isWithin = samples[i].magnitude <= ceiling && isWithin }
      if !isWithin { return true }
    }
    return false
  }

  @_noLocks
  private mutating func moveCeiling() {
    inverse.advance()
    if inverse.isStill {
      ceiling = target
    } else if inverse.exactValue > 1e-30 {
      ceiling = Float(1 / inverse.exactValue)
    } else {
      ceiling = Self.noCeiling
    }
  }

  /// Returns the gain of the frame that leaves the lines, after the peak of the frame that enters them.
  @_noLocks
  private mutating func gain(forPeak peak: Float) -> Float {
    let needed = peak > ceiling ? 1 - Double(ceiling) / Double(peak) : 0
    reduction = reduction - reduction * release
    if reduction < 1e-6 { reduction = 0 }
    let held = held.push(needed)
    if held > reduction { reduction = held }
    let integer = reduction > 0 ? Int(reduction * Self.one) &+ 1 : 0
    let sum = smoothAverage.push(average.push(integer))
    return sum == 0 ? 1 : max(0, Float(1 - Double(sum) * scale))
  }

  /// Exchanges a frame with the one that leaves the lines.
  @_noLocks
  private mutating func delay(
    _ channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frame: Int, gain: Float
  ) {
    var limit = ceiling
    if latencyFrames > 0 {
      let place = unsafe lines + position
      for channel in 0..<channels.count {
        let delayed = unsafe place[channel &* latencyFrames]
        unsafe place[channel &* latencyFrames] = channels[channel][frame]
        unsafe channels[channel][frame] = delayed
      }
      unsafe limit = place[channelCount &* latencyFrames]
      unsafe place[channelCount &* latencyFrames] = ceiling
      position = position &+ 1
      if position == latencyFrames { position = 0 }
    }
    if gain == 1 { return }
    for channel in 0..<channels.count {
      // Rounding may leave the product a little above the ceiling.
      let sample = unsafe channels[channel][frame] * gain
      unsafe channels[channel][frame] = max(-limit, min(limit, sample))
    }
  }

  /// Delays frames whose gain is 1.
  @_noLocks
  private mutating func delay(
    _ channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, from first: Int,
    to end: Int
  ) {
    if latencyFrames == 0 { return }
    var done = first
    while done < end {
      let count = min(end &- done, latencyFrames &- position)
      for channel in 0..<channels.count {
        let line = unsafe lines + (channel &* latencyFrames &+ position)
        let samples = unsafe channels[channel] + done
        for i in 0..<count {
          let delayed = unsafe line[i]
          unsafe line[i] = samples[i]
          unsafe samples[i] = delayed
        }
      }
      let ceilings = unsafe lines + (channelCount &* latencyFrames &+ position)
      unsafe ceilings.update(repeating: ceiling, count: count)
      done = done &+ count
      position = position &+ count
      if position == latencyFrames { position = 0 }
    }
  }
}
