// SPDX-License-Identifier: MIT

/// A number on its way to another in a straight line.
struct LinearRamp {
  private(set) var value: Float
  private(set) var target: Float
  private(set) var framesLeft = 0
  private var step: Float = 0

  @_noLocks
  init(_ value: Float) {
    self.value = value
    target = value
  }

  var isStill: Bool { @_noLocks get { framesLeft == 0 } }

  @_noLocks
  mutating func jump(to value: Float) {
    self.value = value
    target = value
    framesLeft = 0
  }

  /// Goes to `target` in so many frames, at least one.
  @_noLocks
  mutating func go(to target: Float, frames: Int) {
    self.target = target
    if value == target {
      framesLeft = 0
      return
    }
    framesLeft = frames > 1 ? frames : 1
    step = (target - value) / Float(framesLeft)
  }

  @_noLocks
  mutating func advance() {
    if framesLeft == 0 { return }
    framesLeft &-= 1
    // From its end: steps that are added up go astray, and those too small for the value are lost.
    value = framesLeft == 0 ? target : target - step * Float(framesLeft)
  }
}

/// What a source's sound is multiplied by: the fade of pauses, the volume, and the pan.
///
/// Real-time: every call is wait-free, render thread only.
struct SourceGain {
  /// Frames over which a pause, a resume or a change is spread: 5 ms at 48 kHz.
  private static var rampFrames: Int { @_noLocks get { 240 } }

  private var fade = LinearRamp(1)
  private var volume = LinearRamp(1)
  /// From -1, left, to 1, right.
  private var pan = LinearRamp(0)

  @_noLocks
  init() {}

  /// Nothing sounds.
  var isSilent: Bool { @_noLocks get { fade.value == 0 || volume.value == 0 } }

  /// Sound stays as it is, now and as long as nothing is set.
  var isNeutral: Bool {
    @_noLocks get {
      fade.isStill && fade.value == 1 && volume.isStill && volume.value == 1 && pan.isStill
        && pan.value == 0
    }
  }

  /// Frames until a fade that was begun is over.
  var fadeFramesLeft: Int { @_noLocks get { fade.framesLeft } }

  var targetVolume: Float { @_noLocks get { volume.target } }
  var targetPan: Float { @_noLocks get { pan.target } }

  /// After silence sound begins as it is, without a ramp.
  @_noLocks
  mutating func settle() {
    fade.jump(to: 1)
    volume.jump(to: volume.target)
    pan.jump(to: pan.target)
  }

  /// The fade stands at its beginning or its end.
  @_noLocks
  mutating func setFade(_ value: Float) {
    fade.jump(to: value)
  }

  /// Sound goes on from silence.
  @_noLocks
  mutating func restartFade() {
    let target = fade.target
    fade.jump(to: 0)
    beginFade(to: target)
  }

  /// Begins a fade, unless it has begun.
  @_noLocks
  mutating func beginFade(to target: Float) {
    if fade.target == target { return }
    let distance = target > fade.value ? target - fade.value : fade.value - target
    fade.go(to: target, frames: Int(distance * Float(Self.rampFrames) + 0.5))
  }

  @_noLocks
  mutating func setVolume(_ target: Float, rampFrames: Int) {
    volume.go(to: target, frames: rampFrames > Self.rampFrames ? rampFrames : Self.rampFrames)
  }

  /// Sound that comes begins at this volume.
  @_noLocks
  mutating func settleVolume(at value: Float) {
    volume.jump(to: value)
  }

  @_noLocks
  mutating func setPan(_ target: Float) {
    pan.go(to: target, frames: Self.rampFrames)
  }

  /// Multiplies so many frames of every buffer, from `offset` on. Nothing is done to what stays as it is.
  @_noLocks
  mutating func apply(
    to buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, offset: Int, frames: Int
  ) {
    if fade.isStill, volume.isStill, pan.isStill {
      let level = fade.value * volume.value
      if level == 1, pan.value == 0 { return }
      for channel in 0..<buffers.count {
        let factor = level * panFactor(pan.value, channel: channel, of: buffers.count)
        if factor == 1 { continue }
        let samples = unsafe buffers[channel] + offset
        for i in 0..<frames { unsafe samples[i] *= factor }
      }
      return
    }
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

  /// A balance: the side that the sound is moved away from gets softer, the other stays as it is. For the
  /// first two of several channels.
  @_noLocks
  private func panFactor(_ pan: Float, channel: Int, of channels: Int) -> Float {
    if channels < 2 { return 1 }
    if channel == 0 { return pan > 0 ? 1 - pan : 1 }
    if channel == 1 { return pan < 0 ? 1 + pan : 1 }
    return 1
  }
}
