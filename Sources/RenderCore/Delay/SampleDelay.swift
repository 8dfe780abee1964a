// SPDX-License-Identifier: MIT

/// A delay of each channel by its own number of frames.
///
/// New delays take effect in a crossfade of all channels. Delays that are set meanwhile wait; of several, the last ones
/// are used. A channel without a delay keeps its samples to the bit. No sample depends on how frames are cut into
/// cycles.
///
/// In a feedback loop, ``readAhead(into:frameCount:)`` reads a slice, the loop renders it, and ``write(_:frameCount:)``
/// writes the result. A slice is at most as long as the shortest delay.
///
/// Real-time: every call but the initialiser is wait-free, render thread only.
@safe
struct SampleDelay: ~Copyable {
  /// The most frames of a crossfade that are computed at once.
  private static var blockFrames: Int { @_noLocks get { 64 } }

  private let channelCount: Int
  private let limits: ClosedRange<Int>
  /// The latest frames of each channel. The length of a line is a power of two.
  private let lines: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private let mask: Int
  /// Frames since the start; frames before the start are silent.
  private var frame = 0
  private let delays: UnsafeMutablePointer<Int>
  private let coming: UnsafeMutablePointer<Int>
  private let waiting: UnsafeMutablePointer<Int>
  private var isWaiting = false
  private var fadeFrames = 1
  /// The weight of the new delays against the present ones.
  private var fade = Gain(0)
  private let weights: UnsafeMutablePointer<Double>

  init(channels: Int, limits: ClosedRange<Int>) {
    channelCount = channels
    self.limits = limits
    var length = 1
    while length < limits.upperBound + Renderer.maximumFramesPerCycle { length *= 2 }
    mask = length - 1
    unsafe lines = .allocate(capacity: channels)
    for channel in 0..<channels {
      let line = UnsafeMutablePointer<Float>.allocate(capacity: length)
      unsafe line.initialize(repeating: 0, count: length)
      unsafe lines.initializeElement(at: channel, to: line)
    }
    unsafe delays = Self.list(channels, of: limits.lowerBound)
    unsafe coming = Self.list(channels, of: limits.lowerBound)
    unsafe waiting = Self.list(channels, of: limits.lowerBound)
    unsafe weights = .allocate(capacity: Self.blockFrames)
    unsafe weights.initialize(repeating: 0, count: Self.blockFrames)
  }

  deinit {
    for channel in 0..<channelCount { unsafe lines[channel].deallocate() }
    unsafe lines.deallocate()
    unsafe delays.deallocate()
    unsafe coming.deallocate()
    unsafe waiting.deallocate()
    unsafe weights.deallocate()
  }

  private static func list(_ count: Int, of value: Int) -> UnsafeMutablePointer<Int> {
    let values = UnsafeMutablePointer<Int>.allocate(capacity: count)
    unsafe values.initialize(repeating: value, count: count)
    return unsafe values
  }

  /// Notes the delay of a channel. Nothing changes until all delays are noted.
  @_noLocks
  mutating func note(delay: Int, channel: Int) {
    isWaiting = false
    unsafe waiting[channel] = max(limits.lowerBound, min(delay, limits.upperBound))
  }

  /// Fades to the delays that were noted.
  @_noLocks
  mutating func goToNoted(fadeFrames: Int) {
    isWaiting = true
    self.fadeFrames = fadeFrames
    beginFade()
  }

  /// Starts with silence.
  ///
  /// - Parameter takesNoted: whether all delays were noted. Otherwise the previous ones stay.
  @_noLocks
  mutating func begin(takesNoted: Bool) {
    if takesNoted {
      for channel in 0..<channelCount { unsafe delays[channel] = waiting[channel] }
    }
    isWaiting = false
    fade.jump(to: 0)
    frame = 0
  }

  /// Delays frames of every channel in place.
  @_noLocks
  mutating func apply(
    to channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) {
    unsafe pass(channels, frameCount: frameCount, writes: true)
  }

  /// Reads the delayed frames of the next slice, before ``write(_:frameCount:)`` writes it.
  @_noLocks
  mutating func readAhead(
    into channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) {
    let start = frame
    unsafe pass(channels, frameCount: frameCount, writes: false)
    frame = start
  }

  /// Writes the frames of every channel. NaN and infinity become 0, because a loop would keep them. Samples with a
  /// magnitude of 1e-30 or less become 0, so that echoes end before they become denormal and slow.
  ///
  /// - Returns: the number of samples that were not finite.
  @_noLocks
  mutating func write(
    _ channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) -> Int {
    var nonFinite = 0
    for channel in 0..<channels.count {
      let (samples, line) = unsafe (channels[channel], lines[channel])
      for i in 0..<frameCount {
        let sample = unsafe samples[i]
        let isFinite = sample.isFinite
        if !isFinite { nonFinite = nonFinite &+ 1 }
        unsafe line[(frame &+ i) & mask] = isFinite && sample.magnitude > 1e-30 ? sample : 0
      }
    }
    frame = frame &+ frameCount
    return nonFinite
  }

  @_noLocks
  private mutating func pass(
    _ channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int,
    writes: Bool
  ) {
    var done = 0
    while done < frameCount {
      var count = frameCount &- done
      let isFading = !fade.isStill
      if isFading {
        count = min(count, min(fade.framesLeft, Self.blockFrames))
        unsafe fade.advance(through: weights, frameCount: count)
      }
      for channel in 0..<channels.count {
        let samples = unsafe channels[channel] + done
        if writes { unsafe write(samples, channel: channel, frameCount: count) }
        if isFading, unsafe delays[channel] != coming[channel] {
          unsafe readFading(into: samples, channel: channel, frameCount: count)
        } else {
          unsafe read(into: samples, channel: channel, frameCount: count)
        }
      }
      done = done &+ count
      frame = frame &+ count
      if isFading, fade.isStill { endFade() }
    }
  }

  @_noLocks
  private func write(
    _ samples: UnsafeMutablePointer<Float>, channel: Int, frameCount: Int
  ) {
    let line = unsafe lines[channel]
    for i in 0..<frameCount { unsafe line[(frame &+ i) & mask] = samples[i] }
  }

  @_noLocks
  private func read(
    into samples: UnsafeMutablePointer<Float>, channel: Int, frameCount: Int
  ) {
    let delay = unsafe delays[channel]
    if delay == 0 { return }
    let line = unsafe lines[channel]
    for i in 0..<frameCount {
      let source = frame &+ i &- delay
      unsafe samples[i] = source < 0 ? 0 : line[source & mask]
    }
  }

  @_noLocks
  private func readFading(
    into samples: UnsafeMutablePointer<Float>, channel: Int, frameCount: Int
  ) {
    let line = unsafe lines[channel]
    let (old, new) = unsafe (delays[channel], coming[channel])
    for i in 0..<frameCount {
      let (first, second) = (frame &+ i &- old, frame &+ i &- new)
      let from = unsafe first < 0 ? 0 : Double(line[first & mask])
      let to = unsafe second < 0 ? 0 : Double(line[second & mask])
      unsafe samples[i] = Float(from + weights[i] * (to - from))
    }
  }

  @_noLocks
  private mutating func beginFade() {
    guard isWaiting, fade.isStill else { return }
    isWaiting = false
    for channel in 0..<channelCount { unsafe coming[channel] = waiting[channel] }
    fade.go(to: 1, frames: fadeFrames)
  }

  @_noLocks
  private mutating func endFade() {
    for channel in 0..<channelCount { unsafe delays[channel] = coming[channel] }
    fade.jump(to: 0)
    beginFade()
  }
}
