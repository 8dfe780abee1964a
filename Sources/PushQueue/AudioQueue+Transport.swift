// SPDX-License-Identifier: MIT

extension AudioQueue {
  /// Decodes enqueued packets, ahead of ``start(atDeviceTime:)``. Core Audio's `AudioQueuePrime`.
  ///
  /// It returns when the requested frames, or all enqueued ones, are decoded. Buffers used up meanwhile come
  /// back through the callback. It has no effect once the queue has been started or primed, until it is stopped
  /// or reset. It never waits, so that it cannot time out.
  ///
  /// - Parameter frameCount: frames of the source, at most a minute; 0 stands for ``decodeBufferSizeFrames``.
  /// - Returns: the number of decoded frames.
  /// - Throws: `disposalPending`.
  @discardableResult
  public func prime(frameCount: Int = 0) throws(AudioQueueError) -> Int {
    let begins = try core.locked { engine throws(AudioQueueError) in
      try engine.checkAlive()
      return engine.beginPriming(frames: frameCount)
    }
    if begins { step(untilPrepared: frameCount) }
    return core.locked { $0.preparedFrames }
  }

  /// Steps until this many frames are decoded, or no more can be.
  private func step(untilPrepared frames: Int) {
    while core.locked({ frames <= 0 || $0.preparedFrames < frames }), core.step() {}
  }

  /// Starts or resumes the queue. Core Audio's `AudioQueueStart`. If the queue is running, this only cancels a
  /// pending asynchronous stop. A paused queue resumes with its pending stop.
  ///
  /// It decodes a little first, and returns before the first frame sounds. With nothing enqueued the queue
  /// runs, and its time with it.
  ///
  /// - Parameter time: the output's frame at which to start, as in ``deviceCurrentTime()``; nil, or a time that
  ///   has passed: at once.
  /// - Throws: `disposalPending`.
  public func start(atDeviceTime time: Double? = nil) throws(AudioQueueError) {
    let isStopped = try core.locked { engine throws(AudioQueueError) in
      try engine.checkAlive()
      if engine.state == .stopped { engine.isPrimed = true }
      return engine.state == .stopped
    }
    if isStopped { step(untilPrepared: core.locked { Int($0.sampleRate / 10) }) }
    let frame = time.map { $0 >= 1 && $0 < 1e18 ? UInt64($0.rounded()) : 0 } ?? 0
    try core.locked { engine throws(AudioQueueError) in try engine.start(atDeviceFrame: frame) }
    core.ringProducer()
  }

  /// Pauses with a short fade; the next start resumes with the very next frame. The queue's time stands still;
  /// nothing is dropped. Core Audio's `AudioQueuePause`.
  ///
  /// - Throws: `disposalPending`.
  public func pause() throws(AudioQueueError) {
    try core.locked { engine throws(AudioQueueError) in try engine.pause() }
  }

  /// Stops the queue. Core Audio's `AudioQueueStop`.
  ///
  /// - Parameter immediately: true stops at once: before this returns, every buffer has come back through the
  ///   callback, and listeners have been notified. Called from inside a callback, the same holds, for the
  ///   callbacks after that one. False plays all enqueued buffers first, and returns at once; more may be
  ///   enqueued until the last of them is on its way.
  /// - Throws: `disposalPending`.
  public func stop(immediately: Bool) throws(AudioQueueError) {
    guard immediately else {
      try core.locked { engine throws(AudioQueueError) in
        try engine.checkAlive()
        engine.stopWhenDrained()
      }
      core.ringProducer()
      return
    }
    try core.locked { engine throws(AudioQueueError) in
      try engine.checkAlive()
      engine.stopNow()
      engine.isReturningAll = true
    }
    returnAll()
  }

  /// Plays the decoder's remainder at the end of the enqueued buffers, and resets the decoder after it. Core
  /// Audio's `AudioQueueFlush`. Returns at once; nothing stops, nothing is dropped.
  ///
  /// - Throws: `disposalPending`.
  public func flush() throws(AudioQueueError) {
    try core.locked { engine throws(AudioQueueError) in
      try engine.checkAlive()
      engine.entries.append(.flush)
    }
    core.ringProducer()
  }

  /// Drops everything that is enqueued or decoded, with a short fade, and returns the buffers through the
  /// callback during the call. The queue goes on running, and its time with it. Core Audio's `AudioQueueReset`.
  ///
  /// - Throws: `disposalPending`.
  public func reset() throws(AudioQueueError) {
    try core.locked { engine throws(AudioQueueError) in
      try engine.checkAlive()
      engine.reset()
      engine.isReturningAll = true
    }
    returnAll()
  }

  /// Disposes of the queue. Core Audio's `AudioQueueDispose`. Every later call throws `disposalPending`.
  ///
  /// - Parameter immediately: true stops at once, as ``stop(immediately:)`` does: no callback follows after
  ///   this has returned. False plays all enqueued buffers first, with the callbacks, and returns at once; a
  ///   paused queue, which can no longer be started, returns its buffers unplayed.
  /// - Throws: `disposalPending` on a second call; but true is possible while an earlier disposal with false is
  ///   pending.
  public func dispose(immediately: Bool) throws(AudioQueueError) {
    try core.locked { engine throws(AudioQueueError) in
      try engine.dispose(immediately: immediately)
      if immediately { engine.isReturningAll = true }
    }
    if immediately { returnAll() }
    core.ringProducer()
  }

  /// Makes the pending calls on this thread. Until they are made no buffer is accepted.
  private func returnAll() {
    core.deliver()
    core.locked { $0.isReturningAll = false }
  }
}
