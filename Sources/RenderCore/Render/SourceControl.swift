// SPDX-License-Identifier: MIT

internal import Synchronization

/// The control side of a source: its mode, position and counters.
///
/// Any thread; nothing here waits. Not for the render thread.
public struct SourceControl: Sendable {
  let storage: SourceStorage

  init(storage: SourceStorage) {
    self.storage = storage
  }

  /// The wanted mode, from the next cycle on. Once the source is removed it fades out, and setting this has no effect.
  public var mode: SourceMode {
    get {
      switch unsafe shared.pointee.mode.load(ordering: .acquiring) {
      case SourceMode.playCode: .play
      case SourceMode.pauseCode, SourceMode.leaveCode: .pause
      case SourceMode.holdAfterResetCode: .holdAfterReset
      default: .hold
      }
    }
    nonmutating set {
      let code =
        switch newValue {
        case .hold: SourceMode.holdCode
        case .play: SourceMode.playCode
        case .pause: SourceMode.pauseCode
        case .holdAfterReset: SourceMode.holdAfterResetCode
        }
      var old = unsafe shared.pointee.mode.load(ordering: .relaxed)
      while old != SourceMode.leaveCode {
        let (isSet, original) = unsafe shared.pointee.mode.weakCompareExchange(
          expected: old, desired: code, ordering: .releasing)
        if isSet { return }
        old = original
      }
    }
  }

  /// The flush serial of the wanted sound: a count of flushes. Setting it makes all earlier packets stale, and only
  /// packets with this serial are output: Core Audio's reset. The old sound fades out over ``Renderer/fadeSeconds``.
  /// New sound that begins in the middle of a track (``StreamOrigin/startNanoseconds``) fades in, except the source's
  /// very first; other sound begins without a fade.
  public var flushSerial: UInt32 {
    get { unsafe shared.pointee.flushSerial.load(ordering: .acquiring) }
    nonmutating set { unsafe shared.pointee.flushSerial.store(newValue, ordering: .releasing) }
  }

  /// The flush serial that the render thread has changed to.
  public var renderedFlushSerial: UInt32 {
    unsafe shared.pointee.renderedFlushSerial.load(ordering: .acquiring)
  }

  /// Whether the last cycle output only silence.
  public var isSilent: Bool { unsafe shared.pointee.isSilent.load(ordering: .acquiring) }

  /// Whether an underrun is keeping the source silent until ``acknowledgeUnderruns()``.
  public var isStarved: Bool {
    unsafe shared.pointee.underruns.load(ordering: .acquiring)
      != shared.pointee.acknowledgedUnderruns.load(ordering: .acquiring)
  }

  /// Lets the source continue after an underrun.
  public func acknowledgeUnderruns() {
    unsafe shared.pointee.acknowledgedUnderruns.store(
      shared.pointee.underruns.load(ordering: .acquiring), ordering: .releasing)
  }

  /// The most reads of a position; after that, the writing thread counts as ended. If it was only delayed, the returned
  /// position may be half written; a later call corrects it.
  private static var maximumTries: Int { 1 << 20 }

  /// The source's position at the end of the last cycle.
  public var position: SourcePosition {
    var tries = 0
    while true {
      tries += 1
      let before = unsafe shared.pointee.sequence.load(ordering: .acquiring)
      var origin = unsafe StreamOrigin(
        track: shared.pointee.streamTrack.load(ordering: .acquiring))
      origin.codedNanoseconds = unsafe shared.pointee.streamStartNanoseconds.load(
        ordering: .acquiring)
      let position = unsafe SourcePosition(
        outputFrames: shared.pointee.outputFrames.load(ordering: .acquiring),
        trailingSilentFrames: shared.pointee.trailingSilentFrames.load(ordering: .acquiring),
        frameTime: shared.pointee.frameTime.load(ordering: .acquiring),
        hostNanoseconds: shared.pointee.hostNanoseconds.load(ordering: .acquiring),
        streamID: shared.pointee.streamID.load(ordering: .acquiring),
        streamStartFrame: shared.pointee.streamStartFrame.load(ordering: .acquiring),
        streamOrigin: origin,
        rateChange: SourcePosition.RateChange(
          hertz: shared.pointee.rateHertz.load(ordering: .acquiring),
          outputFrame: shared.pointee.rateStartFrame.load(ordering: .acquiring),
          droppedNanoseconds: shared.pointee.rateDroppedNanoseconds.load(ordering: .acquiring)),
        deviceFrame: shared.pointee.deviceFrame.load(ordering: .acquiring),
        cycleFrames: shared.pointee.cycleFrames.load(ordering: .acquiring),
        clockFrames: Double(bitPattern: shared.pointee.clockFramesBits.load(ordering: .acquiring)),
        flushSerial: shared.pointee.clockedFlushSerial.load(ordering: .acquiring))
      // Odd, or changed in between: the render thread was writing. It never waits for this thread.
      if before & 1 == 0, unsafe shared.pointee.sequence.load(ordering: .relaxed) == before {
        return position
      }
      // The render thread has ended in the middle of writing, and the next one has not started yet.
      if tries == Self.maximumTries { return position }
    }
  }

  /// The source's counters.
  public var counters: SourceCounters {
    unsafe SourceCounters(
      underruns: shared.pointee.underruns.load(ordering: .relaxed),
      packets: shared.pointee.packets.load(ordering: .relaxed),
      failedPackets: shared.pointee.failedPackets.load(ordering: .relaxed),
      stalePackets: shared.pointee.stalePackets.load(ordering: .relaxed),
      silentFrames: shared.pointee.silentFrames.load(ordering: .relaxed),
      droppedEvents: shared.pointee.droppedEvents.load(ordering: .relaxed))
  }

  var shared: UnsafeMutablePointer<SourceShared> { unsafe storage.shared }
}
