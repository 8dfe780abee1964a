// SPDX-License-Identifier: MIT

internal import CRealtimeScope

/// The data of a cycle that an output has besides its times.
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

  /// Creates the data of a cycle in which nothing happened.
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

  /// Takes the work since it was last taken. For the thread that renders.
  @_noLocks
  package mutating func takeWork(of context: RenderContext) {
    unsafe work = context.state.pointee.work
    unsafe context.state.pointee.work = RenderWork()
  }
}

/// A timer of one call of an output's callback, from its initialisation to ``finish(in:)``, for a ``CycleLog``.
///
/// Its facts are set in place: passing them on would copy them, and each copy uses more of the stack.
///
/// Real-time: one read of the processor's counter and a dozen stores; no system call. The end of the callback is the
/// end of rendering, for which the renderer itself has read the counter: a reading takes 10 ns, more than the rest of
/// the callback.
package struct CycleRecorder {
  /// The data of the cycle.
  package var facts: CycleFacts
  private let entryTicks: UInt64

  /// Starts the timer. Call it first in the callback.
  @_noLocks
  package init() {
    entryTicks = drawbar_ticks()
    drawbar_watch_preemption()
    facts = CycleFacts()
  }

  /// Stops the timer, and adds the record to a log. Call it last in the callback.
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
