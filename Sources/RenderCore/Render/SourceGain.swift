// SPDX-License-Identifier: MIT

/// The factor of a source's sound: the fade of pauses and seeks, the volume, and the pan.
///
/// Real-time: every call is wait-free, render thread only.
struct SourceGain {
  private var fade = Gain(1)
  private var volume = Gain(1)
  /// From -1, left, to 1, right.
  private var pan = Gain(0)

  @_noLocks
  init() {}

  /// Whether the gain is 0, now and until a setting changes.
  var isSilent: Bool { @_noLocks get { fade.isStill(at: 0) || volume.isStill(at: 0) } }

  /// Whether the gain changes no sample, now and until a setting changes.
  var isNeutral: Bool {
    @_noLocks get { fade.isStill(at: 1) && volume.isStill(at: 1) && pan.isStill(at: 0) }
  }

  /// Frames until a fade that has begun ends.
  var fadeFramesLeft: Int { @_noLocks get { fade.framesLeft } }

  /// Makes sound after silence begin without a fade.
  @_noLocks
  mutating func settle() {
    fade.jump(to: 1)
    volume.jump(to: volume.target)
    pan.jump(to: pan.target)
  }

  /// Sets the fade to its beginning or its end.
  @_noLocks
  mutating func setFade(_ value: Float) {
    fade.jump(to: value)
  }

  /// Restarts the fade from silence.
  @_noLocks
  mutating func restartFade(frames: Int) {
    let target = fade.target
    fade.jump(to: 0)
    fade.go(to: target, frames: frames)
  }

  /// Begins a fade, unless it has begun already.
  @_noLocks
  mutating func beginFade(to target: Float, frames: Int) {
    fade.go(to: target, frames: frames)
  }

  @_noLocks
  mutating func setVolume(_ target: Float, frames: Int) {
    volume.go(to: target, frames: frames)
  }

  /// Sets the starting volume of sound that follows.
  @_noLocks
  mutating func settleVolume(at value: Float) {
    volume.jump(to: value)
  }

  @_noLocks
  mutating func setPan(_ target: Float, frames: Int) {
    pan.go(to: target, frames: frames)
  }

  /// Multiplies `frames` frames of every buffer, from `offset` on. Skips channels with a gain of 1.
  @_noLocks
  mutating func apply(
    to buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, offset: Int, frames: Int
  ) {
    var moving = 0
    if !(fade.isStill && volume.isStill && pan.isStill) {
      moving = min(frames, max(fade.framesLeft, max(volume.framesLeft, pan.framesLeft)))
      unsafe applyMoving(to: buffers, offset: offset, frames: moving)
    }
    let level = fade.value * volume.value
    if level == 1, pan.value == 0 { return }
    for channel in 0..<buffers.count {
      let factor = level * panFactor(pan.value, channel: channel, of: buffers.count)
      if factor == 1 { continue }
      let samples = unsafe buffers[channel] + offset
      for i in moving..<frames { unsafe samples[i] *= factor }
    }
  }

  @_noLocks @inline(never)
  private mutating func applyMoving(
    to buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, offset: Int, frames: Int
  ) {
    var (fade, volume, pan) = (fade, volume, pan)
    for channel in 0..<buffers.count {
      (fade, volume, pan) = (self.fade, self.volume, self.pan)
      let samples = unsafe buffers[channel] + offset
      for i in 0..<frames {
        fade.advance()
        volume.advance()
        pan.advance()
        let factor = panFactor(pan.value, channel: channel, of: buffers.count)
        unsafe samples[i] *= fade.value * volume.value * factor
      }
    }
    (self.fade, self.volume, self.pan) = (fade, volume, pan)
  }

  /// Returns the factor of a balance: the side that the sound is moved away from gets softer, the other does not
  /// change. For the first two of several channels.
  @_noLocks
  private func panFactor(_ pan: Float, channel: Int, of channels: Int) -> Float {
    if channels < 2 { return 1 }
    if channel == 0 { return pan > 0 ? 1 - pan : 1 }
    if channel == 1 { return pan < 0 ? 1 + pan : 1 }
    return 1
  }
}
