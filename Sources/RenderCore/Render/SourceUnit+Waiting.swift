// SPDX-License-Identifier: MIT

internal import Synchronization

/// The checks of an output without deadlines before it renders.
extension SourceUnit {
  /// Sound that has to be in the ring besides the cycle's own: the resampler's look-ahead.
  private static var spareNanoseconds: UInt64 { @_noLocks get { 1_000_000_000 } }

  /// Returns whether a cycle of `frameCount` frames finds all available sound: it is in the ring, or the ring is full,
  /// or none will come. Real-time: wait-free, render thread only.
  @_noLocks
  mutating func isReady(frameCount: Int) -> Bool {
    unsafe shared.pointee.isOutputWaiting.store(true, ordering: .relaxed)
    guard unsafe shared.pointee.holdsOutput.load(ordering: .acquiring) else { return true }
    // Only a cycle changes to another flush serial.
    if unsafe shared.pointee.flushSerial.load(ordering: .acquiring) != source.flushSerial {
      return true
    }
    // The feeder is looking for the position that a transport requests.
    if isAskingTransport { return false }
    if follower.isSilent { return true }
    // Sound is wanted, but there is not yet enough of it to begin.
    let mode = unsafe shared.pointee.mode.load(ordering: .acquiring)
    if mode == SourceMode.leaveCode { return true }
    if mode != SourceMode.playCode || isStarved { return false }
    if unsafe shared.pointee.fullAtEntry.load(ordering: .acquiring) == source.takenEntries {
      return true
    }
    let rate = UInt64(max(1, outputRate))
    return source.holds(
      nanoseconds: UInt64(frameCount) &* 1_000_000_000 / rate &+ Self.spareNanoseconds)
  }
}

extension RenderState {
  /// Returns whether every source and every capture is ready for a cycle of `frameCount` frames.
  @_noLocks
  func isReady(frameCount: Int) -> Bool {
    let address = enter()
    defer { leave() }
    guard let plan = unsafe UnsafeMutablePointer<RenderPlan>(bitPattern: address) else {
      return true
    }
    var isReady = true
    for index in unsafe 0..<plan.pointee.units.count {
      if unsafe !plan.pointee.units[index].pointee.isReady(frameCount: frameCount) {
        isReady = false
      }
    }
    for index in unsafe 0..<plan.pointee.captures.count {
      if unsafe !plan.pointee.captures[index].pointee.isReady(frameCount: frameCount) {
        isReady = false
      }
    }
    return isReady
  }

  /// Informs every source that the output has deadlines again.
  @_noLocks
  func endWaiting() {
    let address = enter()
    defer { leave() }
    guard let plan = unsafe UnsafeMutablePointer<RenderPlan>(bitPattern: address) else { return }
    for index in unsafe 0..<plan.pointee.units.count {
      unsafe plan.pointee.units[index].pointee.shared.pointee.isOutputWaiting.store(
        false, ordering: .relaxed)
    }
  }
}

extension RenderContext {
  /// Returns whether a cycle of `frameCount` frames would find all available sound of its sources, and room in the
  /// captures that are read. An output without deadlines calls this before it renders, and waits while it is false:
  /// sound or room will come then.
  ///
  /// Real-time: wait-free. On the thread that renders, between two cycles.
  @_noLocks
  public func isReady(frameCount: Int) -> Bool {
    unsafe state.pointee.isReady(frameCount: frameCount)
  }

  /// Ends the waiting that ``isReady(frameCount:)`` has begun, because the output has deadlines again: feeders need not
  /// hurry any more.
  ///
  /// Real-time: wait-free. On the thread that renders, between two cycles.
  @_noLocks
  public func endWaiting() {
    unsafe state.pointee.endWaiting()
  }
}

extension SourceControl {
  /// Whether sound is wanted and will come, although there may be none at the moment. An output without deadlines then
  /// waits for it (``RenderContext/isReady(frameCount:)``). False at first.
  public var holdsOutput: Bool {
    get { unsafe shared.pointee.holdsOutput.load(ordering: .acquiring) }
    nonmutating set { unsafe shared.pointee.holdsOutput.store(newValue, ordering: .releasing) }
  }

  /// Whether the output waits for sound and takes it as fast as it comes: a feeder should then often check for room.
  public var isOutputWaiting: Bool {
    unsafe shared.pointee.isOutputWaiting.load(ordering: .relaxed)
  }
}

extension SourceFeed {
  /// Entries that the render thread has taken out of the ring so far. Can only have grown since it was read.
  public var takenEntryCount: UInt64 { producer.readEntryCount }

  /// Notes that the ring is full until more entries than this are taken out; nil if it has room. An output that waits
  /// for sound must not wait for that.
  public func noteFull(atTakenEntryCount count: UInt64?) {
    unsafe storage.shared.pointee.fullAtEntry.store(count ?? .max, ordering: .releasing)
  }
}
