// SPDX-License-Identifier: MIT

internal import CRealtimeScope
internal import Synchronization

/// All that the render entry touches. Lives at a fixed address, never behind a class: a class field
/// would cost exclusivity checks and reference counts in the callback.
@safe
struct RenderState: ~Copyable {
  let outputChannels: Int
  /// The plan to walk, an `UnsafeMutablePointer<RenderPlan>`. Written by the control side.
  let plan: Atomic<UInt>
  /// Odd while a cycle runs, or anything else that has a plan; it only grows. Written by the render thread: it
  /// tells the control side when what may have begun with an old plan is over.
  let cyclePhase = Atomic<UInt64>(0)
  /// The serial of the last plan that a cycle began. Written by the render thread.
  let begunSerial = Atomic<UInt64>(0)
  /// Stands for the inputs where there are none; nothing is read from it.
  let noInputs: UnsafeMutablePointer<UnsafePointer<Float>>
  /// The outputs as captures take them; filled in anew every cycle.
  let heardBuffers: UnsafeMutableBufferPointer<UnsafePointer<Float>>

  /// Whether peaks are looked for. Written by the control side.
  let measuresPeaks = Atomic<Bool>(false)
  /// Each output's largest magnitude since it was last taken, as the bits of a `Float`: these are in the
  /// order of the numbers.
  let peaks: UnsafeMutablePointer<Atomic<UInt32>>

  /// How much a cycle does ahead. The render thread's own.
  var pace = WorkPace()

  /// What was done since the output took it last, for the cycle's record. The render thread's own.
  var work = RenderWork()

  /// The feedback loop that renders. The render thread's own.
  var loop = LoopSlices()

  /// Samples that were no finite numbers.
  let nonFiniteSamples = Atomic<UInt64>(0)
  /// Samples above full scale, of cycles that look for peaks.
  let clippedSamples = Atomic<UInt64>(0)

  /// See ``RenderContext/periodFrames``. Written by the output.
  let periodFrames = Atomic<Int>(0)

  let cycles = Atomic<UInt64>(0)
  let frames = Atomic<UInt64>(0)
  // Of the last cycle.
  let lastFrameCount = Atomic<Int>(0)
  let lastHostNanoseconds = Atomic<UInt64>(0)
  /// How long cycles took, in ``TickScale``'s ticks.
  let lastTicks = Atomic<UInt64>(0)
  let longestTicks = Atomic<UInt64>(0)
  let totalTicks = Atomic<UInt64>(0)

  /// - Parameter outputs: buffers that stand for the outputs until the first cycle.
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

  /// The render entry: fills every output buffer with one cycle's frames.
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

  /// The render entry with inputs: hands them to the captures, then does the same.
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

  /// When a cycle began: the frames that the output had been given, and the time.
  struct LastCycle: Equatable {
    var deviceFrame: UInt64
    var frameCount: Int
    var hostNanoseconds: UInt64
  }

  /// The last cycle that has ended. Any thread. Asked while one ends, it may be of both, a cycle's length off.
  var lastCycle: LastCycle {
    let end = frames.load(ordering: .relaxed)
    let count = lastFrameCount.load(ordering: .relaxed)
    return LastCycle(
      deviceFrame: end &- min(end, UInt64(count)), frameCount: count,
      hostNanoseconds: lastHostNanoseconds.load(ordering: .relaxed))
  }

  /// Has the plan stay until ``leave()``. Not while it is entered already.
  ///
  /// - Returns: the address of the plan to walk.
  @_noLocks
  func enter() -> UInt {
    // Sequentially consistent with the exchange of the plan: either this sees the new one, or who has
    // exchanged it sees that a cycle runs and waits. Odd again after a cycle that never ended: libjack may
    // end its thread at any time.
    cyclePhase.store(
      (cyclePhase.load(ordering: .relaxed) &+ 1) | 1, ordering: .sequentiallyConsistent)
    return plan.load(ordering: .sequentiallyConsistent)
  }

  /// What was done with the plan has been done before whoever sees this frees it.
  @_noLocks
  func leave() {
    cyclePhase.store(cyclePhase.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  /// - Parameter hasOnlySources: all of the cycle's time is the sources'.
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

/// What an output's callback renders with: a pointer and nothing else, so that it can be handed
/// through C.
@safe
public struct RenderContext: @unchecked Sendable {
  let state: UnsafeMutablePointer<RenderState>

  init(state: UnsafeMutablePointer<RenderState>) {
    unsafe self.state = state
  }

  /// The output's period: frames of each cycle. 0, the initial value, if cycles have no deadlines. An output sets it
  /// before its first cycle and at each change. A player uses it to choose where packets are decoded. Single cycles
  /// may have other lengths.
  ///
  /// Any thread, while the ``Renderer`` lives. Real-time: wait-free.
  public var periodFrames: Int {
    @_noLocks get { unsafe state.pointee.periodFrames.load(ordering: .relaxed) }
    @_noLocks nonmutating set {
      unsafe state.pointee.periodFrames.store(max(0, newValue), ordering: .relaxed)
    }
  }

  /// Fills every buffer of `outputs` with `cycle.frameCount` frames: sound, or silence where there
  /// is none.
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

  /// Copies the inputs' frames into every capture that the renderer has, and fills the outputs as
  /// ``render(_:into:)`` does.
  ///
  /// `inputs` has one buffer for each of the renderer's input channels; silence is captured for those
  /// that it has not.
  ///
  /// Real-time: as ``render(_:into:)``.
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
