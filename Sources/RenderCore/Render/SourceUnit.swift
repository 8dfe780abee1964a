// SPDX-License-Identifier: MIT

internal import Synchronization

/// The render side of one source: pulls packets out of its ring through a converter and gives
/// frames. Owned by the render thread while an output runs.
@safe
struct SourceUnit: ~Copyable {
  let shared: UnsafeMutablePointer<SourceShared>
  /// The outputs that it is heard on.
  let bus: RenderBus
  /// Render thread → feeder thread: what happened.
  let events = ReturnRing(capacity: 256)
  /// Render thread → feeder thread: converters to be freed.
  let retired = ReturnRing(capacity: SourceUnit.maximumConverters)
  /// Converters that a feeder may have made and not yet got back, so that `retired` never overflows.
  static let maximumConverters = 64

  var source: RingPacketSource
  var converter: UnsafeMutablePointer<StreamConverter>?
  /// The stream has no more packets; what is in the resampler still sounds.
  var isDraining = false
  /// Stay silent after an underrun until the control side acknowledges it, so that packets that
  /// trickle in do not stutter.
  private let holdsAfterUnderrun: Bool
  /// Whether sound fades out and in at an underrun.
  private let fadesAtUnderrun: Bool
  /// A frame of sound that may be the last one before an underrun, and behind it the one that decays.
  let lastFrame: UnsafeMutablePointer<Float>
  /// The output frames up to the end of the first of them.
  var lastFrameEnd: UInt64 = 0
  private var underruns: UInt64 = 0
  var clock = SourceClock()
  /// Settings whose packets are in the resampler.
  var schedule = SettingsSchedule()
  /// For a source that follows a transport.
  var follower = TransportFollower()
  /// The output rate that the follower's frames are of.
  var placedRate: Int
  var rampSeconds: Float = 0
  /// The output frame at which sound fades in that continues nothing; none is `.max`.
  var fadeInFrame = UInt64.max
  /// The numbers of the control side's settings that were taken.
  var takenVolume: UInt32 = 0
  var takenRampSeconds: UInt32 = 0
  var takenSettledVolume: UInt32 = 0
  var takenPan: UInt32 = 0
  /// The frame of this cycle at which what is pulled next begins: behind the time before which nothing plays, and
  /// behind old sound that has faded out.
  var lead = 0
  /// Frames per second of the output, as of this cycle.
  var outputRate: Int
  /// That of the last sound, as was told.
  var toldRate: Int
  var outputFrames: UInt64 = 0
  var trailingSilentFrames: UInt64 = 0
  /// What this cycle took.
  var work = RenderWork()
  /// It was pulled in this cycle, and will be in the next one.
  var isFlowing = false
  /// A cycle in which no setting is new need only give frames.
  private(set) var isSteady = false
  /// The last cycle ended with sound.
  private(set) var isSounding = false
  /// Resampled frames that it had when its work was last counted: with them no more work is needed.
  var framesAhead = 0
  var streamID: UInt32 = 0
  /// The converter's counters as last published.
  var publishedPackets: UInt64 = 0
  var publishedFailures: UInt64 = 0
  /// Behind what a steady cycle touches: that has no use for these.
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

