// SPDX-License-Identifier: MIT

extension AudioQueue {
  /// Decodes what is enqueued, ahead of ``start(atDeviceTime:)``. Core Audio's `AudioQueuePrime`.
  ///
  /// It returns when so many frames are decoded, or all that was enqueued is. Buffers that were used up on
  /// the way come back through the callback. It has no effect once the queue has been started or primed,
  /// until it is stopped or reset. It never waits, so that it cannot time out.
  ///
  /// - Parameter frameCount: frames of the source, at most a minute; 0 is ``decodeBufferSizeFrames``.
  /// - Returns: frames that are decoded.
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

  /// Steps until so many frames are decoded, or no more can be.
  private func step(untilPrepared frames: Int) {
    while core.locked({ frames <= 0 || $0.preparedFrames < frames }), core.step() {}
  }

  /// Starts, or goes on after ``pause()``. Core Audio's `AudioQueueStart`. Nothing is done to a queue that is
  /// running, but that a stop is called off whose end has not come; a pause is gone on from with its stop.
  ///
  /// It decodes a little first, and returns before the first frame is heard. With nothing enqueued the queue
  /// runs, and its time with it.
  ///
  /// - Parameter time: the output's frame at which to start, as ``deviceCurrentTime()`` counts; nil, or one
  ///   that has passed, is at once.
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

  /// Falls silent, with a short fade, and goes on with the very next frame when it is started again. The
  /// queue's time stands; nothing is given up. Core Audio's `AudioQueuePause`.
  ///
  /// - Throws: `disposalPending`.
  public func pause() throws(AudioQueueError) {
    try core.locked { engine throws(AudioQueueError) in try engine.pause() }
  }

  /// Stops. Core Audio's `AudioQueueStop`.
  ///
  /// - Parameter immediately: true stops at once: before this returns, every buffer has come back through the
  ///   callback, and listeners have been told. Called from inside a callback, the same holds, for the
  ///   callbacks after that one. False lets everything that is enqueued be heard first, and returns at
  ///   once; more may be enqueued until the last of it is on its way.
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

  /// Has what the decoder holds back at the end of what is enqueued be heard, and the decoder begin afresh
  /// after it. Core Audio's `AudioQueueFlush`. Returns at once; nothing stops, nothing is dropped.
  ///
  /// - Throws: `disposalPending`.
  public func flush() throws(AudioQueueError) {
    try core.locked { engine throws(AudioQueueError) in
      try engine.checkAlive()
      engine.entries.append(.flush)
    }
    core.ringProducer()
  }

  /// Drops everything that is enqueued or decoded, with a short fade, and gives the buffers back through the
  /// callback before it returns. The queue goes on running, and its time with it. Core Audio's
  /// `AudioQueueReset`.
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

  /// Ends the queue. Core Audio's `AudioQueueDispose`. Every later call throws `disposalPending`.
  ///
  /// - Parameter immediately: true stops at once, as ``stop(immediately:)`` does: nothing is called after this
  ///   has returned. False lets everything that is enqueued be heard first, with the callbacks, and returns
  ///   at once; a paused queue, which nobody can start any more, gives its buffers back unheard.
  /// - Throws: `disposalPending` when it has been called before; true is possible, too, while the end of what
  ///   is heard first is waited for.
  public func dispose(immediately: Bool) throws(AudioQueueError) {
    try core.locked { engine throws(AudioQueueError) in
      try engine.dispose(immediately: immediately)
      if immediately { engine.isReturningAll = true }
    }
    if immediately { returnAll() }
    core.ringProducer()
  }

  /// Makes the calls on this thread. Until they are made no buffer is taken.
  private func returnAll() {
    core.deliver()
    core.locked { $0.isReturningAll = false }
  }
}
