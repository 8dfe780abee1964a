// SPDX-License-Identifier: MIT

internal import Synchronization

/// The successive streams in a source's ring.
extension SourceUnit {
  /// Takes the next stream's converter, if its mark is the next entry in the ring.
  @_noLocks
  mutating func beginStream(at frame: UInt64) -> Bool {
    guard let next = unsafe source.takeConverter() else { return false }
    unsafe converter = next
    unsafe streamID = next.pointee.streamID
    publishedPackets = 0
    publishedFailures = 0
    // The rate has changed while there was no sound.
    let rate = unsafe next.pointee.outputRate
    if rate == outputRate, rate != toldRate { tellRate(rate, at: frame, droppedNanoseconds: 0) }
    let origin = unsafe next.pointee.origin
    emit(
      SourceEvent.streamStartedCode, at: frame, UInt64(bitPattern: Int64(origin.track)),
      origin.codedNanoseconds)
    publishStream(origin, at: frame)
    // A seek has led into the middle of a track. The source's first sound begins without a fade.
    if frame > 0, origin.codedNanoseconds != 0, origin.codedNanoseconds != StreamOrigin.noTime {
      fadeIn(from: frame)
    }
    return true
  }

  /// Changes to a stream that joins this one without a gap, through the same resampler.
  @_noLocks
  mutating func joinNextStream(at frame: UInt64) -> Bool {
    guard let previous = unsafe converter, let joining = unsafe source.peekJoiningConverter()
    else { return false }
    if unsafe joining.pointee.outputRate != outputRate {
      _ = unsafe joining.pointee.takeOfferedChange()
    }
    guard unsafe previous.pointee.canBeJoined(by: joining) else { return false }
    // The frames in the resampler still belong to the old stream.
    let boundary = unsafe frame &+ UInt64(previous.pointee.pendingOutputFrames)
    emit(SourceEvent.streamEndedCode, at: boundary)
    unsafe joining.pointee.join(after: previous)
    unsafe retire(previous)
    return beginStream(at: boundary)
  }

  /// Returns whether the converter has the output's rate, or can have it from here on. Until the feeder has made a
  /// resampler for a new rate there is silence.
  @_noLocks
  mutating func hasOutputRate(
    _ converter: UnsafeMutablePointer<StreamConverter>, at frame: UInt64
  ) -> Bool {
    if unsafe converter.pointee.outputRate == outputRate { return true }
    let oldRate = unsafe converter.pointee.outputRate
    guard let dropped = unsafe converter.pointee.takeOfferedChange() else { return false }
    let rate = unsafe converter.pointee.outputRate
    let change = OutputRateChange(
      frame: frame, from: Double(oldRate), to: Double(rate), droppedNanoseconds: dropped)
    // Decoded sound that has not been output keeps its position in the sound.
    schedule.follow(change)
    moveStreamStart(by: change)
    tellRate(rate, at: frame, droppedNanoseconds: dropped)
    // The following frames do not continue the last ones exactly.
    fadeIn(from: frame)
    return rate == outputRate
  }

  @_noLocks @inline(never)
  mutating func endStream(at frame: UInt64) {
    emit(SourceEvent.streamEndedCode, at: frame)
    discardConverter()
    source.releaseEndOfStream()
  }

  @_noLocks
  private mutating func discardConverter() {
    if let converter = unsafe converter { unsafe retire(converter) }
    unsafe converter = nil
    isDraining = false
  }

  @_noLocks
  private func retire(_ converter: UnsafeMutablePointer<StreamConverter>) {
    // Never full: the feeder's side makes no more converters than the ring can hold.
    _ = retired.push(ReturnRing.Record(UInt64(UInt(bitPattern: converter))))
  }