  /// Writes `cycle.frameCount` frames to every buffer: sound, then silence where there is no more.
  ///
  /// Real-time: wait-free, render thread only.
  ///
  /// - Parameter deviceFrame: frames that the output was given before this cycle.
  @_noLocks
  mutating func render(
    _ cycle: RenderCycle, deviceFrame: UInt64,
    into buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    // Read before the generation, which is set before it.
    var mode = unsafe shared.pointee.mode.load(ordering: .acquiring)
    let wantedGeneration = unsafe shared.pointee.generation.load(ordering: .acquiring)
    var isStale = wantedGeneration != source.generation
    let goesOn = mode == SourceMode.playCode
    if mode == SourceMode.holdAfterResetCode {
      mode = isStale ? SourceMode.playCode : SourceMode.holdCode
    }
    if mode == SourceMode.leaveCode { mode = SourceMode.pauseCode }
    work = RenderWork()
    isFlowing = false
    isSteady = false
    // What has not begun, or is over, has nothing to fade out: it stays silent.
    if mode == SourceMode.pauseCode, !isSounding { gain.setFade(0) }
    if unsafe shared.pointee.followsTransport.load(ordering: .relaxed) {
      if mode != SourceMode.pauseCode {
        return unsafe renderFollowing(cycle, deviceFrame: deviceFrame, mode: mode, into: buffers)
      }
      // A fade takes frames of its own.
      follower.lose()
    }
    takeSettings()
    lead = leadFrames(of: cycle, deviceFrame: deviceFrame, mode: mode)
    // Nothing sounds that could be faded: go over to the new generation at once.
    if isStale,
      gain.isSilent || mode == SourceMode.holdCode || isStarved || hasNoConverter || lead > 0
    {
      _ = adopt(wantedGeneration, fade: mode == SourceMode.pauseCode ? 0 : 1)
      isStale = false
    }
    // What is faded out for something new keeps its volume.
    if !isStale { takeVolume() }
    // After a hold sound begins as it is.
    if mode == SourceMode.holdCode { gain.settle() }
    let isFadingOut = mode == SourceMode.pauseCode || isStale
    let start = lead
    var (faded, given) = (0, 0)
    // The clock counts silence besides what is given.
    var countsSilence = mode == SourceMode.playCode
    // A volume of 0 is silence that passes; only a finished fade stands still.
    work.isStarved = mode == SourceMode.playCode && isStarved
    let isHeld = mode == SourceMode.holdCode || isStarved || (isFadingOut && gain.isSilent)
    if !isHeld, lead < cycle.frameCount {
      gain.beginFade(to: isFadingOut ? 0 : 1, frames: fadeFrames)
      var wanted = cycle.frameCount - lead
      // A fade to silence takes just the frames that it needs; the next one is kept for later.
      if isFadingOut { wanted = min(wanted, gain.fadeFramesLeft) }
      given = unsafe give(wanted, into: buffers)
      if isStale, gain.isSilent || given < wanted {
        _ = adopt(wantedGeneration, fade: mode == SourceMode.pauseCode ? 0 : 1)
        countsSilence = goesOn
        if goesOn {
          // New sound follows in the same cycle, so that the cycle's length makes no difference.
          faded = given
          lead += faded
          outputFrames &+= UInt64(faded)
          takeVolume()
          given = isStarved ? 0 : unsafe give(cycle.frameCount - lead, into: buffers)
        }
      }
    }
    unsafe silence(buffers, from: 0, to: start)
    unsafe silence(buffers, from: lead + given, to: cycle.frameCount)
    if !tail.isStill {
      unsafe addTail(from: lead + given, to: cycle.frameCount, in: buffers)
    }
    if countsSilence { clock.advance(cycle.frameCount - lead - given) }
    if unsafe shared.pointee.measuresLevels.load(ordering: .relaxed) {
      unsafe shared.pointee.levels.measure(buffers, frameCount: cycle.frameCount)
    }
    publish(cycle, deviceFrame: deviceFrame, given: given, faded: faded)
    isSteady = given == cycle.frameCount && !isFadingOut && canBeSteady
  }

  /// Pulls so many frames, and brings them to their gain.
  ///
  /// - Returns: the frames that there were.
  @_noLocks
  private mutating func give(
    _ wanted: Int, into buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) -> Int {
    let underrunsBefore = underruns
    let given = unsafe pull(wanted, into: buffers)
    unsafe sound(given, in: buffers)
    work.bufferedNanoseconds = source.bufferedNanoseconds
    guard fadesAtUnderrun else { return given }
    if !tail.isStill { unsafe addTail(from: lead, to: lead + given, in: buffers) }
    if underruns != underrunsBefore {
      unsafe beginTail(behind: given, in: buffers)
    } else if given > 0, work.bufferedNanoseconds < Self.lowNanoseconds {
      unsafe keepLastFrame(lead + given - 1, of: buffers, until: outputFrames &+ UInt64(given))
    }
    return given
  }

