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
  init() {
    frameTime = 0
    frameCount = 0
    wakeFrames = 0
    missedFrames = 0
    isMeasured = true
    xruns = 0
    isHeld = false
    isFreewheeling = false
    work = RenderWork()
  }

  /// Takes what was rendered since this was last taken. For the thread that renders.
  @_noLocks
  package mutating func takeWork(of context: RenderContext) {
    unsafe work = context.state.pointee.work
    unsafe context.state.pointee.work = RenderWork()
  }
}

/// Times one call of an output's callback, from its making to ``finish(in:)``, for a ``CycleLog``.
///
/// It is filled in where it lies: facts that are handed on are copied, and each copy is more of the stack.
///
/// Real-time: one read of the processor's counter and a dozen stores; no system call. The other end of the
/// callback is when the renderer was done, which has read the counter for itself: a reading takes 10 ns, more
/// than what follows.
package struct CycleRecorder {
  /// What is known of the cycle.
  package var facts: CycleFacts
  private let entryTicks: UInt64

  /// Begins. First of all in the callback.
  @_noLocks
  package init() {
    entryTicks = drawbar_ticks()
    drawbar_watch_preemption()
    facts = CycleFacts()
  }

  /// Ends, and adds the record to a log. Last of all in the callback.
  @_noLocks
  package mutating func finish(in log: CycleLogStorage) {
    let preemption = drawbar_end_preemption_watch()
    let exit = facts.work.endTicks
    log.append(
      CycleWords(
        facts, entryTicks: entryTicks, exitTicks: exit == 0 ? drawbar_ticks() : exit,
        preemption: preemption))
  }
}
