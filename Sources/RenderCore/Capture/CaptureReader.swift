// SPDX-License-Identifier: MIT

internal import Synchronization

/// The reading end of a capture: frames with their time, and the gaps between them.
///
/// One thread at a time, not the render thread. Nothing here waits: an empty ring returns ``CaptureItem/empty``. The
/// render thread makes no system calls, so it does not wake the reader: poll at intervals that are short against
/// ``capacityFrames``.
@safe
public struct CaptureReader: ~Copyable, Sendable {
  /// The next part to report of the oldest record: a part of the gap before it, or its frames.
  private enum Stage {
    case overrun
    case missed
    case unmeasured
    case frames
  }

  let storage: CaptureStorage
  private var stage = Stage.overrun
  private var readFrames: UInt64 = 0
  private var readRecords: UInt64 = 0
  /// The last `writtenRecords` seen.
  private var knownRecords: UInt64 = 0
  /// Frames of the oldest record that have been read.
  private var taken = 0

  init(storage: CaptureStorage) {
    self.storage = storage
  }

  /// Channels of the frames: the renderer's inputs.
  public var channelCount: Int { unsafe storage.ring.pointee.channelCount }

  /// Frames that fit in the ring.
  public var capacityFrames: Int { unsafe storage.ring.pointee.frameCapacity }

  /// Frames that can be read. Can only have grown since it was read.
  public var availableFrames: Int {
    unsafe Int(storage.ring.pointee.writtenFrames.load(ordering: .acquiring) &- readFrames)
  }

  /// The frames captured and lost so far.
  public var counters: CaptureCounters {
    unsafe CaptureCounters(
      capturedFrames: storage.ring.pointee.writtenFrames.load(ordering: .relaxed),
      overrunFrames: storage.ring.pointee.overrunFrames.load(ordering: .relaxed),
      overruns: storage.ring.pointee.overruns.load(ordering: .relaxed),
      missedFrames: storage.ring.pointee.missedFrames.load(ordering: .relaxed))
  }

  /// Reads the next item: a discontinuity, or frames of one cycle, perhaps not all of them.
  ///
  /// - Parameters:
  ///   - limit: most frames to read, at least 1.
  ///   - body: receives the frames in the ring's memory, one span a channel, in order; not called if there are none.
  ///     Frames passed to it count as read.
  /// - Returns: the item.
  public mutating func read(
    atMost limit: Int = .max,
    _ body: (_ frames: CapturedFrames, _ channel: Int, _ samples: Span<Float>) -> Void
  ) -> CaptureItem {
    precondition(limit > 0, "at least one frame is read")
    if readRecords == knownRecords {
      knownRecords = unsafe storage.ring.pointee.writtenRecords.load(ordering: .acquiring)
      if readRecords == knownRecords { return .empty }
    }
    let record = unsafe storage.ring.pointee.record(readRecords).pointee
    if let discontinuity = nextDiscontinuity(before: record) {
      return .discontinuity(discontinuity)
    }
    let beforeEnd = unsafe capacityFrames - storage.ring.pointee.offset(of: readFrames)
    let count = min(limit, min(Int(record.frameCount) - taken, beforeEnd))
    let frames = CapturedFrames(
      position: record.position + UInt64(taken), frameCount: count,
      deviceFrame: record.deviceFrame + UInt64(taken), frameTime: record.frameTime &+ UInt32(taken),
      cycleNanoseconds: record.hostNanoseconds,
      offsetInCycle: taken)
    for channel in 0..<channelCount {
      let samples = unsafe UnsafeBufferPointer(
        start: storage.ring.pointee.address(channel: channel, frame: readFrames), count: count)
      unsafe body(frames, channel, samples.span)
    }
    release(count, of: record)
    return .frames(frames)
  }

  private mutating func nextDiscontinuity(before record: CaptureRecord) -> CaptureDiscontinuity? {
    if stage == .overrun {
      stage = .missed
      if record.overrunFrames > 0 { return .overrun(frames: record.overrunFrames) }
    }
    if stage == .missed {
      stage = .unmeasured
      if record.missedFrames > 0 { return .missed(frames: record.missedFrames) }
    }
    if stage == .unmeasured {
      stage = .frames
      if record.isUnmeasured { return .unmeasured }
    }
    return nil
  }

  /// Returns frames to the render thread, and the record with its last frame.
  private mutating func release(_ count: Int, of record: CaptureRecord) {
    readFrames &+= UInt64(count)
    taken += count
    unsafe storage.ring.pointee.readFrames.store(readFrames, ordering: .releasing)
    guard taken == Int(record.frameCount) else { return }
    taken = 0
    stage = .overrun
    readRecords &+= 1
    unsafe storage.ring.pointee.readRecords.store(readRecords, ordering: .releasing)
  }
}