  /// Whether the control side has set nothing since the cycle before, and wants sound that goes on.
  @_noLocks
  func hasOldSettings(deviceFrame: UInt64) -> Bool {
    let block = unsafe shared
    // The mode is read before the generation, as it is everywhere.
    return unsafe block.pointee.mode.load(ordering: .acquiring) == SourceMode.playCode
      && block.pointee.generation.load(ordering: .acquiring) == source.generation
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

  /// Frames of a cycle before the time at which playing begins.
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

  /// Frames of a fade.
  var fadeFrames: Int {
    @_noLocks get { Gain.frames(Gain.fadeSeconds, at: Double(outputRate)) }
  }

  var hasNoConverter: Bool {
    @_noLocks get { unsafe converter == nil }
  }

  /// Pulls up to `frameCount` frames through the converters of however many streams that takes.
  ///
  /// What few cycles need is never inlined, here and in the converter.
  @_noLocks
  mutating func pull(
    _ frameCount: Int, into buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) -> Int {
    var given = 0
    while given < frameCount {
      guard let converter = unsafe converter else {
        // A stream that has its time is not begun before it.
        let wait = framesUntilStream(after: given)
        if wait > 0 {
          let count = min(wait, frameCount - given)
          unsafe silence(buffers, from: lead + given, to: lead + given + count)
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
          buffers, offset: lead + given, frameCount: frameCount - given)
        if given < frameCount { endStream(at: outputFrames &+ UInt64(given)) }
        continue
      }
      let (frames, status) = unsafe converter.pointee.fill(
        buffers, offset: lead + given, frameCount: frameCount - given, from: &source)
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

  /// Says what there is to say of the packet that was decoded last, whose first sound is the output's `frame`.
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

  /// There is no sound at a frame, where there should be.
  @_noLocks @inline(never)
  mutating func noteUnderrun(at frame: UInt64) {
    underruns &+= 1
    work.isStarved = true
    unsafe shared.pointee.underruns.store(underruns, ordering: .releasing)
    emit(SourceEvent.underrunCode, at: frame)
  }

  /// Frames between the one that is `frames` away and the time at which the next stream begins, if it has
  /// one.
  @_noLocks @inline(never)
  private mutating func framesUntilStream(after frames: Int) -> Int {
    guard let next = unsafe source.peekConverter(), unsafe next.pointee.startFrame >= 0 else {
      return 0
    }
    return unsafe clock.outputFrames(until: next.pointee.startFrame, after: frames)
  }

  /// The packet that was decoded last has a mark: its settings wait until its first sound is given, and
  /// the mark is told.
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

  /// - Parameters:
  ///   - given: frames of sound from `lead` on.
  ///   - faded: frames of old sound before them, which are counted already.
  @_noLocks
  mutating func publish(_ cycle: RenderCycle, deviceFrame: UInt64, given: Int, faded: Int = 0) {
    let silent = UInt64(cycle.frameCount - given - faded)
    isSounding = given > 0 && lead + given == cycle.frameCount
    outputFrames &+= UInt64(given)
    trailingSilentFrames = given + faded > 0 ? silent : trailingSilentFrames &+ silent
    let block = unsafe shared
    let sequence = beginWriting()
    // Releasing stores, so that whoever sees one of these has seen the odd sequence before it.
    unsafe block.pointee.outputFrames.store(outputFrames, ordering: .releasing)
    unsafe block.pointee.trailingSilentFrames.store(trailingSilentFrames, ordering: .releasing)
    unsafe block.pointee.frameTime.store(
      cycle.frameTime &+ UInt32(cycle.frameCount), ordering: .releasing)
    unsafe block.pointee.hostNanoseconds.store(cycle.hostNanoseconds, ordering: .releasing)
    unsafe block.pointee.deviceFrame.store(deviceFrame, ordering: .releasing)
    unsafe block.pointee.cycleFrames.store(cycle.frameCount, ordering: .releasing)
    unsafe block.pointee.clockFramesBits.store(clock.frames.bitPattern, ordering: .releasing)
    unsafe block.pointee.clockedGeneration.store(source.generation, ordering: .releasing)
    unsafe block.pointee.sequence.store(sequence &+ 1, ordering: .releasing)
    unsafe block.pointee.isSilent.store(given + faded == 0, ordering: .releasing)
    if silent > 0 {
      unsafe block.pointee.silentFrames.grow(by: silent)
    }
  }
}
