// SPDX-License-Identifier: MIT

internal import AudioConversion
internal import RenderCore

/// Starting, stopping, and what gives all buffers back.
extension QueueEngine {
  func checkAlive() throws(AudioQueueError) {
    guard !isDisposing, !isDisposed else {
      throw AudioQueueError(.disposalPending, "the queue is being disposed of")
    }
  }

  /// Begins to decode ahead, which the steps that follow do.
  ///
  /// - Returns: false when priming has no effect now.
  func beginPriming(frames: Int) -> Bool {
    guard state == .stopped, !isPrimed else { return false }
    isPrimed = true
    // A minute is the most that is ever decoded ahead.
    primeFrames = min(max(0, frames), Int(60 * sampleRate))
    return true
  }

  /// Starts at a frame of the output; 0 is at once. A pause is gone on from as it was, with its stop if it has
  /// one.
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
    control.isAwaited = !hasWrittenEnd
    control.mode = .play
    state = .running
  }

  func pause() throws(AudioQueueError) {
    try checkAlive()
    guard state == .running else { return }
    control.isAwaited = false
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

  /// Goes when it has stopped: at once, or when everything has sounded. What is paused will not sound.
  ///
  /// - Throws: `disposalPending` when it is going; at once it may go all the same until it has gone.
  func dispose(immediately: Bool) throws(AudioQueueError) {
    if !immediately || isDisposed { try checkAlive() }
    isDisposing = true
    if immediately || state == .paused { stopNow() } else { stopWhenDrained() }
  }

  /// Stops, gives back all buffers, and is as new.
  func stopNow() {
    noteStart()
    let wasRunning = isReportedRunning
    control.mode = .hold
    control.isAwaited = false
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

  /// Gives back all buffers and makes the decoder new; what sounds is faded out.
  func reset() {
    if state == .stopped {
      isPrimed = false
      primeFrames = 0
    }
    discard(restartsClock: state == .stopped)
  }

  /// The queue takes no step any more.
  func end() {
    guard !isDisposed else { return }
    isDisposing = true
    isDisposed = true
    control.isAwaited = false
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
    // What was told and dropped holds no more. A clock that begins again goes at 1; one that goes on has the
    // rate of what was heard last.
    toldRate = restartsClock ? 1 : .nan
    timePitch.reset()
    lastStartFrame = nil
    hasStream = false
    writtenNanoseconds = 0
    generation &+= 1
    feed.generation = generation
    if restartsClock {
      clockGeneration = generation
      control.restartClock(withGeneration: generation)
    } else {
      control.generation = generation
    }
    control.acknowledgeUnderruns()
  }

  /// Tells the start once the output has rendered the first frame.
  func noteStart() {
    guard state != .stopped, !isReportedRunning else { return }
    let position = control.position
    guard isOfThisRun(position.generation), position.clockFrames > 0 else { return }
    isReportedRunning = true
    calls.append(.changed(.isRunning))
  }

  /// Whether a generation is one since the clock was last at 0. Compared as a signed difference, because
  /// they may wrap.
  func isOfThisRun(_ rendered: UInt32) -> Bool {
    Int32(bitPattern: rendered &- clockGeneration) >= 0
  }
}
