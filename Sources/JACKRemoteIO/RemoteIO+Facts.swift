// SPDX-License-Identifier: MIT

internal import CJACK
public import RenderCore
internal import Synchronization

extension RemoteIO {
  /// The server's frames per second, now.
  public var sampleRate: Double {
    unsafe Double(storage.state.pointee.sampleRate.load(ordering: .relaxed))
  }

  /// Frames in the last cycle, or in the first one to come. May change from cycle to cycle, up to
  /// `Renderer.maximumFramesPerCycle`.
  public var bufferSize: Int {
    unsafe Int(storage.state.pointee.bufferSize.load(ordering: .relaxed))
  }

  /// Cycles that the server has called for.
  public var cycleCount: UInt64 {
    unsafe storage.state.pointee.cycles.load(ordering: .relaxed)
  }

  /// What each of the last cycles was like: when it was called, how long it took, and what it did. Goes on
  /// on another server, after a re-attachment. Any thread may read it; it lives as long as it is referred
  /// to.
  public var cycleLog: CycleLog { storage.cycleLog }

  /// Cycles that the server has gone on without: jumps of its frame clock between two cycles of one
  /// size. These are ours or the server's; ``xrunCount`` is what the server says of itself.
  public var missedCycleCount: UInt64 {
    unsafe storage.state.pointee.missedCycles.load(ordering: .relaxed)
  }

  /// Xruns that the server has told of. It tells all clients of each, whoever was late.
  public var xrunCount: UInt64 {
    unsafe storage.state.pointee.xruns.load(ordering: .relaxed)
  }

  /// Whether the server runs as fast as it can. Each cycle then waits until the sources that play have
  /// sound for it.
  public var isFreewheeling: Bool {
    unsafe storage.state.pointee.isFreewheeling.load(ordering: .relaxed)
  }

  /// Times that a cycle of a freewheeling server has waited 5 seconds for sound that did not come, and
  /// went on with silence, which the sources count as an underrun. It does not wait again until the sound
  /// is there.
  public var abandonedFreewheelWaitCount: UInt64 {
    unsafe storage.state.pointee.abandonedWaits.load(ordering: .relaxed)
  }

  /// Whether the server has told that it has ended, and no other one is attached to yet
  /// (``Configuration/reattaches``). PipeWire before 1.0 never tells: it is taken for ended, once this is
  /// started, when it has not called for 2 s.
  public var isServerShutDown: Bool { storage.isServerGone }

  /// Whether a started output has not been called for too long (``CycleWatchdog``) although the server
  /// has not ended. It may come back.
  public var isStalled: Bool {
    guard progress.withLock({ $0.phase == .started }), !isServerShutDown else { return false }
    return storage.silenceNanoseconds.map(storage.watchdog.isStalled(afterSilenceOf:)) ?? false
  }

  /// How the kernel schedules the process thread; nil before the first cycle and after the end.
  /// `jack_is_realtime` would tell what the server was asked for, not what the thread got.
  public var scheduling: ThreadScheduling? {
    let thread = unsafe storage.state.pointee.processThread.load(ordering: .relaxed)
    guard let threadID = unsafe storage.state.pointee.threads.threadID(of: thread) else {
      return nil
    }
    return ThreadScheduling(threadID: threadID)
  }

  /// What the process thread has used of its processor since it began; nil before the first cycle, after
  /// the end, and where the kernel does not count. System calls: for any thread but the process thread.
  public var processThreadUsage: ThreadUsage? {
    let thread = unsafe storage.state.pointee.processThread.load(ordering: .relaxed)
    return unsafe storage.state.pointee.threads.usage(of: thread)
  }

  /// Frames from a cycle's start until its first frame is heard, as the ports' connections declare
  /// it: the shortest and the longest way (jack.h, `JackPlaybackLatency`). 0 when unconnected; nil
  /// when closed or without a server.
  public var playbackLatency: ClosedRange<Int>? {
    fact { $0.playbackLatency }
  }

  /// Frames from a sound's arrival at the machine to the start of the cycle that brings it, as the input
  /// ports' connections declare it: the shortest and the longest way (jack.h, `JackCaptureLatency`). 0
  /// when unconnected; nil when closed or without a server.
  public var captureLatency: ClosedRange<Int>? {
    fact { $0.captureLatency }
  }

  /// The server's frame clock, now: with a cycle's `frameTime` it says how far into the cycle the
  /// moment is. An estimate; wraps at 2³². After a re-attachment the clock goes on where the last cycle
  /// before the loss ended, so it is no longer what the server's other clients read. nil when closed or
  /// without a server.
  public var frameTime: UInt32? {
    fact { client in
      unsafe FrameClock.time(
        atServerTime: client.frameTime,
        publication: storage.state.pointee.clockPublication.load(ordering: .relaxed))
    }
  }

  /// Reads a fact of the client. One whose server has ended has none, also before it is closed.
  private func fact<Value: Sendable>(_ read: (Client) -> Value?) -> Value? {
    storage.isServerGone ? nil : live.withLock { $0.flatMap(read) }
  }

  /// A descriptor that is readable, for poll(2), when ``takeNotices()`` may have something to tell.
  /// Xruns alone do not make it readable: they may be counted on the process thread, which makes no
  /// system calls. Owned by this object; do not read or close it.
  public var noticeDescriptor: Int32 { unsafe storage.state.pointee.eventDescriptor }

  /// What has changed since the last call, merged by kind. Does not wait.
  public func takeNotices() -> [Notice] {
    unsafe storage.state.pointee.acknowledgeWake()
    return progress.withLock { $0.told.notices(from: storage) }
  }
}
