// SPDX-License-Identifier: MIT

internal import Synchronization

/// The render side of one source: pulls packets out of its ring through a converter and gives
/// frames. Owned by the render thread while an output runs.
@safe
struct SourceUnit: ~Copyable {
  /// Frames over which a pause, a resume or a change of volume is spread: 5 ms at 48 kHz.
  static var rampFrames: Float { @_noLocks get { 240 } }

  let shared: UnsafeMutablePointer<SourceShared>
  /// Render thread → feeder thread: what happened.
  let events = ReturnRing(capacity: 256)
  /// Render thread → feeder thread: converters to be freed.
  let retired = ReturnRing(capacity: SourceUnit.maximumConverters)
  /// Converters that a feeder may have made and not yet got back, so that `retired` never overflows.
  static let maximumConverters = 64

  private var source: RingPacketSource
  private var converter: UnsafeMutablePointer<StreamConverter>?
  /// The stream has no more packets; what is in the resampler still sounds.
  private var isDraining = false
  /// Stay silent after an underrun until the control side acknowledges it, so that packets that
  /// trickle in do not stutter.
  private let holdsAfterUnderrun: Bool
  private var underruns: UInt64 = 0
  private var gain: Float = 1
  /// Frames per second of the output, as of this cycle.
  private var outputRate: Int
  private var outputFrames: UInt64 = 0
  private var trailingSilentFrames: UInt64 = 0
  private var streamID: UInt32 = 0
  /// The converter's counters as last published.
  private var publishedPackets: UInt64 = 0
  private var publishedFailures: UInt64 = 0

  init(
    consumer: consuming PacketRingConsumer, shared: UnsafeMutablePointer<SourceShared>,
    holdsAfterUnderrun: Bool
  ) {
    unsafe self.shared = shared
    source = RingPacketSource(consumer: consumer)
    outputRate = unsafe shared.pointee.outputRate.load(ordering: .relaxed)
    self.holdsAfterUnderrun = holdsAfterUnderrun
  }

  deinit {
    if let converter = unsafe converter { unsafe StreamConverter.destroy(converter) }
    while let record = retired.pop() {
      if let converter = unsafe UnsafeMutablePointer<StreamConverter>(
        bitPattern: UInt(record.first))
      {
        unsafe StreamConverter.destroy(converter)
      }
    }
  }

  /// Writes `cycle.frameCount` frames to every buffer: sound, then silence where there is no more.
  ///
  /// Real-time: wait-free, render thread only.
  @_noLocks
  mutating func render(
    _ cycle: RenderCycle, into buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    let mode = unsafe shared.pointee.mode.load(ordering: .acquiring)
    let wantedGeneration = unsafe shared.pointee.generation.load(ordering: .acquiring)
    var isStale = wantedGeneration != source.generation
    outputRate = unsafe shared.pointee.outputRate.load(ordering: .relaxed)
    let volume = unsafe Float(
      bitPattern: shared.pointee.volumeBits.load(ordering: .relaxed))
    // After a hold sound begins as it is.
    if mode == SourceMode.holdCode { gain = volume }
    // Nothing sounds that could be faded: go over to the new generation at once.
    if isStale, gain == 0 || mode != SourceMode.playCode || isStarved || converterIsMissing {
      adopt(wantedGeneration, gain: mode == SourceMode.pauseCode ? 0 : volume)
      isStale = false
    }
    let isFadingOut = mode == SourceMode.pauseCode || isStale
    let target = isFadingOut ? 0 : volume
    var given = 0
    // A volume of 0 is silence that passes; only a finished fade stands still.
    let isHeld = mode == SourceMode.holdCode || isStarved || (isFadingOut && gain == 0)
    if !isHeld {
      var wanted = cycle.frameCount
      // A fade to silence takes just the frames that it needs; the next one is kept for later.
      if isFadingOut { wanted = min(wanted, Int(gain / rampStep(to: 0)) + 1) }
      given = unsafe pull(wanted, into: buffers)
      if gain != 1 || target != 1 { unsafe ramp(to: target, frames: given, in: buffers) }
      if isStale, gain == 0 || given < wanted { adopt(wantedGeneration, gain: volume) }
    }
    if given < cycle.frameCount {
      for channel in 0..<buffers.count {
        unsafe (buffers[channel] + given).update(repeating: 0, count: cycle.frameCount - given)
      }
    }
    publish(cycle, given: given)
  }

  private var isStarved: Bool {
    @_noLocks get {
      unsafe holdsAfterUnderrun
        && shared.pointee.acknowledgedUnderruns.load(ordering: .acquiring) != underruns
    }
  }

  private var converterIsMissing: Bool {
    @_noLocks get { unsafe converter == nil }
  }

