// SPDX-License-Identifier: MIT

internal import CJACK
public import RenderCore
internal import Synchronization

extension RemoteIO {
  /// The server's current frames per second.
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

  /// The log of the last cycles: the start time, the duration and the work of each. Continues on another server
  /// after a re-attachment. Any thread may read it; it lives as long as it is referenced.
  public var cycleLog: CycleLog { storage.cycleLog }

  /// Missed cycles: jumps of the server's frame clock between two cycles of one size. The client or the server
  /// may have been late; ``xrunCount`` is the server's own report.
  public var missedCycleCount: UInt64 {
    unsafe storage.state.pointee.missedCycles.load(ordering: .relaxed)
  }

  /// Xruns reported by the server. It reports each to all clients, whichever was late.
  public var xrunCount: UInt64 {
    unsafe storage.state.pointee.xruns.load(ordering: .relaxed)
  }

  /// Whether the server freewheels, running as fast as it can. Each cycle then waits until the sources that
  /// play have sound for it.
  public var isFreewheeling: Bool {
    unsafe storage.state.pointee.isFreewheeling.load(ordering: .relaxed)
  }

  /// Cycles of a freewheeling server that waited 5 seconds for sound in vain and went on with silence, which
  /// the sources count as an underrun. Later cycles do not wait until the sound is there again.
  public var abandonedFreewheelWaitCount: UInt64 {
    unsafe storage.state.pointee.abandonedWaits.load(ordering: .relaxed)
  }

  /// Whether the server has reported its end and the client is not attached to another one yet
  /// (``Configuration/reattaches``). PipeWire before 1.0 never reports it: once this is started, it counts as
  /// ended when it has not called for 2 s.
  public var isServerShutDown: Bool { storage.isServerGone }

  /// Whether a started output has not been called for too long (``CycleWatchdog``) although the server
  /// has not ended. It may come back.
  public var isStalled: Bool {
    guard progress.withLock({ $0.phase == .started }), !isServerShutDown else { return false }
    return storage.silenceNanoseconds.map(storage.watchdog.isStalled(afterSilenceOf:)) ?? false
  }

  /// The kernel's scheduling of the process thread; nil before the first cycle and after the end.
  /// `jack_is_realtime` would report only the server's setting.
  public var scheduling: ThreadScheduling? {
    let thread = unsafe storage.state.pointee.processThread.load(ordering: .relaxed)
    guard let threadID = unsafe storage.state.pointee.threads.threadID(of: thread) else {
      return nil
    }
    return ThreadScheduling(threadID: threadID)
  }

  /// The process thread's use of its processor since it began; nil before the first cycle, after the end, and
  /// if the kernel does not count it. Makes system calls: for any thread but the process thread.
  public var processThreadUsage: ThreadUsage? {
    let thread = unsafe storage.state.pointee.processThread.load(ordering: .relaxed)
    return unsafe storage.state.pointee.threads.usage(of: thread)
  }

  /// Frames from a cycle's start until its first frame sounds, as the ports' connections declare it: the
  /// shortest and the longest path (jack.h, `JackPlaybackLatency`). 0 when unconnected; nil when closed or
  /// without a server.
  public var playbackLatency: ClosedRange<Int>? {
    fact { $0.playbackLatency }
  }

  /// Frames from a sound's arrival at the machine to the start of the cycle that delivers it, as the input
  /// ports' connections declare it: the shortest and the longest path (jack.h, `JackCaptureLatency`). 0 when
  /// unconnected; nil when closed or without a server.
  public var captureLatency: ClosedRange<Int>? {
    fact { $0.captureLatency }
  }

  /// An estimate of the server's frame clock now; minus a cycle's `frameTime`, it is the time since that
  /// cycle's start. Wraps at 2³². After a re-attachment the clock goes on where the last cycle before the loss
  /// ended, so it differs from that of the server's other clients. nil when closed or without a server.
  public var frameTime: UInt32? {
    fact { client in
      unsafe FrameClock.time(
        atServerTime: client.frameTime,
        publication: storage.state.pointee.clockPublication.load(ordering: .relaxed))
    }
  }

  /// Returns a fact of the client; nil when its server has ended, even before the client is closed.
  private func fact<Value: Sendable>(_ read: (Client) -> Value?) -> Value? {
    storage.isServerGone ? nil : live.withLock { $0.flatMap(read) }
  }

  /// A descriptor, for poll(2), that is readable when ``takeNotices()`` may return notices.
  /// Xruns alone do not make it readable: they may be counted on the process thread, which makes no
  /// system calls. Owned by this object; do not read or close it.
  public var noticeDescriptor: Int32 { unsafe storage.state.pointee.eventDescriptor }

  /// Returns the notices since the last call, merged by kind. Does not wait.
  public func takeNotices() -> [Notice] {
    unsafe storage.state.pointee.acknowledgeWake()
    return progress.withLock { $0.told.notices(from: storage) }
  }
}
