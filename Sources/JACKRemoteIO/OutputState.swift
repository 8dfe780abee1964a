// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc
internal import RenderCore
internal import Synchronization

/// The state that libjack's callbacks use. Lives at a fixed address, never behind a class: a class field would
/// cost exclusivity checks and reference counts in the process callback.
@safe
struct OutputState: ~Copyable {
  /// The log of cycles. Lives as long as the storage of this state.
  private let log: CycleLogStorage
  /// The render context, from the start on. Written before the client is activated.
  var context: RenderContext?
  /// Written after a client is opened and before any of its callbacks can run, when those of the last client
  /// have ended.
  private var client: OpaquePointer?
  private let ports: UnsafeMutableBufferPointer<OpaquePointer?>
  /// The output buffer of each channel; set anew in every cycle.
  private let buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  /// The buffer for the sound of a port that has none.
  private let spare: UnsafeMutablePointer<Float>
  /// The most frames that the renderer takes at once: a copy, because a class's metadata may take a lock.
  private let maximumSlice = Renderer.maximumFramesPerCycle
  private let inputs: InputPorts
  /// The connections whose appearance starts rendering. Written before the client is activated.
  var awaited = AwaitedConnections()
  /// Whether cycles receive the position of the server's transport.
  private let followsTransport: Bool
  private var continuity = CycleContinuity()
  private var outage = OutageMeter()
  private var clock = FrameClock()
  var freewheelWait = FreewheelWait()

  /// Set by the control side: nothing is rendered any more.
  let isDetached = Atomic<Bool>(false)
  /// Set by the control side while nothing is rendered yet and the clocks stand still. Cleared by it, or in the
  /// first cycle that has the awaited connections.
  let isHeld = Atomic<Bool>(false)
  /// Set by the process thread while it may be rendering.
  let isInCycle = Atomic<Bool>(false)

  /// `FrameClock.publication`, for other threads. Written by the process thread, or while there is none.
  let clockPublication = Atomic<UInt64>(FrameClock().publication)

  // Written by the process thread alone.
  let cycles = Atomic<UInt64>(0)
  let missedCycles = Atomic<UInt64>(0)
  /// Abandoned waits in a freewheeling server's cycles.
  let abandonedWaits = Atomic<UInt64>(0)
  /// The time of the last cycle's call, or of the client's activation, on JACK's clock.
  let lastCycleMicroseconds = Atomic<UInt64>(0)
  /// The process thread, by `cjack_current_thread`.
  let processThread = Atomic<UInt>(0)

  /// The transport's frame for which all sources are ready, with a bit above it set; 0 for none. Written by the
  /// process thread.
  let readyTransportFrame = Atomic<UInt64>(0)

  /// Written by the process thread and the notification thread.
  let bufferSize = Atomic<UInt32>(0)

  // Written by the notification thread.
  let xruns = Atomic<UInt64>(0)
  let sampleRate = Atomic<UInt32>(0)
  let isFreewheeling = Atomic<Bool>(false)
  let isShutDown = Atomic<Bool>(false)
  /// Protects the server's presence, and keeps `isShutDown` consistent with it, between libjack's, the control
  /// and the owner's threads. Never taken in a cycle.
  let presence = POSIXMutex(ServerPresence())
  /// Records the thread that reported the server's end, and closes the client.
  let farewell = ServerFarewell()
  /// Counts changes of any client's ports and connections.
  let graphChanges = Atomic<UInt64>(0)

  /// The threads that libjack has announced, for reading their scheduling from the kernel.
  let threads: ThreadTable
  /// An eventfd(2) that is readable when there may be a notice.
  let eventDescriptor: Int32
  /// Wakes the control thread.
  let controlWake: WakeSemaphore

  init(
    outputs channels: Int, inputs inputChannels: Int, followsTransport: Bool,
    eventDescriptor: Int32, controlWake: WakeSemaphore, log: CycleLogStorage
  ) {
    self.followsTransport = followsTransport
    self.log = log
    self.eventDescriptor = eventDescriptor
    self.controlWake = controlWake
    inputs = InputPorts(channels: inputChannels)
    threads = ThreadTable()
    unsafe ports = .allocate(capacity: channels)
    unsafe ports.initialize(repeating: nil)
    unsafe spare = .allocate(capacity: Renderer.maximumFramesPerCycle)
    unsafe spare.initialize(repeating: 0, count: Renderer.maximumFramesPerCycle)
    unsafe buffers = .allocate(capacity: channels)
    unsafe buffers.initialize(repeating: spare)
  }