  /// Pulls up to `frameCount` frames through the converters of however many streams that takes.
  @_noLocks
  private mutating func pull(
    _ frameCount: Int, into buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) -> Int {
    var given = 0
    while given < frameCount {
      guard let converter = unsafe converter else {
        if beginStream(at: outputFrames &+ UInt64(given)) { continue }
        break
      }
      let frame = outputFrames &+ UInt64(given)
      guard unsafe hasOutputRate(converter, at: frame) else { break }
      if isDraining {
        given += unsafe converter.pointee.drain(
          buffers, offset: given, frameCount: frameCount - given)
        if given < frameCount { endStream(at: outputFrames &+ UInt64(given)) }
        continue
      }
      let (frames, status) = unsafe converter.pointee.fill(
        buffers, offset: given, frameCount: frameCount - given, from: &source)
      given += frames
      countPackets()
      switch status {
      case .complete: break
      case .packetFailed:
        let first = unsafe UInt64(max(0, converter.pointee.pendingOutputFrames))
        unsafe emit(
          SourceEvent.packetFailedCode, at: outputFrames &+ UInt64(given) &+ first,
          UInt64(bitPattern: converter.pointee.failedPacketIndex),
          UInt64(bitPattern: converter.pointee.failedByteOffset))
        unsafe emitMark(of: converter, at: outputFrames &+ UInt64(given) &+ first)
      case .packetMarked:
        let first = unsafe UInt64(max(0, converter.pointee.pendingOutputFrames))
        unsafe emitMark(of: converter, at: outputFrames &+ UInt64(given) &+ first)
      case .noData:
        underruns &+= 1
        unsafe shared.pointee.underruns.store(underruns, ordering: .releasing)
        emit(SourceEvent.underrunCode, at: outputFrames &+ UInt64(given))
        return given
      case .endOfStream:
        if !joinNextStream(at: outputFrames &+ UInt64(given)) { isDraining = true }
      }
    }
    return given
  }

  /// Takes the next stream's converter, when its mark is the next thing in the ring.
  @_noLocks
  private mutating func beginStream(at frame: UInt64) -> Bool {
    guard let next = unsafe source.takeConverter() else { return false }
    unsafe converter = next
    unsafe streamID = next.pointee.streamID
    publishedPackets = 0
    publishedFailures = 0
    let origin = unsafe next.pointee.origin
    emit(
      SourceEvent.streamStartedCode, at: frame, UInt64(bitPattern: Int64(origin.track)),
      origin.codedNanoseconds)
    publishStream(origin, at: frame)
    return true
  }

  /// Goes over to a stream that joins this one without a gap, through the same resampler.
  @_noLocks
  private mutating func joinNextStream(at frame: UInt64) -> Bool {
    guard let previous = unsafe converter, let joining = unsafe source.peekJoiningConverter()
    else { return false }
    if unsafe joining.pointee.outputRate != outputRate {
      _ = unsafe joining.pointee.takeOfferedChange()
    }
    guard unsafe previous.pointee.canBeJoined(by: joining) else { return false }
    // What is in the resampler is still the old stream's.
    let boundary = unsafe frame &+ UInt64(previous.pointee.pendingOutputFrames)
    emit(SourceEvent.streamEndedCode, at: boundary)
    unsafe joining.pointee.join(after: previous)
    unsafe retire(previous)
    return beginStream(at: boundary)
  }

  /// Whether the converter gives the output's rate, or can from here on. Until the feeder has made a
  /// resampler for a new rate there is silence.
  @_noLocks
  private mutating func hasOutputRate(
    _ converter: UnsafeMutablePointer<StreamConverter>, at frame: UInt64
  ) -> Bool {
    if unsafe converter.pointee.outputRate == outputRate { return true }
    guard let dropped = unsafe converter.pointee.takeOfferedChange() else { return false }
    let rate = unsafe converter.pointee.outputRate
    emit(SourceEvent.rateChangedCode, at: frame, UInt64(rate), dropped)
    // What follows does not continue what was heard.
    gain = 0
    return rate == outputRate
  }

  @_noLocks
  private mutating func endStream(at frame: UInt64) {
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
    // Never full: the feeder does not have more converters made than the ring can hold.
    _ = retired.push(ReturnRing.Record(UInt64(UInt(bitPattern: converter))))
  }

  /// Drops everything of older generations and starts afresh.
  @_noLocks
  private mutating func adopt(_ generation: UInt32, gain: Float) {
    discardConverter()
    source.releaseHeldPacket()
    source.generation = generation
    var stale: UInt64 = 0
    while let dropped = source.dropStaleEntry() {
      if let converter = unsafe dropped.converter { unsafe retire(converter) }
      if dropped.isPacket { stale &+= 1 }
    }
    self.gain = gain
    unsafe shared.pointee.stalePackets.grow(by: stale)
    unsafe shared.pointee.renderedGeneration.store(generation, ordering: .releasing)
  }

