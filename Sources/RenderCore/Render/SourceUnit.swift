// SPDX-License-Identifier: MIT

internal import Synchronization

/// The render side of one source: pulls packets out of its ring through a converter and outputs their frames. Owned by
/// the render thread while an output runs.
@safe
struct SourceUnit: ~Copyable {
  let shared: UnsafeMutablePointer<SourceShared>
  /// The outputs of the source.
  let bus: RenderBus
  /// Render thread → feeder thread: events.
  let events = ReturnRing(capacity: 256)
  /// Render thread → feeder thread: converters to be freed.
  let retired = ReturnRing(capacity: SourceUnit.maximumConverters)
  /// Converters that a feeder may have made and not yet got back. The limit keeps `retired` from overflowing.
  static let maximumConverters = 64

  var source: RingPacketSource
  var converter: UnsafeMutablePointer<StreamConverter>?
  /// Whether the stream has no more packets, while the resampler's remainder is output.
  var isDraining = false
  /// Whether the source stays silent after an underrun until the control side acknowledges it, so that packets that
  /// arrive slowly do not stutter.
  private let holdsAfterUnderrun: Bool
  /// Whether sound fades out and in at an underrun.
  private let fadesAtUnderrun: Bool
  /// A frame of sound that may be the last one before an underrun; behind it the frame that decays.
  let lastFrame: UnsafeMutablePointer<Float>
  /// The output frames up to the end of the first of these two.
  var lastFrameEnd: UInt64 = 0
  private var underruns: UInt64 = 0
  var clock = SourceClock()
  /// Settings whose packets are in the resampler.
  var schedule = SettingsSchedule()
  /// The decisions of a source that follows a transport.
  var follower = TransportFollower()
  /// The output rate of the follower's frames.
  var placedRate: Int
  var rampSeconds: Float = 0
  /// The output frame at which discontinuous sound fades in; `.max` for none.
  var fadeInFrame = UInt64.max
  /// The numbers of the control side's last settings that were taken.
  var takenVolume: UInt32 = 0
  var takenRampSeconds: UInt32 = 0
  var takenSettledVolume: UInt32 = 0
  var takenPan: UInt32 = 0
  /// The frame of this cycle at which the next pulled sound begins: after the start of playing, and after old sound
  /// that has faded out.
  var startOffset = 0
  /// Frames per second of the output, as of this cycle.
  var outputRate: Int
  /// The rate of the last sound, as last reported.
  var toldRate: Int
  var outputFrames: UInt64 = 0
  var trailingSilentFrames: UInt64 = 0
  /// The work of this cycle.
  var work = RenderWork()
  /// Whether the source was pulled in this cycle, and will be in the next one.
  var isFlowing = false
  /// Whether a cycle without new settings only has to output frames.
  private(set) var isSteady = false
  /// Whether the last cycle ended with sound.
  private(set) var isSounding = false
  /// Resampled frames when the source's work was last counted: these need no more work.
  var framesAhead = 0
  var streamID: UInt32 = 0
  /// The converter's counters as last published.
  var publishedPackets: UInt64 = 0
  var publishedFailures: UInt64 = 0
  /// The last fields, because a steady cycle does not use them.
  var gain = SourceGain()
  /// The gain of the decay after an underrun.
  var tail = Gain(0)

  init(
    consumer: consuming PacketRingConsumer, shared: UnsafeMutablePointer<SourceShared>,
    bus: RenderBus, holdsAfterUnderrun: Bool, fadesAtUnderrun: Bool
  ) {
    unsafe self.shared = shared
    unsafe lastFrame = .allocate(capacity: 2 * bus.channelCount)
    unsafe lastFrame.initialize(repeating: 0, count: 2 * bus.channelCount)
    self.bus = bus
    source = RingPacketSource(consumer: consumer)
    outputRate = unsafe shared.pointee.outputRate.load(ordering: .relaxed)
    toldRate = outputRate
    placedRate = outputRate
    self.holdsAfterUnderrun = holdsAfterUnderrun
    self.fadesAtUnderrun = fadesAtUnderrun
  }

  deinit {
    unsafe lastFrame.deallocate()
    if let converter = unsafe converter { unsafe StreamConverter.destroy(converter) }
    while let record = retired.pop() {
      if let converter = unsafe UnsafeMutablePointer<StreamConverter>(
        bitPattern: UInt(record.first))
      {
        unsafe StreamConverter.destroy(converter)
      }
    }
  }

