// SPDX-License-Identifier: MIT

internal import CJACK
internal import CRealtimeScope
internal import RenderCore
internal import Synchronization

/// The state of the waits for sound, kept from cycle to cycle.
struct FreewheelWait {
  /// Whether the sources may still be marked as waited for: the previous cycle freewheeled, or there was none
  /// and the state left by the previous client is unknown.
  var hasAsked = true
  /// Whether the last wait was abandoned and the sound has not come since.
  var isOver = false

  /// The longest wait of a cycle: half of the 10 s after which jackd goes on without its clients.
  static var limitMicroseconds: UInt64 { @_noLocks get { 5_000_000 } }

  @_noLocks
  init() {}
}

/// Cycles of a freewheeling server. They come as fast as the clients answer and cannot be late, so a cycle
/// waits for sound that is on its way: silence instead would end up in the recording.
extension OutputState {
  /// Waits, while the server freewheels, until every source has the sound for this cycle, has ended, or needs
  /// none. Called before rendering; not part of the real-time path, which never waits.
  ///
  /// A wait is abandoned after ``FreewheelWait/limitMicroseconds``, and none follows until the sound is
  /// there again, so that a dead source does not hold up the server. A wait that has begun does not end with
  /// freewheeling: its cycle is still played.
  @_noLocks
  mutating func awaitSound(_ context: RenderContext, frameCount: UInt32) {
    guard isFreewheeling.load(ordering: .relaxed) else {
      if freewheelWait.hasAsked {
        context.endWaiting()
        freewheelWait.hasAsked = false
        freewheelWait.isOver = false
      }
      return
    }
    freewheelWait.hasAsked = true
    if context.isReady(frameCount: Int(frameCount)) {
      freewheelWait.isOver = false
      return
    }
    if freewheelWait.isOver { return }
    let start = jack_get_time()
    while jack_get_time() &- start < FreewheelWait.limitMicroseconds {
      drawbar_realtime_exit()
      drawbar_rest_freewheeling()
      drawbar_realtime_enter()
      if isDetached.load(ordering: .sequentiallyConsistent)
        || isShutDown.load(ordering: .acquiring)
        || context.isReady(frameCount: Int(frameCount))
      {
        return
      }
    }
    freewheelWait.isOver = true
    abandonedWaits.store(abandonedWaits.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// Notifies the sources that no cycle waits for them. Called instead of a cycle when the client is closed,
  /// because the next client may be long in coming. Like a cycle, it leaves the sources alone once this is
  /// detached.
  func endWaiting() {
    isInCycle.store(true, ordering: .sequentiallyConsistent)
    if let context, !isDetached.load(ordering: .sequentiallyConsistent) { context.endWaiting() }
    isInCycle.store(false, ordering: .releasing)
  }
}
