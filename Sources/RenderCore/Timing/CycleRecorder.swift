// SPDX-License-Identifier: MIT

internal import CRealtimeScope

/// What an output knows of a cycle besides its times.
package struct CycleFacts {
  package var frameTime: UInt32
  package var frameCount: UInt32
  /// Frames from the start of the server's cycle to the callback's entry.
  package var wakeFrames: UInt32
  package var missedFrames: UInt32
  package var isMeasured: Bool
  /// The server's xruns so far.
  package var xruns: UInt64
  package var isHeld: Bool
  package var isFreewheeling: Bool
  package var work: RenderWork

  /// Those of a cycle in which nothing happened.
  @_noLocks
  package init(frameTime: UInt32, frameCount: UInt32) {
    self.frameTime = frameTime
    self.frameCount = frameCount
    wakeFrames = 0
    missedFrames = 0
    isMeasured = true
    xruns = 0
    isHeld = false
    isFreewheeling = false
    work = RenderWork()
  }
}

/// Times one call of an output's callback, from its making to ``finish(_:)``, for a ``CycleLog``.
///
/// Real-time: one read of the processor's counter and a dozen stores; no system call. The other end of the
/// callback is when the renderer was done, which has read the counter for itself: a reading takes 10 ns, more
/// than what follows.
package struct CycleRecorder {
  private let entryTicks: UInt64

  /// Begins. First of all in the callback.
  @_noLocks
  package init() {
    entryTicks = drawbar_ticks()
    drawbar_watch_preemption()
  }

  /// Ends, and adds the record to a log. Last of all in the callback.
  @_noLocks
  package func finish(_ facts: CycleFacts, in log: CycleLogStorage) {
    let preemption = drawbar_end_preemption_watch()
    let exit = facts.work.endTicks
    log.append(
      CycleWords(
        facts, entryTicks: entryTicks, exitTicks: exit == 0 ? drawbar_ticks() : exit,
        preemption: preemption))
  }
}
