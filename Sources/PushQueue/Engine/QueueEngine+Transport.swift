// SPDX-License-Identifier: MIT

internal import AudioConversion
internal import RenderCore

/// Starting, stopping, and returning all buffers.
extension QueueEngine {
  func checkAlive() throws(AudioQueueError) {
    guard !isDisposing, !isDisposed else {
      throw AudioQueueError(.disposalPending, "the queue is being disposed of")
    }
  }

  /// Begins to decode ahead, in the steps that follow.
  ///
  /// - Returns: false when priming has no effect now.
  func beginPriming(frames: Int) -> Bool {
    guard state == .stopped, !isPrimed else { return false }
    isPrimed = true
    // A minute is the most that is ever decoded ahead.
    primeFrames = min(max(0, frames), Int(60 * sampleRate))
    return true
  }

  /// Starts at a frame of the output; 0: at once. A paused queue resumes as it was, with its pending stop.
  func start(atDeviceFrame frame: UInt64) throws(AudioQueueError) {
    try checkAlive()
    if state != .paused { isStopping = false }
    guard state != .running else { return }
    if state == .stopped {
      isPrimed = true
      control.settleVolume()
    }
    deviceStartFrame = frame
    control.startFrame = frame
    control.holdsOutput = !hasWrittenEnd
    control.mode = .play
    state = .running
  }

  func pause() throws(AudioQueueError) {
    try checkAlive()
    guard state == .running else { return }
    control.holdsOutput = false
    control.mode = .pause
    state = .paused
  }

  /// Stops once everything has sounded; at once if nothing is being played.
  func stopWhenDrained() {
    guard state != .stopped else {
      stopNow()
      return
    }
    isStopping = true
  }

  /// Disposes of the queue when it has stopped: at once, or when everything has sounded. A paused queue drops
  /// its sound.
  ///
  /// - Throws: `disposalPending` when a disposal is pending; an immediate one is possible until the queue is
  ///   disposed of.
  func dispose(immediately: Bool) throws(AudioQueueError) {
    if !immediately || isDisposed { try checkAlive() }
    isDisposing = true
    if immediately || state == .paused { stopNow() } else { stopWhenDrained() }
  }

  /// Stops, returns all buffers, and restores the initial state.
  func stopNow() {
    noteStart()
    let wasRunning = isReportedRunning
    control.mode = .hold
    control.holdsOutput = false
    state = .stopped
    isStopping = false
    isPrimed = false
    primeFrames = 0
    deviceStartFrame = 0
    discard(restartsClock: true)
    if wasRunning {
      isReportedRunning = false
      calls.append(.changed(.isRunning))
    }
    if isDisposing { end() }
  }

  /// Returns all buffers and resets the decoder; playing sound is faded out.
  func reset() {
    if state == .stopped {
      isPrimed = false
      primeFrames = 0
    }
    discard(restartsClock: state == .stopped)
  }

  /// Ends the queue, which takes no more steps.
  func end() {
    guard !isDisposed else { return }
    isDisposing = true
    isDisposed = true
    control.holdsOutput = false
    renderer.remove(control)
  }

  private func discard(restartsClock: Bool) {
    if let entry = current { calls.append(.returned(entry.buffer)) }
    current = nil
    while let entry = entries.removeFirst() {
      if case .buffer(let entry) = entry { calls.append(.returned(entry.buffer)) }
    }
    converter.reset()
    decoderHasInput = false
    isFlushing = false
    held.removeAll(keepingCapacity: true)
    decoded.removeAll()
    decodedFrames = 0
    ready = []
    readyUsed = 0
    coming = ComingSettings()
    later.removeAll()
    // The rate of dropped sound no longer holds. A restarted clock runs at 1; a continued one has the rate of
    // the sound that played last.
    toldRate = restartsClock ? 1 : .nan
    timePitch.reset()
    lastStartFrame = nil
    hasStream = false
    writtenNanoseconds = 0
    flushSerial &+= 1
    feed.flushSerial = flushSerial
    if restartsClock {
      clockFlushSerial = flushSerial
      control.restartClock(withFlushSerial: flushSerial)
    } else {
      control.flushSerial = flushSerial
    }
    control.acknowledgeUnderruns()
  }

  /// Reports the start once the output has rendered the first frame.
  func noteStart() {
    guard state != .stopped, !isReportedRunning else { return }
    let position = control.position
    guard isOfThisRun(position.flushSerial), position.clockFrames > 0 else { return }
    isReportedRunning = true
    calls.append(.changed(.isRunning))
  }

  /// Returns whether a flush serial is not older than the one at which the clock was last at 0.
  /// Compared as a signed difference, because serials may wrap.
  func isOfThisRun(_ rendered: UInt32) -> Bool {
    Int32(bitPattern: rendered &- clockFlushSerial) >= 0
  }
}
