// SPDX-License-Identifier: MIT

internal import CRealtimeScope
internal import Synchronization

/// All memory that the render entry uses. Lives at a fixed address, never behind a class: a class field would cost
/// exclusivity checks and reference counts in the callback.
@safe
struct RenderState: ~Copyable {
  let outputChannels: Int
  /// The plan to execute, an `UnsafeMutablePointer<RenderPlan>`. Written by the control side.
  let plan: Atomic<UInt>
  /// Odd while a cycle, or other code that uses a plan, runs; it only grows. Written by the render thread. It shows the
  /// control side when all uses that may have begun with an old plan have ended.
  let cyclePhase = Atomic<UInt64>(0)
  /// The serial of the last plan that a cycle began. Written by the render thread.
  let begunSerial = Atomic<UInt64>(0)
  /// The address of the inputs in a cycle without inputs; no frame is read from it.
  let noInputs: UnsafeMutablePointer<UnsafePointer<Float>>
  /// The outputs in the form that captures take; set anew in every cycle.
  let heardBuffers: UnsafeMutableBufferPointer<UnsafePointer<Float>>

  /// Whether cycles measure peaks. Written by the control side.
  let measuresPeaks = Atomic<Bool>(false)
  /// Each output's largest magnitude since it was last taken, as the bits of a `Float`, which have the order of the
  /// numbers.
  let peaks: UnsafeMutablePointer<Atomic<UInt32>>

  /// The pace of the work that is done ahead. Render thread only.
  var pace = WorkPace()

  /// The work since the output last took it, for the cycle's record. Render thread only.
  var work = RenderWork()

  /// The feedback loop that renders. Render thread only.
  var loop = LoopSlices()

  /// Samples that were NaN or infinite.
  let nonFiniteSamples = Atomic<UInt64>(0)
  /// Samples above full scale, in cycles that measure peaks.
  let clippedSamples = Atomic<UInt64>(0)

  /// See ``RenderContext/periodFrames``. Written by the output.
  let periodFrames = Atomic<Int>(0)

  let cycles = Atomic<UInt64>(0)
  let frames = Atomic<UInt64>(0)
  // Of the last cycle.
  let lastFrameCount = Atomic<Int>(0)
  let lastHostNanoseconds = Atomic<UInt64>(0)
  /// The duration of cycles, in ``TickScale``'s ticks.
  let lastTicks = Atomic<UInt64>(0)
  let longestTicks = Atomic<UInt64>(0)
  let totalTicks = Atomic<UInt64>(0)

  /// - Parameter outputs: buffers that replace the outputs until the first cycle.
  init(
    outputChannels: Int, plan: UnsafeMutablePointer<RenderPlan>,
    outputs: [UnsafeMutablePointer<Float>]
  ) {
    self.outputChannels = outputChannels
    self.plan = Atomic(UInt(bitPattern: plan))
    unsafe noInputs = .allocate(capacity: 1)
    unsafe heardBuffers = .allocate(capacity: outputChannels)
    for channel in 0..<outputChannels {
      unsafe heardBuffers.initializeElement(at: channel, to: UnsafePointer(outputs[channel]))
    }
    unsafe peaks = .allocate(capacity: outputChannels)
    for channel in 0..<outputChannels { unsafe (peaks + channel).initialize(to: Atomic(0)) }
  }

  deinit {
    unsafe noInputs.deallocate()
    unsafe heardBuffers.deallocate()
    unsafe peaks.deinitialize(count: outputChannels)
    unsafe peaks.deallocate()
  }

  /// Fills every output buffer with one cycle's frames: the render entry.
  @_noLocks
  mutating func render(
    _ cycle: RenderCycle, into outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    let start = drawbar_ticks()
    let address = enter()
    var hasOnlySources = false
    if let plan = unsafe UnsafeMutablePointer<RenderPlan>(bitPattern: address) {
      let none = unsafe RenderInputs(buffers: UnsafeBufferPointer(start: noInputs, count: 0))
      hasOnlySources = unsafe run(
        plan, cycle: cycle, inputs: none, hasInputs: false, outputs: outputs, start: start)
    }
    unsafe finish(cycle, outputs: outputs, start: start, hasOnlySources: hasOnlySources)
  }

  /// Passes the inputs to the captures and fills the outputs: the render entry with inputs.
  @_noLocks
  mutating func render(
    _ cycle: RenderCycle, from inputs: RenderInputs,
    into outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    let start = drawbar_ticks()
    let address = enter()
    var hasOnlySources = false
    if let plan = unsafe UnsafeMutablePointer<RenderPlan>(bitPattern: address) {
      hasOnlySources = unsafe run(
        plan, cycle: cycle, inputs: inputs, hasInputs: true, outputs: outputs, start: start)
    }
    unsafe finish(cycle, outputs: outputs, start: start, hasOnlySources: hasOnlySources)
  }

  /// The start of a cycle: the frames that the output had received before it, and the time.
  struct LastCycle: Equatable {
    var deviceFrame: UInt64
    var frameCount: Int
    var hostNanoseconds: UInt64
  }

