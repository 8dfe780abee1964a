// SPDX-License-Identifier: MIT

internal import Synchronization

/// Owns the memory of one source. Held by its feed, its control and the renderer's graph; the render
/// thread uses the addresses in it and never this object.
@safe
final class SourceStorage: @unchecked Sendable {
  let shared: UnsafeMutablePointer<SourceShared>
  let unit: UnsafeMutablePointer<SourceUnit>

  init(
    consumer: consuming PacketRingConsumer, outputRate: Int, bus: RenderBus,
    holdsAfterUnderrun: Bool, fadesAtUnderrun: Bool
  ) {
    unsafe shared = .allocate(capacity: 1)
    unsafe shared.initialize(
      to: SourceShared(outputRate: outputRate, outputChannels: bus.channelCount))
    unsafe unit = .allocate(capacity: 1)
    unsafe unit.initialize(
      to: SourceUnit(
        consumer: consumer, shared: shared, bus: bus, holdsAfterUnderrun: holdsAfterUnderrun,
        fadesAtUnderrun: fadesAtUnderrun))
  }

  /// Has the sound fade out, for good.
  ///
  /// - Returns: whether it was held: no sound is on its way then.
  func leave() -> Bool {
    unsafe shared.pointee.mode.exchange(
      SourceMode.leaveCode, ordering: .sequentiallyConsistent) == SourceMode.holdCode
  }

  /// Whether it is leaving, and silent.
  var hasLeft: Bool {
    unsafe shared.pointee.mode.load(ordering: .relaxed) == SourceMode.leaveCode
      && shared.pointee.isSilent.load(ordering: .acquiring)
  }

  deinit {
    unsafe unit.deinitialize(count: 1)
    unsafe unit.deallocate()
    unsafe shared.deinitialize(count: 1)
    unsafe shared.deallocate()
  }
}

/// A new source: the end that is fed and the end that is controlled. Take them apart.
@frozen
public struct RenderSource: ~Copyable {
  /// Where packets go in: for one feeder thread.
  public let feed: SourceFeed
  /// How the source is told to play and asked for its position: for any thread.
  public let control: SourceControl
}