  /// Writes `cycle.frameCount` frames to every buffer: sound, then silence if there is no more.
  ///
  /// Real-time: wait-free, render thread only.
  ///
  /// - Parameter deviceFrame: frames that the output had received before this cycle.
  @_noLocks
  mutating func render(
    _ cycle: RenderCycle, deviceFrame: UInt64,
    into buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    // Read before the flushSerial, because the control side sets the flushSerial first.
    var mode = unsafe shared.pointee.mode.load(ordering: .acquiring)
    let wantedFlushSerial = unsafe shared.pointee.flushSerial.load(ordering: .acquiring)
    var isStale = wantedFlushSerial != source.flushSerial
    let goesOn = mode == SourceMode.playCode
    if mode == SourceMode.holdAfterResetCode {
      mode = isStale ? SourceMode.playCode : SourceMode.holdCode
    }
    if mode == SourceMode.leaveCode { mode = SourceMode.pauseCode }
    work = RenderWork()
    isFlowing = false
    isSteady = false
    // Sound that has not begun, or has ended, has no fade: it stays silent.
    if mode == SourceMode.pauseCode, !isSounding { gain.setFade(0) }
    if unsafe shared.pointee.followsTransport.load(ordering: .relaxed) {
      if mode != SourceMode.pauseCode {
        return unsafe renderFollowing(cycle, deviceFrame: deviceFrame, mode: mode, into: buffers)
      }
      // A fade takes frames of its own.
      follower.lose()
    }
    takeSettings()
    startOffset = leadFrames(of: cycle, deviceFrame: deviceFrame, mode: mode)
    // There is no sound that could fade: change to the new flush serial at once.
    if isStale,
      gain.isSilent || mode == SourceMode.holdCode || isStarved || hasNoConverter || startOffset > 0
    {
      _ = adopt(wantedFlushSerial, fade: mode == SourceMode.pauseCode ? 0 : 1)
      isStale = false
    }
    // Sound that fades out for new sound keeps its volume.
    if !isStale { takeVolume() }
    // After a hold, sound begins without a fade.
    if mode == SourceMode.holdCode { gain.settle() }
    let isFadingOut = mode == SourceMode.pauseCode || isStale
    let start = startOffset
    var (faded, given) = (0, 0)
    // Whether the clock also counts the silence of this cycle.
    var countsSilence = mode == SourceMode.playCode
    // At a volume of 0 the sound continues silently; only a finished fade stops it.
    work.isStarved = mode == SourceMode.playCode && isStarved
    let isHeld = mode == SourceMode.holdCode || isStarved || (isFadingOut && gain.isSilent)
    if !isHeld, startOffset < cycle.frameCount {
      gain.beginFade(to: isFadingOut ? 0 : 1, frames: fadeFrames)
      var wanted = cycle.frameCount - startOffset
      // A fade to silence takes only the frames that it needs; the next frame is kept for later.
      if isFadingOut { wanted = min(wanted, gain.fadeFramesLeft) }
      given = unsafe give(wanted, into: buffers)
      if isStale, gain.isSilent || given < wanted {
        _ = adopt(wantedFlushSerial, fade: mode == SourceMode.pauseCode ? 0 : 1)
        countsSilence = goesOn
        if goesOn {
          // New sound follows in the same cycle, so that the cycle's length makes no difference.
          faded = given
          startOffset += faded
          outputFrames &+= UInt64(faded)
          takeVolume()
          given = isStarved ? 0 : unsafe give(cycle.frameCount - startOffset, into: buffers)
        }
      }
    }
    unsafe silence(buffers, from: 0, to: start)
    unsafe silence(buffers, from: startOffset + given, to: cycle.frameCount)
    if !tail.isStill {
      unsafe addTail(from: startOffset + given, to: cycle.frameCount, in: buffers)
    }
    if countsSilence { clock.advance(cycle.frameCount - startOffset - given) }
    if unsafe shared.pointee.measuresLevels.load(ordering: .relaxed) {
      unsafe shared.pointee.levels.measure(buffers, frameCount: cycle.frameCount)
    }
    publish(cycle, deviceFrame: deviceFrame, given: given, faded: faded)
    isSteady = given == cycle.frameCount && !isFadingOut && canBeSteady
  }

