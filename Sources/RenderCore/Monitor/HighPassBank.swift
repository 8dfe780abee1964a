// SPDX-License-Identifier: MIT

/// The high-pass of several channels. It fades in and out, and changes its corner, without a click.
///
/// After a change of the corner the old and the new filters run side by side, the new ones from rest, in a crossfade. A
/// corner that is set during the crossfade waits for its end; of several, the last one is taken.
///
/// Real-time: every call is wait-free, render thread only.
@safe
struct HighPassBank: ~Copyable {
  /// Seconds of the crossfade to a new corner.
  static var changeSeconds: Double { @_noLocks get { 0.02 } }
  /// Filters are flushed at device frames that this divides, so that no sample depends on how cycles are cut.
  private static var flushFrames: Int { @_noLocks get { 64 } }

  private let channelCount: Int
  private let filters: UnsafeMutablePointer<HighPassFilter>
  private let coming: UnsafeMutablePointer<HighPassFilter>
  private var coefficients = HighPassCoefficients(b0: 1, b1: 0, b2: 0, a1: 0, a2: 0)
  private var comingCoefficients = HighPassCoefficients(b0: 1, b1: 0, b2: 0, a1: 0, a2: 0)
  private var wanted = HighPassCoefficients(b0: 1, b1: 0, b2: 0, a1: 0, a2: 0)
  private var changeFrames = 1
  /// The weight of the coming filters' result.
  private var change = Gain(0)
  /// The weight of the filters' result against the input.
  private var mix = Gain(0)

  init(channels: Int) {
    channelCount = channels
    unsafe filters = .allocate(capacity: channels)
    unsafe filters.initialize(repeating: HighPassFilter(), count: channels)
    unsafe coming = .allocate(capacity: channels)
    unsafe coming.initialize(repeating: HighPassFilter(), count: channels)
  }

  deinit {
    unsafe filters.deallocate()
    unsafe coming.deallocate()
  }

  /// True if samples pass unchanged.
  var isOff: Bool { @_noLocks get { mix.isStill(at: 0) } }

  /// Fades in, or crossfades to other coefficients.
  ///
  /// - Parameters:
  ///   - frames: length of the fade-in.
  ///   - changeFrames: length of the crossfade.
  @_noLocks
  mutating func turnOn(_ wanted: HighPassCoefficients, frames: Int, changeFrames: Int) {
    self.wanted = wanted
    self.changeFrames = changeFrames
    if isOff { coefficients = wanted }
    mix.go(to: 1, frames: frames)
    beginChange()
  }

  /// - Parameter frames: length of the fade-out.
  @_noLocks
  mutating func turnOff(frames: Int) {
    mix.go(to: 0, frames: frames)
  }

  /// Filters so many frames of every channel in place.
  ///
  /// - Parameter deviceFrame: the first of them.
  @_noLocks
  mutating func apply(
    to channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int,
    deviceFrame: UInt64
  ) {
    var done = 0
    while done < frameCount, !isOff {
      let frame = Int(truncatingIfNeeded: deviceFrame) &+ done
      var count = Self.flushFrames &- (frame & (Self.flushFrames &- 1))
      if count > frameCount - done { count = frameCount - done }
      if !mix.isStill, count > mix.framesLeft { count = mix.framesLeft }
      if !change.isStill, count > change.framesLeft { count = change.framesLeft }
      unsafe applyAlike(to: channels, offset: done, frameCount: count)
      done += count
      if (frame &+ count) & (Self.flushFrames &- 1) == 0 { flush() }
      if isOff {
        reset()
      } else if change.isStill(at: 1) {
        endChange()
      }
    }
  }

  /// Filters a stretch in which no fade ends.
  @_noLocks
  private mutating func applyAlike(
    to channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, offset: Int,
    frameCount: Int
  ) {
    let isPlain = change.isStill && mix.isStill
    for channel in 0..<channelCount {
      let samples = unsafe channels[channel] + offset
      // A copy: Swift 6.3.1 makes no valid code for ThreadSanitizer of a filter that is changed in its place.
      var filter = unsafe filters[channel]
      if isPlain {
        unsafe filter.apply(coefficients, to: samples, frameCount: frameCount)
      } else {
        var next = unsafe coming[channel]
        unsafe filter.blend(
          coefficients, with: &next, comingCoefficients, change: change, mix: mix, to: samples,
          frameCount: frameCount)
        unsafe coming[channel] = next
      }
      unsafe filters[channel] = filter
    }
    mix.advance(by: frameCount)
    change.advance(by: frameCount)
  }

  @_noLocks
  private mutating func beginChange() {
    guard change.isStill, !wanted.isSame(as: coefficients) else { return }
    comingCoefficients = wanted
    for channel in 0..<channelCount { unsafe coming[channel] = HighPassFilter() }
    change.go(to: 1, frames: changeFrames)
  }

  @_noLocks
  private mutating func endChange() {
    coefficients = comingCoefficients
    for channel in 0..<channelCount { unsafe filters[channel] = coming[channel] }
    change.jump(to: 0)
    beginChange()
  }

  @_noLocks
  private func flush() {
    for channel in 0..<channelCount {
      unsafe filters[channel].flush()
      unsafe coming[channel].flush()
    }
  }

  /// Clears the filters' state for the next fade-in.
  @_noLocks
  private mutating func reset() {
    change.jump(to: 0)
    for channel in 0..<channelCount { unsafe filters[channel] = HighPassFilter() }
  }
}