  deinit {
    unsafe ports.deallocate()
    unsafe spare.deallocate()
    unsafe buffers.deallocate()
    close(eventDescriptor)
  }

  /// Sets the output port of a channel. Call it before the client is activated.
  mutating func setPort(_ port: OpaquePointer, channel: Int) {
    unsafe ports[channel] = port
  }

  /// Sets the input port of a channel. Call it before the client is activated.
  func setInputPort(_ port: OpaquePointer, channel: Int) {
    unsafe inputs.setPort(port, channel: channel)
  }

  /// Prepares the state for an opened client. Call it before any of its callbacks can run, when those of the
  /// last client have ended.
  mutating func attach(client: OpaquePointer) {
    unsafe self.client = client
    // A server without a rate must not stop the program: no renderer has a rate of 0.
    sampleRate.store(max(1, unsafe jack_get_sample_rate(client)), ordering: .relaxed)
    bufferSize.store(unsafe jack_get_buffer_size(client), ordering: .relaxed)
    publishPeriod()
    isFreewheeling.store(false, ordering: .relaxed)
    lastCycleMicroseconds.store(0, ordering: .relaxed)
    processThread.store(0, ordering: .relaxed)
    threads.forgetAll()
    awaited.forgetAll()
    continuity = CycleContinuity()
    outage.changeServer()
    freewheelWait = FreewheelWait()
    clock.restart()
    clockPublication.store(clock.publication, ordering: .relaxed)
    isShutDown.store(false, ordering: .releasing)
  }

  /// Publishes the server's period to the renderer.
  func publishPeriod() {
    context?.periodFrames = Int(bufferSize.load(ordering: .relaxed))
  }

  /// One cycle: every frame of every output port is written, with sound or silence.
  ///
  /// Code that few cycles need is never inlined, for the reason stated at `SourceUnit.renderSteadily`.
  @_noLocks
  mutating func process(frameCount: UInt32) {
    guard let client = unsafe client else { return }
    var recorder = CycleRecorder()
    // Sequentially consistent with `isDetached`: either this cycle sees it set, or the thread that sets it sees
    // the running cycle and waits.
    isInCycle.store(true, ordering: .sequentiallyConsistent)
    let now = jack_get_time()
    recorder.facts.frameTime = unsafe jack_last_frame_time(client)
    recorder.facts.frameCount = frameCount
    recorder.facts.wakeFrames = unsafe jack_frames_since_cycle_start(client)
    recorder.facts.xruns = xruns.load(ordering: .relaxed)
    var missedCycles: UInt64 = 0
    if isHeld.load(ordering: .acquiring), staysHeld() {
      recorder.facts.isHeld = true
      renderSilence(frameCount: frameCount)
    } else {
      missedCycles = unsafe perform(&recorder.facts, of: client, microseconds: now)
    }
    account(frameCount: frameCount, missedCycles: missedCycles, microseconds: now)
    recorder.finish(in: log)
    isInCycle.store(false, ordering: .releasing)
  }

  /// Returns whether rendering is still held; ends the hold when the awaited connections are made.
  @_noLocks @inline(never)
  private func staysHeld() -> Bool {
    if awaited.areMade { isHeld.store(false, ordering: .relaxed) }
    return isHeld.load(ordering: .acquiring)
  }

  /// Renders a cycle.
  ///
  /// - Parameter facts: the cycle's facts, which this completes.
  /// - Returns: the cycles missed before it.
  @_noLocks @inline(__always)
  private mutating func perform(
    _ facts: inout CycleFacts, of client: OpaquePointer, microseconds: UInt64
  ) -> UInt64 {
    let (serverTime, frameCount) = (facts.frameTime, facts.frameCount)
    facts.isFreewheeling = isFreewheeling.load(ordering: .relaxed)
    let step =
      facts.isFreewheeling
      ? continuity.advanceFreewheeling()
      : continuity.advance(frameTime: serverTime, frameCount: frameCount)
    facts.missedFrames = step.missedFrames
    facts.isMeasured = step.isMeasured
    let lostFrames = outage.missedFrames(
      toldByClock: step.missedFrames, microseconds: microseconds, frameCount: frameCount,
      sampleRate: sampleRate.load(ordering: .relaxed), isFreewheeling: facts.isFreewheeling)
    facts.frameTime = clock.advance(serverTime: serverTime, frameCount: frameCount)
    clockPublication.store(clock.publication, ordering: .relaxed)
    // Checked before the wait and after it: the thread that detached this may have freed the context.
    if facts.isFreewheeling || freewheelWait.hasAsked, let context,
      !isDetached.load(ordering: .sequentiallyConsistent)
    {
      awaitSound(context, frameCount: frameCount)
    }
    if let context, !isDetached.load(ordering: .sequentiallyConsistent) {
      let transport = followsTransport ? unsafe queryTransport(client) : .none
      render(
        context, facts, lostFrames: lostFrames, microseconds: microseconds, transport: transport)
      if followsTransport { publishReadiness(context, transport) }
      facts.takeWork(of: context)
    } else {
      renderSilence(frameCount: frameCount)
    }
    return step.missedCycles
  }

