// SPDX-License-Identifier: MIT

internal import Synchronization

/// The settings of a source from the control side and from packets, and the frames at which they take effect.
extension SourceUnit {
  /// Takes the settings from the control side since the cycle before, except the volume.
  @_noLocks
  mutating func takeSettings() {
    outputRate = unsafe shared.pointee.outputRate.load(ordering: .relaxed)
    let clockRate = unsafe shared.pointee.clockRateBits.load(ordering: .relaxed)
    clock.setRates(hertz: Double(bitPattern: clockRate), outputRate: outputRate)
    let pan = unsafe shared.pointee.pan.load(ordering: .acquiring)
    if UInt32(truncatingIfNeeded: pan >> 32) != takenPan {
      takenPan = UInt32(truncatingIfNeeded: pan >> 32)
      setPan(Float(bitPattern: UInt32(truncatingIfNeeded: pan)))
      unsafe shared.pointee.takenPan.store(takenPan, ordering: .releasing)
    }
  }

  /// Takes the volume that the control side has set since the cycle before, and the starting volume.
  @_noLocks
  mutating func takeVolume() {
    // Loaded first, with acquire: the loads below then see the ramp and starting volume that were set before it.
    let volume = unsafe shared.pointee.volume.load(ordering: .acquiring)
    let ramp = unsafe shared.pointee.rampSeconds.load(ordering: .acquiring)
    if UInt32(truncatingIfNeeded: ramp >> 32) != takenRampSeconds {
      takenRampSeconds = UInt32(truncatingIfNeeded: ramp >> 32)
      setRampSeconds(Float(bitPattern: UInt32(truncatingIfNeeded: ramp)))
      unsafe shared.pointee.takenRampSeconds.store(takenRampSeconds, ordering: .releasing)
    }
    let settled = unsafe shared.pointee.settledVolume.load(ordering: .acquiring)
    if UInt32(truncatingIfNeeded: settled >> 32) != takenSettledVolume {
      takenSettledVolume = UInt32(truncatingIfNeeded: settled >> 32)
      gain.settleVolume(at: Float(bitPattern: UInt32(truncatingIfNeeded: settled)))
    }
    if UInt32(truncatingIfNeeded: volume >> 32) != takenVolume {
      takenVolume = UInt32(truncatingIfNeeded: volume >> 32)
      setVolume(Float(bitPattern: UInt32(truncatingIfNeeded: volume)))
      unsafe shared.pointee.takenVolume.store(takenVolume, ordering: .releasing)
    }
  }

  @_noLocks
  private mutating func setVolume(_ volume: Float) {
    let frames = Gain.frames(
      max(Gain.fadeSeconds, Double(rampSeconds)), at: Double(outputRate))
    gain.setVolume(volume, frames: frames)
    unsafe shared.pointee.effectiveVolumeBits.store(volume.bitPattern, ordering: .releasing)
  }

  @_noLocks
  private mutating func setRampSeconds(_ seconds: Float) {
    rampSeconds = seconds
    unsafe shared.pointee.effectiveRampSecondsBits.store(seconds.bitPattern, ordering: .releasing)
  }

  @_noLocks
  private mutating func setPan(_ pan: Float) {
    gain.setPan(pan, frames: fadeFrames)
    unsafe shared.pointee.effectivePanBits.store(pan.bitPattern, ordering: .releasing)
  }

  /// Applies the gain to `frames` frames that were pulled, and advances the clock, with the settings that take effect
  /// in these frames.
  @_noLocks
  mutating func applyGain(
    _ frames: Int, in buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    var done = 0
    while done < frames {
      var count = frames - done
      if schedule.count > 0 {
        let frame = outputFrames &+ UInt64(done)
        if schedule.firstFrame <= frame {
          apply(schedule.removeFirst())
          continue
        }
        let wait = schedule.firstFrame &- frame
        if wait < UInt64(count) { count = Int(wait) }
      }
      if fadeInFrame != .max {
        let frame = outputFrames &+ UInt64(done)
        if fadeInFrame <= frame {
          gain.restartFade(frames: fadeFrames)
          fadeInFrame = .max
        } else if fadeInFrame &- frame < UInt64(count) {
          count = Int(fadeInFrame &- frame)
        }
      }
      unsafe gain.apply(to: buffers, offset: startOffset + done, frames: count)
      clock.advance(count)
      done += count
    }
  }

  @_noLocks
  mutating func apply(_ settings: SourceSettings) {
    // NaN is unequal to itself.
    if settings.codedRampSeconds == settings.codedRampSeconds {
      setRampSeconds(settings.codedRampSeconds)
    }
    if settings.codedVolume == settings.codedVolume { setVolume(settings.codedVolume) }
    if settings.codedPan == settings.codedPan { setPan(settings.codedPan) }
    if settings.codedRate == settings.codedRate { clock.setRate(settings.codedRate) }
  }

  /// Fades the sound in from a frame on, because it does not continue the sound before. If a transport is followed, no
  /// frame is changed.
  @_noLocks
  mutating func fadeIn(from frame: UInt64) {
    if unsafe shared.pointee.followsTransport.load(ordering: .relaxed) { return }
    fadeInFrame = frame
  }
}
