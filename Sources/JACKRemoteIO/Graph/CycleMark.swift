// SPDX-License-Identifier: MIT

internal import CJACK
internal import CRealtimeScope
internal import Synchronization

/// When a client that renders nothing was last called. It must live as long as the client.
@safe
final class CycleMark: @unchecked Sendable {
  /// On JACK's clock; 0: the client is not watched. At a fixed address: a class's field would cost the
  /// process callback reference counts.
  private let microseconds: UnsafeMutablePointer<Atomic<UInt64>>

  init() {
    unsafe microseconds = .allocate(capacity: 1)
    unsafe microseconds.initialize(to: Atomic(0))
  }

  deinit {
    unsafe microseconds.deinitialize(count: 1)
    unsafe microseconds.deallocate()
  }

  /// Has libjack tell of each cycle, from now on. Before the client is activated.
  func watch(_ client: OpaquePointer) {
    unsafe microseconds.pointee.store(jack_get_time(), ordering: .relaxed)
    unsafe jack_set_process_callback(client, markCycle, microseconds)
  }

  /// How long there was no cycle; 0 for a client that is not watched.
  var silenceNanoseconds: UInt64 {
    let last = unsafe microseconds.pointee.load(ordering: .relaxed)
    let now = jack_get_time()
    // Later than now: a cycle has begun meanwhile.
    return last == 0 || last > now ? 0 : (now - last) * 1000
  }
}

/// The process thread, once a cycle.
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
