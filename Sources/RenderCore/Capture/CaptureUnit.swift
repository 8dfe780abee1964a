// SPDX-License-Identifier: MIT

internal import Synchronization

/// The render side of one capture: copies each cycle's inputs into its ring. Owned by the render thread while an
/// output runs.
@safe
struct CaptureUnit: ~Copyable {
  private let ring: UnsafeMutablePointer<CaptureRing>
  /// The input channels that are captured.
  private let bus: RenderBus
  private var hasBegun = false
  /// Frames since the capture began, including lost ones.
  private var position: UInt64 = 0
  private var writtenFrames: UInt64 = 0
  private var writtenRecords: UInt64 = 0
  // Losses since the last record, for the next one.
  private var pendingOverrunFrames: UInt64 = 0
  private var pendingMissedFrames: UInt64 = 0
  private var isUnmeasured = false
  /// The reader's `readFrames` at the last overrun.
  private var readFramesAtOverrun: UInt64?

  init(ring: UnsafeMutablePointer<CaptureRing>, bus: RenderBus) {
    unsafe self.ring = unsafe ring
    self.bus = bus
  }

  /// Copies the frames of one cycle, as far as there is room; the rest is an overrun.
  ///
  /// Real-time: wait-free, render thread only.
  ///
  /// - Parameter deviceFrame: frames that the output had received before this cycle.
  @_noLocks
  mutating func capture(_ cycle: RenderCycle, deviceFrame: UInt64, from inputs: RenderInputs) {
    noteGap(inputs)
    let fitting = fittingFrames(of: cycle.frameCount)
    if fitting > 0 {
      let channels = unsafe ring.pointee.channelCount
      for channel in 0..<channels {
        unsafe copy(fitting, to: channel, from: bus.inputs(of: inputs).buffers)
      }
      publish(cycle, deviceFrame: deviceFrame, frameCount: fitting)
    }
    position &+= UInt64(cycle.frameCount)
    let lost = UInt64(cycle.frameCount - fitting)
    if lost > 0 {
      pendingOverrunFrames &+= lost
      unsafe ring.pointee.overrunFrames.grow(by: lost)
      unsafe ring.pointee.overruns.grow(by: 1)
      readFramesAtOverrun = unsafe ring.pointee.readFrames.load(ordering: .relaxed)
    }
  }

  /// Returns whether a cycle of `frameCount` frames fits, or its reader has not read since frames were lost. An output
  /// without deadlines waits for a slow reader, but not for a stopped one.
  @_noLocks
  func isReady(frameCount: Int) -> Bool {
    if fittingFrames(of: frameCount) == frameCount { return true }
    guard let readFramesAtOverrun else { return false }
    return unsafe ring.pointee.readFrames.load(ordering: .relaxed) == readFramesAtOverrun
  }

  /// Notes the gap before this cycle. There is none before the first one.
  @_noLocks
  private mutating func noteGap(_ inputs: RenderInputs) {
    guard hasBegun else {
      hasBegun = true
      return
    }
    if !inputs.isMeasured { isUnmeasured = true }
    let missed = UInt64(inputs.missedFrames)
    if missed > 0 {
      position &+= missed
      pendingMissedFrames &+= missed
      unsafe ring.pointee.missedFrames.grow(by: missed)
    }
  }

  @_noLocks
  private func fittingFrames(of frameCount: Int) -> Int {
    let records = unsafe writtenRecords &- ring.pointee.readRecords.load(ordering: .acquiring)
    guard unsafe Int(records) < ring.pointee.recordCapacity else { return 0 }
    let used = unsafe writtenFrames &- ring.pointee.readFrames.load(ordering: .acquiring)
    return unsafe min(frameCount, ring.pointee.frameCapacity - Int(used))
  }

  /// Copies one channel, in two parts if it passes the end of the memory.
  @_noLocks
  private func copy(
    _ frameCount: Int, to channel: Int, from buffers: UnsafeBufferPointer<UnsafePointer<Float>>
  ) {
    let beforeEnd = unsafe ring.pointee.frameCapacity - ring.pointee.offset(of: writtenFrames)
    let first = min(frameCount, beforeEnd)
    let start = unsafe ring.pointee.address(channel: channel, frame: writtenFrames)
    let rest = unsafe ring.pointee.address(channel: channel, frame: writtenFrames &+ UInt64(first))
    // The output has fewer inputs than the renderer was made for.
    guard channel < buffers.count else {
      unsafe start.update(repeating: 0, count: first)
      unsafe rest.update(repeating: 0, count: frameCount - first)
      return
    }
    let source = unsafe buffers[channel]
    let size = MemoryLayout<Float>.stride
    unsafe UnsafeMutableRawPointer(start).copyMemory(from: source, byteCount: first * size)
    unsafe UnsafeMutableRawPointer(rest).copyMemory(
      from: source + first, byteCount: (frameCount - first) * size)
  }

  @_noLocks
  private mutating func publish(_ cycle: RenderCycle, deviceFrame: UInt64, frameCount: Int) {
    unsafe ring.pointee.record(writtenRecords).pointee = CaptureRecord(
      position: position, deviceFrame: deviceFrame, frameTime: cycle.frameTime,
      frameCount: UInt32(frameCount), hostNanoseconds: cycle.hostNanoseconds,
      overrunFrames: pendingOverrunFrames, missedFrames: pendingMissedFrames,
      isUnmeasured: isUnmeasured)
    pendingOverrunFrames = 0
    pendingMissedFrames = 0
    isUnmeasured = false
    writtenFrames &+= UInt64(frameCount)
    writtenRecords &+= 1
    unsafe ring.pointee.writtenRecords.store(writtenRecords, ordering: .releasing)
    // Stored after the record, so a thread that sees the frames also sees the record.
    unsafe ring.pointee.writtenFrames.store(writtenFrames, ordering: .releasing)
  }
}
