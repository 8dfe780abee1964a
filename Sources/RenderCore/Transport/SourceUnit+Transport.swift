// SPDX-License-Identifier: MIT

internal import Synchronization

/// The rendering of a source that follows a transport.
extension SourceUnit {
  /// The most sound that a cycle drops to catch up, in cycles: dropped sound has to be decoded.
  private static var droppedCycles: Int { @_noLocks get { 4 } }

  /// Renders like ``render(_:deviceFrame:into:)``, with each frame of sound at its position on the transport's time
  /// line. Sound begins and ends without a fade: a fade would add frames, and so move others.
  ///
  /// Real-time: wait-free, render thread only.
  @_noLocks
  mutating func renderFollowing(
    _ cycle: RenderCycle, deviceFrame: UInt64, mode: UInt32,
    into buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    // Read before the flushSerial, because the control side sets the flushSerial first.
    let answer = unsafe shared.pointee.transportAnswer.load(ordering: .acquiring)
    let wantedFlushSerial = unsafe shared.pointee.flushSerial.load(ordering: .acquiring)
    takeSettings()
    takeVolume()
    take(answer, at: cycle.transport.frame)
    if wantedFlushSerial != source.flushSerial {
      _ = adopt(wantedFlushSerial, fade: 1)
      follower.drop()
    }
    gain.setFade(1)
    takePlace()
    var given = 0
    startOffset = 0
    // Without a transport the source is silent, and stays at its position.
    if cycle.transport.frame >= 0 {
      let step = follower.step(
        cycle.transport, frameCount: cycle.frameCount, rate: max(1, outputRate))
      if step.asks { ask() }
      let isWanted = step.plays && mode == SourceMode.playCode
      work.isStarved = isWanted && isStarved
      if isWanted, !isStarved {
        startOffset = step.startOffset
        if unsafe drop(step.skip, atATime: cycle.frameCount, with: buffers),
          startOffset < cycle.frameCount
        {
          given = unsafe pull(cycle.frameCount - startOffset, into: buffers)
          unsafe applyGain(given, in: buffers)
          follower.advance(by: given)
        }
        work.bufferedNanoseconds = source.bufferedNanoseconds
      }
      if follower.takeLateness(cycle.transport) { noteUnderrun(at: outputFrames) }
    }
    unsafe silence(buffers, from: 0, to: startOffset)
    unsafe silence(buffers, from: startOffset + given, to: cycle.frameCount)
    if unsafe shared.pointee.measuresLevels.load(ordering: .relaxed) {
      unsafe shared.pointee.levels.measure(buffers, frameCount: cycle.frameCount)
    }
    publish(cycle, deviceFrame: deviceFrame, given: given)
  }

  /// Returns whether the sound for a frame of the transport is ready, or no sound will come: there is none, or it is
  /// held back whatever the transport does.
  @_noLocks
  func isReady(forTransportFrame frame: Int64) -> Bool {
    guard unsafe shared.pointee.followsTransport.load(ordering: .relaxed) else { return true }
    if follower.isSilent { return true }
    let mode = unsafe shared.pointee.mode.load(ordering: .acquiring)
    if mode == SourceMode.pauseCode || mode == SourceMode.leaveCode { return true }
    if mode != SourceMode.playCode {
      return unsafe !shared.pointee.holdsOutput.load(ordering: .relaxed)
    }
    return follower.isReady(for: frame) && !isStarved
  }

  /// Whether a request waits for its answer.
  var isAskingTransport: Bool {
    @_noLocks get {
      guard follower.isAsking else { return false }
      let answer = unsafe shared.pointee.transportAnswer.load(ordering: .acquiring)
      return UInt32(truncatingIfNeeded: answer >> 32) != follower.request
    }
  }

  @_noLocks
  private mutating func take(_ answer: UInt64, at frame: Int64) {
    let number = UInt32(truncatingIfNeeded: answer >> 32)
    if UInt32(truncatingIfNeeded: answer) == SourceShared.silenceCode {
      follower.takeSilence(for: number)
    } else {
      follower.takeHere(for: number, at: frame)
    }
  }

  /// Takes the position that comes with the next stream in the ring.
  @_noLocks
  private mutating func takePlace() {
    if outputRate != placedRate {
      placedRate = outputRate
      // The sound in the ring has other frame numbers now.
      if !follower.takesPlace { follower.lose() }
    }
    guard follower.takesPlace, hasNoConverter, let next = unsafe source.peekConverter() else {
      return
    }
    let nanoseconds = unsafe next.pointee.transportNanoseconds
    if nanoseconds < 0 { return }
    follower.place(
      at: Int64((Double(nanoseconds) * Double(outputRate) / 1_000_000_000 + 0.5)))
  }

  @_noLocks
  private func ask() {
    unsafe shared.pointee.transportRequest.store(
      UInt64(follower.request) << 32 | UInt64(follower.askedFrame), ordering: .releasing)
  }

  /// Takes sound out of the ring whose time has passed.
  ///
  /// - Returns: whether all of it was taken.
  @_noLocks
  private mutating func drop(
    _ frames: Int, atATime chunk: Int,
    with buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) -> Bool {
    var left = frames
    var budget = chunk &* Self.droppedCycles
    while left > 0, budget > 0 {
      let wanted = min(min(left, chunk), budget)
      let count = unsafe pull(wanted, into: buffers)
      outputFrames &+= UInt64(count)
      follower.advance(by: count)
      left -= count
      budget -= count
      if count < wanted { return false }
    }
    return left == 0
  }
}

extension RenderContext {
  /// Returns whether all sources that follow a transport have their sound ready for a frame of it, or have none there.
  /// For an output that a transport waits for.
  ///
  /// Real-time: wait-free. On the thread that renders, between two cycles.
  @_noLocks
  public func isReady(forTransportFrame frame: Int64) -> Bool {
    unsafe state.pointee.isReady(forTransportFrame: frame)
  }
}

extension RenderState {
  @_noLocks
  func isReady(forTransportFrame frame: Int64) -> Bool {
    let address = enter()
    defer { leave() }
    guard let plan = unsafe UnsafeMutablePointer<RenderPlan>(bitPattern: address) else {
      return true
    }
    for index in unsafe 0..<plan.pointee.units.count {
      if unsafe !plan.pointee.units[index].pointee.isReady(forTransportFrame: frame) {
        return false
      }
    }
    return true
  }
}
