// SPDX-License-Identifier: MIT

/// The high-pass of several channels, which comes, goes and changes its corner without a click.
///
/// With a new corner the old and the new filters run side by side, the new ones from rest, and the sound goes over from
/// one to the other. A corner that is set meanwhile waits until that is over; of several the last one holds.
///
/// Real-time: every call is wait-free, render thread only.
@safe
struct HighPassBank: ~Copyable {
  /// Seconds in which the sound goes over to a new corner.
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
  /// How much of the coming filters' result is taken.
  private var change = Gain(0)
  /// How much of the filters' result is taken, and of what came.
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

  /// Samples stay as they are.
  var isOff: Bool { @_noLocks get { mix.isStill(at: 0) } }

  /// Turns it on, or to other coefficients.
  ///
  /// - Parameters:
  ///   - frames: in which it comes.
  ///   - changeFrames: in which the sound goes over to other coefficients.
  @_noLocks
  mutating func turnOn(_ wanted: HighPassCoefficients, frames: Int, changeFrames: Int) {
    self.wanted = wanted
    self.changeFrames = changeFrames
    if isOff { coefficients = wanted }
    mix.go(to: 1, frames: frames)
    beginChange()
  }

  /// - Parameter frames: in which it goes.
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

  /// Frames in which no gain ends.
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

  /// At rest again, for the next time that it is turned on.
  @_noLocks
  private mutating func reset() {
    change.jump(to: 0)
    for channel in 0..<channelCount { unsafe filters[channel] = HighPassFilter() }
  }
}
