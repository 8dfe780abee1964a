// SPDX-License-Identifier: MIT

internal import AudioModel
internal import RenderCore

extension AudioQueue {
  /// Creates a time line, which reports each discontinuity of the queue's time once. Core Audio's
  /// `AudioQueueCreateTimeline`.
  public func makeTimeline() -> AudioQueueTimeline {
    AudioQueueTimeline(
      owner: ObjectIdentifier(core), discontinuities: core.locked { $0.discontinuities })
  }

  /// Returns the queue's time: frames of the source since it was started, including silence for want of
  /// buffers, excluding pauses; below 0 before a start at a future device time. It advances with each cycle of
  /// the output. With a play rate it follows the sound. Core Audio's `AudioQueueGetCurrentTime`.
  ///
  /// - Throws: `'stop'` while the queue is stopped, `disposalPending`.
  public func currentTime() throws(AudioQueueError) -> AudioQueueTime {
    try core.locked { engine throws(AudioQueueError) in try engine.currentTime() }
  }

  /// Returns the queue's time, and whether it has been discontinuous since the last call with this time line:
  /// the queue had nothing to play in time, or the output has changed its rate.
  ///
  /// - Throws: as ``currentTime()``, and `parameterError` for a time line of another queue.
  public func currentTime(
    on timeline: AudioQueueTimeline
  ) throws(AudioQueueError) -> (time: AudioQueueTime, isDiscontinuous: Bool) {
    guard timeline.owner == ObjectIdentifier(core) else {
      throw AudioQueueError(.parameterError, "the time line is another queue's")
    }
    let (time, discontinuities) = try core.locked { engine throws(AudioQueueError) in
      (try engine.currentTime(), engine.discontinuities)
    }
    return (time, timeline.takeDiscontinuity(discontinuities))
  }

  /// The number of underruns: the queue had nothing to play, although no end was announced.
  public var underrunCount: UInt64 { core.locked { $0.control.counters.underruns } }

  /// Returns the output's time: frames delivered to it since its renderer was made, and the time at which the
  /// next is due. Core Audio's `AudioQueueDeviceGetCurrentTime`.
  public func deviceCurrentTime() -> AudioQueueTime {
    core.locked { $0.deviceTime }
  }

  /// Converts an output's frame to a time on its clock, by the last cycle and the nominal rate. Core Audio's
  /// `AudioQueueDeviceTranslateTime`.
  public func deviceTime(atFrame frame: Double) -> AudioQueueTime {
    core.locked { engine in
      let now = engine.deviceTime
      let away = (frame - now.sampleTime) * 1e9 / engine.renderer.sampleRate
      return AudioQueueTime(
        sampleTime: frame,
        hostNanoseconds: UInt64(max(0, min(1e18, Double(now.hostNanoseconds) + away))))
    }
  }

  /// Returns the first time at or after this one at which a start is sure to be exact: after the cycle that may
  /// be under way. Core Audio's `AudioQueueDeviceGetNearestStartTime`.
  public func nearestStartTime(to time: Double) -> Double {
    core.locked { engine in
      let position = engine.control.position
      return max(
        time, Double(position.deviceFrame) + 2 * Double(position.cycleFrames))
    }
  }
}

extension QueueEngine {
  /// The number of underruns, and of changes of the output's rate.
  var discontinuities: UInt64 { control.counters.underruns + otherDiscontinuities }

  /// The output's time after the last cycle.
  var deviceTime: AudioQueueTime {
    let position = control.position
    let cycle = Double(position.cycleFrames) * 1e9 / renderer.sampleRate
    return AudioQueueTime(
      sampleTime: Double(position.deviceFrame) + Double(position.cycleFrames),
      hostNanoseconds: position.hostNanoseconds + UInt64(cycle))
  }

  func currentTime() throws(AudioQueueError) -> AudioQueueTime {
    try checkAlive()
    guard state != .stopped else {
      throw AudioQueueError(.stopped, "the queue is stopped and has no time")
    }
    let position = control.position
    let now = deviceTime
    var frames = isOfThisRun(position.flushSerial) ? position.clockFrames : 0
    let wait = Double(deviceStartFrame) - now.sampleTime
    if frames == 0, wait > 0 { frames = -wait * format.sampleRate / renderer.sampleRate }
    return AudioQueueTime(sampleTime: frames, hostNanoseconds: now.hostNanoseconds)
  }
}
