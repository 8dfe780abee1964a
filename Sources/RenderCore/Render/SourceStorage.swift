// SPDX-License-Identifier: MIT

internal import Synchronization

/// The owner of one source's memory. Its feed, its control and the renderer's graph hold it; the render thread uses the
/// addresses in it and never this object.
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

  /// Fades the sound out permanently.
  ///
  /// - Returns: whether the source was held, so no sound is coming.
  func leave() -> Bool {
    unsafe shared.pointee.mode.exchange(
      SourceMode.leaveCode, ordering: .sequentiallyConsistent) == SourceMode.holdCode
  }

  /// Whether the source is leaving, and silent.
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

/// A new source: its feeding end and its control. Take them apart.
@frozen
public struct RenderSource: ~Copyable {
  /// The end that takes packets: for one feeder thread.
  public let feed: SourceFeed
  /// The end that sets the mode and reads the position: for any thread.
  public let control: SourceControl
}