  /// Drops all entries with older flush serials and starts afresh.
  ///
  /// - Returns: whether the clock was reset to 0.
  @_noLocks
  mutating func adopt(_ flushSerial: UInt32, fade: Float) -> Bool {
    discardConverter()
    source.releaseHeldPacket()
    let previous = source.flushSerial
    source.flushSerial = flushSerial
    var stale: UInt64 = 0
    while let dropped = source.dropStaleEntry() {
      if let converter = unsafe dropped.converter { unsafe retire(converter) }
      if dropped.isPacket { stale &+= 1 }
    }
    gain.setFade(fade)
    fadeInFrame = .max
    schedule.removeAll()
    let clockFlushSerial = unsafe shared.pointee.clockFlushSerial.load(ordering: .acquiring)
    // Flush serials are compared as signed differences, because they may wrap.
    let restarts =
      Int32(bitPattern: clockFlushSerial &- previous) > 0
      && Int32(bitPattern: flushSerial &- clockFlushSerial) >= 0
    if restarts { clock.restart() }
    unsafe shared.pointee.stalePackets.grow(by: stale)
    unsafe shared.pointee.renderedFlushSerial.store(flushSerial, ordering: .releasing)
    return restarts
  }

  @_noLocks
  mutating func countPackets() {
    guard let converter = unsafe converter else { return }
    let packets = unsafe converter.pointee.packetCount
    if packets == publishedPackets { return }
    unsafe shared.pointee.packets.grow(by: packets &- publishedPackets)
    work.packets &+= packets &- publishedPackets
    publishedPackets = packets
    let failures = unsafe converter.pointee.failedPacketCount
    if failures == publishedFailures { return }
    unsafe shared.pointee.failedPackets.grow(by: failures &- publishedFailures)
    publishedFailures = failures
  }

  @_noLocks
  func emit(_ code: UInt64, at frame: UInt64, _ first: UInt64 = 0, _ second: UInt64 = 0) {
    let record = ReturnRing.Record(code << 32 | UInt64(streamID), frame, first, second)
    if !events.push(record) {
      unsafe shared.pointee.droppedEvents.grow(by: 1)
    }
  }

  /// Publishes the next stream. The frames before it may not have been published yet: until they are, it begins behind
  /// the position.
  @_noLocks
  private func publishStream(_ origin: StreamOrigin, at frame: UInt64) {
    let block = unsafe shared
    let sequence = beginWriting()
    unsafe block.pointee.streamID.store(streamID, ordering: .releasing)
    unsafe block.pointee.streamStartFrame.store(frame, ordering: .releasing)
    unsafe block.pointee.streamTrack.store(origin.track, ordering: .releasing)
    unsafe block.pointee.streamStartNanoseconds.store(
      origin.codedNanoseconds, ordering: .releasing)
    unsafe block.pointee.sequence.store(sequence &+ 1, ordering: .releasing)
  }

  /// Reports a change of rate from a frame on: as an event to the feeder, and in the position for threads that read it
  /// before that event.
  @_noLocks
  private mutating func tellRate(_ hertz: Int, at frame: UInt64, droppedNanoseconds: UInt64) {
    toldRate = hertz
    emit(SourceEvent.rateChangedCode, at: frame, UInt64(hertz), droppedNanoseconds)
    let block = unsafe shared
    let sequence = beginWriting()
    unsafe block.pointee.rateHertz.store(hertz, ordering: .releasing)
    unsafe block.pointee.rateStartFrame.store(frame, ordering: .releasing)
    unsafe block.pointee.rateDroppedNanoseconds.store(droppedNanoseconds, ordering: .releasing)
    unsafe block.pointee.sequence.store(sequence &+ 1, ordering: .releasing)
  }

  /// Updates the start of a stream that begins in decoded sound which has not been output: its frame is another one
  /// now.
  @_noLocks
  private func moveStreamStart(by change: OutputRateChange) {
    let block = unsafe shared
    let start = unsafe block.pointee.streamStartFrame.load(ordering: .relaxed)
    let sequence = beginWriting()
    unsafe block.pointee.streamStartFrame.store(change.frame(for: start), ordering: .releasing)
    unsafe block.pointee.sequence.store(sequence &+ 1, ordering: .releasing)
  }

  /// Begins writing the position, with an odd sequence. It is also odd after a write that never ended: libjack may end
  /// its thread at any time.
  ///
  /// - Returns: the present sequence; the next one marks a complete position.
  @_noLocks
  func beginWriting() -> UInt64 {
    let sequence = unsafe shared.pointee.sequence.load(ordering: .relaxed) | 1
    unsafe shared.pointee.sequence.store(sequence, ordering: .relaxed)
    return sequence
  }
}