  /// - Parameter lostFrames: frames before this cycle that captures lack.
  @_noLocks @inline(__always)
  private mutating func render(
    _ context: RenderContext, _ facts: borrowing CycleFacts, lostFrames: UInt32,
    microseconds: UInt64, transport: RenderTransport
  ) {
    var cycle = RenderCycle(
      frameCount: Int(facts.frameCount), frameTime: facts.frameTime,
      hostNanoseconds: microseconds &* 1000)
    cycle.transport = transport
    guard inputs.isEmpty, lostFrames == 0, cycle.frameCount <= maximumSlice else {
      return renderSlices(
        context, of: cycle, missedFrames: lostFrames, isMeasured: facts.isMeasured)
    }
    setBuffers(frameCount: facts.frameCount, from: 0)
    unsafe context.render(cycle, into: buffers)
  }

  /// Renders in slices of the renderer's maximum, with or without inputs, with or without a gap before. Only
  /// PipeWire can be configured for longer cycles.
  @_noLocks @inline(never)
  private mutating func renderSlices(
    _ context: RenderContext, of cycle: RenderCycle, missedFrames: UInt32, isMeasured: Bool
  ) {
    let rate = UInt64(max(1, sampleRate.load(ordering: .relaxed)))
    let frameCount = UInt32(cycle.frameCount)
    var done = 0
    while done < cycle.frameCount {
      setBuffers(frameCount: frameCount, from: done)
      var slice = RenderCycle(
        frameCount: min(cycle.frameCount - done, maximumSlice),
        frameTime: cycle.frameTime &+ UInt32(done),
        hostNanoseconds: cycle.hostNanoseconds &+ UInt64(done) &* 1_000_000_000 / rate)
      slice.transport = cycle.transport.advanced(by: done)
      if inputs.isEmpty, missedFrames == 0 {
        unsafe context.render(slice, into: buffers)
      } else {
        let brought = inputs.inputs(
          from: done, of: frameCount, missedFrames: done == 0 ? missedFrames : 0,
          isMeasured: done > 0 || isMeasured)
        unsafe context.render(slice, from: brought, into: buffers)
      }
      done += slice.frameCount
    }
  }

  /// Sets each channel's buffer for this cycle, from a frame on.
  @_noLocks
  private func setBuffers(frameCount: UInt32, from frame: Int) {
    for channel in unsafe 0..<buffers.count {
      unsafe buffers[channel] = portBuffer(channel, frameCount).map { unsafe $0 + frame } ?? spare
    }
  }

  @_noLocks @inline(never)
  private func renderSilence(frameCount: UInt32) {
    for channel in unsafe 0..<ports.count {
      if let buffer = unsafe portBuffer(channel, frameCount) {
        unsafe buffer.update(repeating: 0, count: Int(frameCount))
      }
    }
  }

  /// Returns an output port's memory for this cycle, which must not be kept. JACK may have none.
  @_noLocks
  private func portBuffer(_ channel: Int, _ frameCount: UInt32) -> UnsafeMutablePointer<Float>? {
    guard let port = unsafe ports[channel],
      let memory = unsafe jack_port_get_buffer(port, frameCount)
    else { return nil }
    return unsafe memory.assumingMemoryBound(to: Float.self)
  }

  @_noLocks
  private func account(frameCount: UInt32, missedCycles missed: UInt64, microseconds: UInt64) {
    // One writer: plain stores of what this thread alone counts.
    missedCycles.store(missedCycles.load(ordering: .relaxed) &+ missed, ordering: .relaxed)
    cycles.store(cycles.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    bufferSize.store(frameCount, ordering: .relaxed)
    lastCycleMicroseconds.store(microseconds, ordering: .relaxed)
    processThread.store(cjack_current_thread(), ordering: .relaxed)
  }
}
