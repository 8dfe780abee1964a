// SPDX-License-Identifier: MIT

internal import CJACK
internal import CRealtimeScope
internal import Synchronization

/// The time of the last cycle of a client that renders nothing. Must live as long as the client.
@safe
final class CycleMark: @unchecked Sendable {
  /// The time on JACK's clock; 0: the client is not watched. At a fixed address: a class's field would need
  /// reference counting in the process callback.
  private let microseconds: UnsafeMutablePointer<Atomic<UInt64>>

  init() {
    unsafe microseconds = .allocate(capacity: 1)
    unsafe microseconds.initialize(to: Atomic(0))
  }

  deinit {
    unsafe microseconds.deinitialize(count: 1)
    unsafe microseconds.deallocate()
  }

  /// Starts recording the client's cycles. Call it before the client is activated.
  func watch(_ client: OpaquePointer) {
    unsafe microseconds.pointee.store(jack_get_time(), ordering: .relaxed)
    unsafe jack_set_process_callback(client, markCycle, microseconds)
  }

  /// The time since the last cycle; 0 for a client that is not watched.
  var silenceNanoseconds: UInt64 {
    let last = unsafe microseconds.pointee.load(ordering: .relaxed)
    let now = jack_get_time()
    // Later than now: a cycle has begun meanwhile.
    return last == 0 || last > now ? 0 : (now - last) * 1000
  }
}

/// Runs on the process thread, once a cycle.
@_noLocks
private func markCycle(_: jack_nframes_t, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  drawbar_realtime_enter()
  if let argument = unsafe argument {
    unsafe argument.assumingMemoryBound(to: Atomic<UInt64>.self).pointee.store(
      jack_get_time(), ordering: .relaxed)
  }
  drawbar_realtime_exit()
  return 0
}
