// SPDX-License-Identifier: MIT

internal import CJACK
internal import CRealtimeScope
internal import RenderCore
internal import Synchronization

/// What a cycle knows of the waits before it.
struct FreewheelPatience {
  /// The cycle before was a freewheeling one; or there was none, and what the client before this one has
  /// asked is not known.
  var hasAsked = true
  /// The last wait was given up, and the sound has not come since.
  var isOver = false

  /// How long a cycle waits: half of the 10 s after which jackd goes on without its clients.
  static var limitMicroseconds: UInt64 { @_noLocks get { 5_000_000 } }

  @_noLocks
  init() {}
}

/// Cycles of a server that freewheels. They come as fast as the clients answer and none of them can be
/// late, so sound that is on its way is waited for: silence in its place would be in the recording.
extension OutputState {
  /// Waits, while the server freewheels, until every source has the sound for this cycle, has ended, or
  /// wants none. Before anything is rendered; it is no part of the real-time path, which never waits.
  ///
  /// A wait is given up after ``FreewheelPatience/limitMicroseconds``, and none follows until the sound is
  /// there again, so that a source that is dead does not hold up the server. One that has begun is not
  /// ended with freewheeling: this cycle is still heard.
  @_noLocks
  mutating func awaitSound(_ context: RenderContext, frameCount: UInt32) {
    guard isFreewheeling.load(ordering: .relaxed) else {
      if patience.hasAsked {
        context.endWaiting()
        patience.hasAsked = false
        patience.isOver = false
      }
      return
    }
    patience.hasAsked = true
    if context.isReady(frameCount: Int(frameCount)) {
      patience.isOver = false
      return
    }
    if patience.isOver { return }
    let start = jack_get_time()
    while jack_get_time() &- start < FreewheelPatience.limitMicroseconds {
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
    patience.isOver = true
    abandonedWaits.store(abandonedWaits.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// Tells the sources that nothing waits for them, in place of a cycle: the client is closed, and there may
  /// be no other one for long. As a cycle it leaves them alone once this is detached.
  func endWaiting() {
    isInCycle.store(true, ordering: .sequentiallyConsistent)
    if let context, !isDetached.load(ordering: .sequentiallyConsistent) { context.endWaiting() }
    isInCycle.store(false, ordering: .releasing)
  }
}