  /// The last cycle that has ended. Any thread. Read at the end of a cycle, its fields may be of two cycles, and one
  /// cycle's length off.
  var lastCycle: LastCycle {
    let end = frames.load(ordering: .relaxed)
    let count = lastFrameCount.load(ordering: .relaxed)
    return LastCycle(
      deviceFrame: end &- min(end, UInt64(count)), frameCount: count,
      hostNanoseconds: lastHostNanoseconds.load(ordering: .relaxed))
  }

  /// Keeps the plan alive until ``leave()``. Must not be called twice without ``leave()``.
  ///
  /// - Returns: the address of the plan to execute.
  @_noLocks
  func enter() -> UInt {
    // Sequentially consistent with the exchange of the plan: either this load sees the new plan, or the thread that has
    // exchanged it sees that a cycle runs, and keeps the old plan until that cycle has ended. The phase is odd again
    // after a cycle that never ended: libjack may end its thread at any time.
    cyclePhase.store(
      (cyclePhase.load(ordering: .relaxed) &+ 1) | 1, ordering: .sequentiallyConsistent)
    return plan.load(ordering: .sequentiallyConsistent)
  }

  /// Ends the use of the plan. The store is releasing, so all use of the plan happens before a thread that sees this
  /// store frees the plan.
  @_noLocks
  func leave() {
    cyclePhase.store(cyclePhase.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  /// - Parameter hasOnlySources: whether all of the cycle's time belongs to the sources.
  @_noLocks
  private mutating func finish(
    _ cycle: RenderCycle, outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>,
    start: UInt64, hasOnlySources: Bool
  ) {
    if measuresPeaks.load(ordering: .relaxed) { unsafe measurePeaks(cycle, in: outputs) }
    work.endTicks = drawbar_ticks()
    let ticks = work.endTicks &- start
    if hasOnlySources { work.sourceTicks &+= ticks }
    account(cycle, ticks: ticks)
    leave()
  }

  @_noLocks
  private func measurePeaks(
    _ cycle: RenderCycle, in outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    for channel in 0..<outputs.count {
      let samples = unsafe outputs[channel]
      var peak: Float = 0
      for i in 0..<cycle.frameCount {
        let magnitude = unsafe samples[i].magnitude
        if magnitude > peak { peak = magnitude }
      }
      unsafe (peaks + channel).pointee.max(peak.bitPattern, ordering: .relaxed)
      if peak > 1 { unsafe countClipped(samples, frameCount: cycle.frameCount) }
    }
  }

  @_noLocks @inline(never)
  private func countClipped(_ samples: UnsafeMutablePointer<Float>, frameCount: Int) {
    var count: UInt64 = 0
    for i in 0..<frameCount where unsafe samples[i].magnitude > 1 { count &+= 1 }
    clippedSamples.grow(by: count)
  }

  @_noLocks
  private func account(_ cycle: RenderCycle, ticks: UInt64) {
    cycles.grow(by: 1)
    lastFrameCount.store(cycle.frameCount, ordering: .relaxed)
    lastHostNanoseconds.store(cycle.hostNanoseconds, ordering: .relaxed)
    frames.grow(by: UInt64(cycle.frameCount))
    lastTicks.store(ticks, ordering: .relaxed)
    totalTicks.grow(by: ticks)
    if ticks > longestTicks.load(ordering: .relaxed) {
      longestTicks.store(ticks, ordering: .relaxed)
    }
  }
}

/// The argument with which an output's callback renders: a pointer and nothing else, so that it can be passed through
/// C.
@safe
public struct RenderContext: @unchecked Sendable {
  let state: UnsafeMutablePointer<RenderState>

  init(state: UnsafeMutablePointer<RenderState>) {
    unsafe self.state = state
  }

  /// The output's period: frames of each cycle. 0, the initial value, if cycles have no deadlines. An output sets it
  /// before its first cycle and at each change. A player uses it to choose the thread on which packets are decoded.
  /// Single cycles may have other lengths.
  ///
  /// Any thread, while the ``Renderer`` lives. Real-time: wait-free.
  public var periodFrames: Int {
    @_noLocks get { unsafe state.pointee.periodFrames.load(ordering: .relaxed) }
    @_noLocks nonmutating set {
      unsafe state.pointee.periodFrames.store(max(0, newValue), ordering: .relaxed)
    }
  }

  /// Fills every buffer of `outputs` with `cycle.frameCount` frames of sound, or of silence if there is no sound.
  ///
  /// `outputs` has one buffer for each of the renderer's output channels, each with room for the
  /// frames. The cycle is at most ``Renderer/maximumFramesPerCycle`` frames.
  ///
  /// Real-time: wait-free; no allocation, lock, system call or reference count. One thread at a
  /// time, while the ``Renderer`` lives.
  @_noLocks
  public func render(
    _ cycle: RenderCycle, into outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    drawbar_realtime_enter()
    unsafe state.pointee.render(cycle, into: outputs)
    drawbar_realtime_exit()
  }

  /// Copies the inputs' frames into every capture of the renderer, and fills the outputs like ``render(_:into:)``.
  ///
  /// `inputs` has one buffer for each of the renderer's input channels; for missing ones silence is captured.
  ///
  /// Real-time: like ``render(_:into:)``.
  @_noLocks
  public func render(
    _ cycle: RenderCycle, from inputs: RenderInputs,
    into outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    drawbar_realtime_enter()
    unsafe state.pointee.render(cycle, from: inputs, into: outputs)
    drawbar_realtime_exit()
  }
}