  /// Pulls `wanted` frames, and applies their gain.
  ///
  /// - Returns: the number of frames that were available.
  @_noLocks
  private mutating func give(
    _ wanted: Int, into buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) -> Int {
    let underrunsBefore = underruns
    let given = unsafe pull(wanted, into: buffers)
    unsafe applyGain(given, in: buffers)
    work.bufferedNanoseconds = source.bufferedNanoseconds
    guard fadesAtUnderrun else { return given }
    if !tail.isStill { unsafe addTail(from: startOffset, to: startOffset + given, in: buffers) }
    if underruns != underrunsBefore {
      unsafe beginTail(behind: given, in: buffers)
    } else if given > 0, work.bufferedNanoseconds < Self.lowNanoseconds {
      unsafe keepLastFrame(
        startOffset + given - 1, of: buffers, until: outputFrames &+ UInt64(given))
    }
    return given
  }

  /// Returns whether the control side has set nothing since the cycle before, and wants the sound to continue.
  @_noLocks
  func hasOldSettings(deviceFrame: UInt64) -> Bool {
    let block = unsafe shared
    // The mode is read before the flushSerial, as in `render`.
    return unsafe block.pointee.mode.load(ordering: .acquiring) == SourceMode.playCode
      && block.pointee.flushSerial.load(ordering: .acquiring) == source.flushSerial
      && !block.pointee.followsTransport.load(ordering: .relaxed)
      && block.pointee.outputRate.load(ordering: .relaxed) == outputRate
      && clock.hasHertz(Double(bitPattern: block.pointee.clockRateBits.load(ordering: .relaxed)))
      && UInt32(truncatingIfNeeded: block.pointee.pan.load(ordering: .acquiring) >> 32) == takenPan
      && UInt32(truncatingIfNeeded: block.pointee.volume.load(ordering: .acquiring) >> 32)
        == takenVolume
      && UInt32(truncatingIfNeeded: block.pointee.settledVolume.load(ordering: .acquiring) >> 32)
        == takenSettledVolume
      && block.pointee.startFrame.load(ordering: .acquiring) <= deviceFrame
      && !block.pointee.measuresLevels.load(ordering: .relaxed) && !isStarved
  }

  /// Returns the frames of a cycle before the time at which playing begins.
  @_noLocks
  private func leadFrames(of cycle: RenderCycle, deviceFrame: UInt64, mode: UInt32) -> Int {
    let start = unsafe shared.pointee.startFrame.load(ordering: .acquiring)
    if start <= deviceFrame || mode != SourceMode.playCode { return 0 }
    let wait = start &- deviceFrame
    return wait < UInt64(cycle.frameCount) ? Int(wait) : cycle.frameCount
  }

  @_noLocks
  func silence(
    _ buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, from start: Int, to end: Int
  ) {
    if start >= end { return }
    for channel in 0..<buffers.count {
      unsafe (buffers[channel] + start).update(repeating: 0, count: end - start)
    }
  }

  var isStarved: Bool {
    @_noLocks get {
      unsafe holdsAfterUnderrun
        && shared.pointee.acknowledgedUnderruns.load(ordering: .acquiring) != underruns
    }
  }

  /// The length of a fade in frames.
  var fadeFrames: Int {
    @_noLocks get { Gain.frames(Gain.fadeSeconds, at: Double(outputRate)) }
  }

  var hasNoConverter: Bool {
    @_noLocks get { unsafe converter == nil }
  }

  /// Pulls up to `frameCount` frames through the converters of as many streams as necessary.
  ///
  /// Code that few cycles need is never inlined, here and in the converter.
  @_noLocks
  mutating func pull(
    _ frameCount: Int, into buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) -> Int {
    var given = 0
    while given < frameCount {
      guard let converter = unsafe converter else {
        // A stream with a start time does not begin before it.
        let wait = framesUntilStream(after: given)
        if wait > 0 {
          let count = min(wait, frameCount - given)
          unsafe silence(buffers, from: startOffset + given, to: startOffset + given + count)
          given += count
          continue
        }
        if source.hasStream(), beginStream(at: outputFrames &+ UInt64(given)) { continue }
        break
      }
      let frame = outputFrames &+ UInt64(given)
      guard unsafe hasOutputRate(converter, at: frame) else { break }
      if isDraining {
        given += unsafe converter.pointee.drain(
          buffers, offset: startOffset + given, frameCount: frameCount - given)
        if given < frameCount { endStream(at: outputFrames &+ UInt64(given)) }
        continue
      }
      let (frames, status) = unsafe converter.pointee.fill(
        buffers, offset: startOffset + given, frameCount: frameCount - given, from: &source)
      given += frames
      countPackets()
      switch status {
      case .complete: break
      case .packetFailed, .packetMarked:
        let framesBefore = unsafe given &+ Int(converter.pointee.pendingOutputFrames)
        unsafe tell(status, of: converter, at: outputFrames &+ UInt64(framesBefore))
      case .noData:
        noteUnderrun(at: outputFrames &+ UInt64(given))
        return given
      case .endOfStream:
        if !joinNextStream(at: outputFrames &+ UInt64(given)) { isDraining = true }
      }
    }
    isFlowing = true
    return given
  }

