// SPDX-License-Identifier: MIT

internal import Synchronization

/// The render side of an edge. Owned by the render thread while an output runs.
///
/// Real-time: every call is wait-free, render thread only.
@safe
struct EdgeState: ~Copyable {
  private var gain: Gain
  private var delay: DelayLine
  private var schedule: UnsafeMutablePointer<GainSchedule>?
  /// The last change of the gain by an edit.
  private var change = UInt64.max
  /// The serial of the last plan in which the gain rested at 0.
  let silentSerial = Atomic<UInt64>(0)

  init(gain: Float, delayFrames: Int, channels: Int) {
    self.gain = Gain(gain)
    delay = DelayLine(frames: delayFrames, channels: channels)
  }

  /// Begins the fade of a plan, if the gain has been changed for it.
  ///
  /// - Parameters:
  ///   - frames: the length of the fade.
  ///   - wait: frames before the fade, besides those of the step.
  @_noLocks
  mutating func begin(_ step: EdgeStep, frames: Int, after wait: Int) {
    unsafe schedule = unsafe step.schedule
    if step.change == change { return }
    change = step.change
    gain.go(to: step.target, frames: frames, after: wait &+ step.waitFrames)
  }

  /// Scales the buffers that the edge shares with its source, in place.
  @_noLocks @inline(never)
  mutating func scale(
    _ buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int,
    deviceFrame: UInt64, serial: UInt64
  ) {
    if unsafe schedule == nil, gain.isStill(at: 1) { return }
    var start = 0
    while start < frameCount {
      let end = start &+ framesUntilEvent(deviceFrame &+ UInt64(start), limit: frameCount &- start)
      unsafe scale(buffers, from: start, to: end)
      start = end
    }
    noteSilence(serial)
  }

  @_noLocks
  private mutating func scale(
    _ buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, from start: Int, to end: Int
  ) {
    if gain.isStill(at: 1) { return }
    let left = end &- start
    let moving = gain.framesLeft < left ? gain.framesLeft : left
    for channel in 0..<buffers.count {
      let samples = unsafe buffers[channel] + start
      var gain = gain
      for i in 0..<moving {
        gain.advance()
        unsafe samples[i] *= gain.value
      }
      let value = gain.value
      if value == 1 { continue }
      // Multiplication would keep a NaN.
      if value == 0 {
        unsafe (samples + moving).update(repeating: 0, count: left - moving)
        continue
      }
      for i in moving..<left { unsafe samples[i] *= value }
    }
    gain.advance(by: moving)
  }

  /// Adds the source's buffers, delayed and scaled, to the target's.
  @_noLocks @inline(never)
  mutating func add(
    _ sources: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>,
    to targets: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int,
    deviceFrame: UInt64, serial: UInt64
  ) {
    var sources = unsafe sources
    if delay.frames > 0 { unsafe sources = delay.pass(sources, frameCount: frameCount) }
    var start = 0
    while start < frameCount {
      let end = start &+ framesUntilEvent(deviceFrame &+ UInt64(start), limit: frameCount &- start)
      unsafe add(sources, to: targets, from: start, to: end)
      start = end
    }
    noteSilence(serial)
  }

  @_noLocks
  private mutating func add(
    _ sources: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>,
    to targets: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, from start: Int,
    to end: Int
  ) {
    if gain.isStill(at: 0) { return }
    let left = end &- start
    let moving = gain.framesLeft < left ? gain.framesLeft : left
    for channel in 0..<sources.count {
      let source = unsafe sources[channel] + start
      let target = unsafe targets[channel] + start
      var gain = gain
      for i in 0..<moving {
        gain.advance()
        unsafe target[i] += gain.value * source[i]
      }
      let value = gain.value
      if value == 0 { continue }
      if value == 1 {
        for i in moving..<left { unsafe target[i] += source[i] }
      } else {
        for i in moving..<left { unsafe target[i] += value * source[i] }
      }
    }
    gain.advance(by: moving)
  }

  /// Begins the ramps that are scheduled for a frame or for an earlier one.
  ///
  /// - Parameter limit: the greatest result.
  /// - Returns: the frames until the next ramp begins.
  @_noLocks
  private mutating func framesUntilEvent(_ frame: UInt64, limit: Int) -> Int {
    guard let schedule = unsafe schedule else { return limit }
    while let event = unsafe schedule.pointee.first(since: change) {
      if event.frame > frame {
        let frames = event.frame &- frame
        return frames < UInt64(limit) ? Int(frames) : limit
      }
      gain.go(to: event.gain, frames: event.frameCount)
      unsafe schedule.pointee.removeFirst()
    }
    return limit
  }

  @_noLocks
  private func noteSilence(_ serial: UInt64) {
    guard gain.isStill(at: 0), silentSerial.load(ordering: .relaxed) != serial else { return }
    silentSerial.store(serial, ordering: .releasing)
  }
}