  @_noLocks
  private mutating func countPackets() {
    guard let converter = unsafe converter else { return }
    let packets = unsafe converter.pointee.packetCount
    if packets == publishedPackets { return }
    unsafe shared.pointee.packets.grow(by: packets &- publishedPackets)
    publishedPackets = packets
    let failures = unsafe converter.pointee.failedPacketCount
    if failures == publishedFailures { return }
    unsafe shared.pointee.failedPackets.grow(by: failures &- publishedFailures)
    publishedFailures = failures
  }

  /// How much the gain changes with each frame: ``rampFrames`` from 0 to 1 and back, faster from
  /// larger gains.
  @_noLocks
  private func rampStep(to target: Float) -> Float {
    let larger = gain > target ? gain : target
    return (larger > 1 ? larger : 1) / Self.rampFrames
  }

  @_noLocks
  private mutating func ramp(
    to target: Float, frames: Int,
    in buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    if gain == target {
      for channel in 0..<buffers.count {
        let samples = unsafe buffers[channel]
        for i in 0..<frames { unsafe samples[i] *= target }
      }
      return
    }
    let step = target > gain ? rampStep(to: target) : -rampStep(to: target)
    var level = gain
    for channel in 0..<buffers.count {
      let samples = unsafe buffers[channel]
      level = gain
      for i in 0..<frames {
        level += step
        if (step > 0) == (level > target) { level = target }
        unsafe samples[i] *= level
      }
    }
    // Rounding may leave a crumb that would take a cycle of its own.
    let rest = level > target ? level - target : target - level
    gain = rest < rampStep(to: target) / 2 ? target : level
  }

  /// Tells the mark of the packet that was decoded last, if it has one.
  @_noLocks
  private func emitMark(of converter: UnsafeMutablePointer<StreamConverter>, at frame: UInt64) {
    let mark = unsafe converter.pointee.packetMark
    if mark != 0 { emit(SourceEvent.packetMarkedCode, at: frame, UInt64(mark)) }
  }

  @_noLocks
  private func emit(_ code: UInt64, at frame: UInt64, _ first: UInt64 = 0, _ second: UInt64 = 0) {
    let record = ReturnRing.Record(code << 32 | UInt64(streamID), frame, first, second)
    if !events.push(record) {
      unsafe shared.pointee.droppedEvents.grow(by: 1)
    }
  }

  /// Says which stream follows. The frames before it may not have been published yet: until they are,
  /// it begins behind the position.
  @_noLocks
  private func publishStream(_ origin: StreamOrigin, at frame: UInt64) {
    let block = unsafe shared
    let sequence = unsafe block.pointee.sequence.load(ordering: .relaxed)
    unsafe block.pointee.sequence.store(sequence &+ 1, ordering: .relaxed)
    unsafe block.pointee.streamID.store(streamID, ordering: .releasing)
    unsafe block.pointee.streamStartFrame.store(frame, ordering: .releasing)
    unsafe block.pointee.streamTrack.store(origin.track, ordering: .releasing)
    unsafe block.pointee.streamStartNanoseconds.store(
      origin.codedNanoseconds, ordering: .releasing)
    unsafe block.pointee.sequence.store(sequence &+ 2, ordering: .releasing)
  }

  @_noLocks
  private mutating func publish(_ cycle: RenderCycle, given: Int) {
    let silent = UInt64(cycle.frameCount - given)
    outputFrames &+= UInt64(given)
    trailingSilentFrames = given > 0 ? silent : trailingSilentFrames &+ silent
    let block = unsafe shared
    let sequence = unsafe block.pointee.sequence.load(ordering: .relaxed)
    unsafe block.pointee.sequence.store(sequence &+ 1, ordering: .relaxed)
    // Releasing stores, so that whoever sees one of these has seen the odd sequence before it.
    unsafe block.pointee.outputFrames.store(outputFrames, ordering: .releasing)
    unsafe block.pointee.trailingSilentFrames.store(trailingSilentFrames, ordering: .releasing)
    unsafe block.pointee.frameTime.store(
      cycle.frameTime &+ UInt32(cycle.frameCount), ordering: .releasing)
    unsafe block.pointee.hostNanoseconds.store(cycle.hostNanoseconds, ordering: .releasing)
    unsafe block.pointee.sequence.store(sequence &+ 2, ordering: .releasing)
    unsafe block.pointee.isSilent.store(given == 0, ordering: .releasing)
    if silent > 0 {
      unsafe block.pointee.silentFrames.grow(by: silent)
    }
  }
}