  /// Reports the status of the packet that was decoded last, whose first sound is the output's `frame`.
  @_noLocks
  mutating func tell(
    _ status: ConversionStatus, of converter: UnsafeMutablePointer<StreamConverter>,
    at frame: UInt64
  ) {
    if case .complete = status { return }
    if case .packetFailed = status {
      unsafe emit(
        SourceEvent.packetFailedCode, at: frame,
        UInt64(bitPattern: converter.pointee.failedPacketIndex),
        UInt64(bitPattern: converter.pointee.failedByteOffset))
    }
    unsafe takeMark(of: converter, at: frame)
  }

  /// Notes that sound is missing at a frame.
  @_noLocks @inline(never)
  mutating func noteUnderrun(at frame: UInt64) {
    underruns &+= 1
    work.isStarved = true
    unsafe shared.pointee.underruns.store(underruns, ordering: .releasing)
    emit(SourceEvent.underrunCode, at: frame)
  }

  /// Returns the frames from the one that is `frames` away to the time at which the next stream begins, if it has one.
  @_noLocks @inline(never)
  private mutating func framesUntilStream(after frames: Int) -> Int {
    guard let next = unsafe source.peekConverter(), unsafe next.pointee.startFrame >= 0 else {
      return 0
    }
    return unsafe clock.outputFrames(until: next.pointee.startFrame, after: frames)
  }

  /// Takes the mark of the packet that was decoded last, if any: its settings wait until its first sound is output, and
  /// the mark is reported.
  @_noLocks
  private mutating func takeMark(
    of converter: UnsafeMutablePointer<StreamConverter>, at frame: UInt64
  ) {
    let mark = unsafe converter.pointee.packetMark
    if mark == 0 { return }
    if schedule.isFull { apply(schedule.removeFirst()) }
    schedule.append(source.heldSettings(), at: frame)
    emit(SourceEvent.packetMarkedCode, at: frame, UInt64(mark))
  }

  /// Publishes the position and the counters of a cycle.
  ///
  /// - Parameters:
  ///   - given: frames of sound from `startOffset` on.
  ///   - faded: frames of old sound before them, which have been counted already.
  @_noLocks
  mutating func publish(_ cycle: RenderCycle, deviceFrame: UInt64, given: Int, faded: Int = 0) {
    let silent = UInt64(cycle.frameCount - given - faded)
    isSounding = given > 0 && startOffset + given == cycle.frameCount
    outputFrames &+= UInt64(given)
    trailingSilentFrames = given + faded > 0 ? silent : trailingSilentFrames &+ silent
    let block = unsafe shared
    let sequence = beginWriting()
    // Releasing stores, so a thread that sees one of these also sees the odd sequence before it.
    unsafe block.pointee.outputFrames.store(outputFrames, ordering: .releasing)
    unsafe block.pointee.trailingSilentFrames.store(trailingSilentFrames, ordering: .releasing)
    unsafe block.pointee.frameTime.store(
      cycle.frameTime &+ UInt32(cycle.frameCount), ordering: .releasing)
    unsafe block.pointee.hostNanoseconds.store(cycle.hostNanoseconds, ordering: .releasing)
    unsafe block.pointee.deviceFrame.store(deviceFrame, ordering: .releasing)
    unsafe block.pointee.cycleFrames.store(cycle.frameCount, ordering: .releasing)
    unsafe block.pointee.clockFramesBits.store(clock.frames.bitPattern, ordering: .releasing)
    unsafe block.pointee.clockedFlushSerial.store(source.flushSerial, ordering: .releasing)
    unsafe block.pointee.sequence.store(sequence &+ 1, ordering: .releasing)
    unsafe block.pointee.isSilent.store(given + faded == 0, ordering: .releasing)
    if silent > 0 {
      unsafe block.pointee.silentFrames.grow(by: silent)
    }
  }
}
