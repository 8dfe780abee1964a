// SPDX-License-Identifier: MIT

internal import CDescriptors
internal import CJACK
internal import Glibc
internal import RenderCore
internal import Synchronization

/// Keeps the callbacks' state alive: as long as the output, and as long as the client that libjack
/// may still call back.
@safe
final class OutputStateStorage: ServerUser, @unchecked Sendable {
  let state: UnsafeMutablePointer<OutputState>
  /// Wakes the control thread.
  let controlWake = WakeSemaphore()
  /// The log of the cycles.
  let cycleLog = CycleLog()

  init(outputs: Int, inputs: Int, followsTransport: Bool = false) throws(RemoteIOError) {
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { throw .outOfResources("file descriptors") }
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(
      to: OutputState(
        outputs: outputs, inputs: inputs, followsTransport: followsTransport,
        eventDescriptor: descriptor, controlWake: controlWake, log: cycleLog.storage))
  }

  deinit {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  var isShutDown: Bool { unsafe state.pointee.isShutDown.load(ordering: .acquiring) }

  /// Whether there is no server now, as far as is known.
  var isServerGone: Bool { unsafe state.pointee.presence.withLock { $0.isAway } }

  var cycleCount: UInt64 { unsafe state.pointee.cycles.load(ordering: .acquiring) }

  /// The time since the last cycle; nil when the client is not active yet.
  var silenceNanoseconds: UInt64? {
    let last = unsafe state.pointee.lastCycleMicroseconds.load(ordering: .relaxed)
    let now = jack_get_time()
    // 0: the client is not active yet. Later than now: a cycle has begun meanwhile.
    return last == 0 ? nil : last < now ? (now - last) * 1000 : 0
  }

  /// The watchdog for the server's current period, rate and mode.
  var watchdog: CycleWatchdog {
    unsafe CycleWatchdog(
      bufferSize: Int(state.pointee.bufferSize.load(ordering: .relaxed)),
      sampleRate: Double(state.pointee.sampleRate.load(ordering: .relaxed)),
      isFreewheeling: state.pointee.isFreewheeling.load(ordering: .relaxed))
  }

  /// Stops rendering from the next cycle on and waits, until the deadline, for a cycle that renders.
  ///
  /// - Returns: whether nothing renders any more.
  func detach(until deadline: Deadline) -> Bool {
    unsafe state.pointee.isDetached.store(true, ordering: .sequentiallyConsistent)
    while unsafe state.pointee.isInCycle.load(ordering: .sequentiallyConsistent) {
      if deadline.hasPassed { return false }
      // A cycle takes a fraction of a period; if it waits for sound, that wait ends now.
      usleep(100)
    }
    return true
  }
}
