// SPDX-License-Identifier: MIT

internal import Synchronization

/// The metadata of the frames of one cycle, beside the frames themselves.
struct CaptureRecord: BitwiseCopyable {
  /// Frames from the start of the capture to the first of these, including lost ones.
  var position: UInt64
  /// Frames that the output had received before the first of these.
  var deviceFrame: UInt64
  var frameTime: UInt32
  var frameCount: UInt32
  var hostNanoseconds: UInt64
  /// Frames lost between the record before and this one.
  var overrunFrames: UInt64
  var missedFrames: UInt64
  var isUnmeasured: Bool

  @_noLocks
  init(
    position: UInt64, deviceFrame: UInt64, frameTime: UInt32, frameCount: UInt32,
    hostNanoseconds: UInt64, overrunFrames: UInt64, missedFrames: UInt64, isUnmeasured: Bool
  ) {
    self.position = position
    self.deviceFrame = deviceFrame
    self.frameTime = frameTime
    self.frameCount = frameCount
    self.hostNanoseconds = hostNanoseconds
    self.overrunFrames = overrunFrames
    self.missedFrames = missedFrames
    self.isUnmeasured = isUnmeasured
  }
}

/// The lock-free ring of captured frames from the render thread to one reader: the frames of each channel in
/// sequence, and a record for each cycle. Both are bounded and allocated once. Frames that do not fit are dropped and
/// counted; frames in the ring are never overwritten.
@safe
struct CaptureRing: ~Copyable {
  /// The shortest cycle for which the records last as long as the frames: there is one for every 16 frames.
  private static let shortestCycle = 16

  let channelCount: Int
  /// Powers of two.
  let frameCapacity: Int
  let recordCapacity: Int
  private let samples: UnsafeMutablePointer<Float>
  private let records: UnsafeMutablePointer<CaptureRecord>

  // Written by the render thread. Counters only grow; their differences are the fill level.
  let writtenFrames = Atomic<UInt64>(0)
  let writtenRecords = Atomic<UInt64>(0)
  let overrunFrames = Atomic<UInt64>(0)
  let overruns = Atomic<UInt64>(0)
  let missedFrames = Atomic<UInt64>(0)
  private let padding0 = CacheLinePadding()
  // Written by the reader.
  let readFrames = Atomic<UInt64>(0)
  let readRecords = Atomic<UInt64>(0)
  private let padding1 = CacheLinePadding()

  /// - Parameter frameCapacity: frames that the ring holds; rounded up to a power of two.
  init(channelCount: Int, frameCapacity: Int) {
    precondition(channelCount > 0 && frameCapacity > 0)
    var frames = Self.shortestCycle
    while frames < frameCapacity { frames *= 2 }
    self.channelCount = channelCount
    self.frameCapacity = frames
    recordCapacity = frames / Self.shortestCycle
    // Written once here so that no page of it faults on the render thread.
    unsafe samples = .allocate(capacity: frames * channelCount)
    unsafe samples.initialize(repeating: 0, count: frames * channelCount)
    unsafe records = .allocate(capacity: recordCapacity)
    unsafe records.initialize(
      repeating: CaptureRecord(
        position: 0, deviceFrame: 0, frameTime: 0, frameCount: 0, hostNanoseconds: 0,
        overrunFrames: 0, missedFrames: 0, isUnmeasured: false),
      count: recordCapacity)
  }

  deinit {
    unsafe samples.deallocate()
    unsafe records.deallocate()
  }

  /// Returns the address of a channel's frame with this number. The frames up to the end of the memory follow it.
  @_noLocks
  func address(channel: Int, frame: UInt64) -> UnsafeMutablePointer<Float> {
    unsafe samples + (channel * frameCapacity + offset(of: frame))
  }

  @_noLocks
  func offset(of frame: UInt64) -> Int {
    Int(frame & UInt64(frameCapacity - 1))
  }

  /// Returns the address of the record with this number.
  @_noLocks
  func record(_ number: UInt64) -> UnsafeMutablePointer<CaptureRecord> {
    unsafe records + Int(number & UInt64(recordCapacity - 1))
  }
}

/// The owner of one capture's memory. Its reader and the renderer's graph hold it; the render thread uses the
/// addresses in it and never this object.
@safe
final class CaptureStorage: @unchecked Sendable {
  let ring: UnsafeMutablePointer<CaptureRing>
  let unit: UnsafeMutablePointer<CaptureUnit>

  init(_ bus: RenderBus, frameCapacity: Int) {
    unsafe ring = .allocate(capacity: 1)
    unsafe ring.initialize(
      to: CaptureRing(channelCount: bus.channelCount, frameCapacity: frameCapacity))
    unsafe unit = .allocate(capacity: 1)
    unsafe unit.initialize(to: CaptureUnit(ring: ring, bus: bus))
  }

  deinit {
    unsafe unit.deinitialize(count: 1)
    unsafe unit.deallocate()
    unsafe ring.deinitialize(count: 1)
    unsafe ring.deallocate()
  }
}
