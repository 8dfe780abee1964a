// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc
internal import Synchronization

/// Keeps the callbacks' state alive: as long as the output, and as long as the client that libjack
/// may still call back.
@safe
final class OutputStateStorage: @unchecked Sendable {
  let state: UnsafeMutablePointer<OutputState>

  init(channels: Int) throws(RemoteIOError) {
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { throw .outOfResources("file descriptors") }
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: OutputState(channels: channels, eventDescriptor: descriptor))
  }

  deinit {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  var isShutDown: Bool { unsafe state.pointee.isShutDown.load(ordering: .acquiring) }

  /// Lets no cycle render any more and waits for one that does, until the deadline.
  ///
  /// - Returns: whether nothing renders any more.
  func detach(until deadline: Deadline) -> Bool {
    unsafe state.pointee.isDetached.store(true, ordering: .sequentiallyConsistent)
    while unsafe state.pointee.isInCycle.load(ordering: .sequentiallyConsistent) {
      if deadline.hasPassed { return false }
      // A cycle is a fraction of a period and cannot wait for anyone; nor does it call anyone.
      usleep(100)
    }
    return true
  }
}
