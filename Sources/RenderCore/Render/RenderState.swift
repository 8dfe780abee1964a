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
  /// Where the second and later sources render before they are added, and every callback.
  let mixBuffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  /// What a callback is handed: addresses that it may change.
  let callbackBuffers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
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

  /// Samples that were no finite numbers.
  let nonFiniteSamples = Atomic<UInt64>(0)

  let cycles = Atomic<UInt64>(0)
  let frames = Atomic<UInt64>(0)
  // Of the last cycle.
  let lastFrameCount = Atomic<Int>(0)
  let lastHostNanoseconds = Atomic<UInt64>(0)
  /// How long cycles took, in ``TickScale``'s ticks.
  let lastTicks = Atomic<UInt64>(0)
  let longestTicks = Atomic<UInt64>(0)
  let totalTicks = Atomic<UInt64>(0)

  init(outputChannels: Int, plan: UnsafeMutablePointer<RenderPlan>) {
    self.outputChannels = outputChannels
    self.plan = Atomic(UInt(bitPattern: plan))
    unsafe mixBuffers = .allocate(capacity: outputChannels)
    for channel in 0..<outputChannels {
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: Renderer.maximumFramesPerCycle)
      unsafe samples.initialize(repeating: 0, count: Renderer.maximumFramesPerCycle)
      unsafe mixBuffers.initializeElement(at: channel, to: samples)
    }
    unsafe callbackBuffers = .allocate(capacity: max(1, outputChannels))
    unsafe noInputs = .allocate(capacity: 1)
    unsafe heardBuffers = .allocate(capacity: outputChannels)
    for channel in 0..<outputChannels {
      unsafe heardBuffers.initializeElement(at: channel, to: UnsafePointer(mixBuffers[channel]))
    }
    unsafe peaks = .allocate(capacity: outputChannels)
    for channel in 0..<outputChannels { unsafe (peaks + channel).initialize(to: Atomic(0)) }
  }

  deinit {
    for channel in 0..<outputChannels { unsafe mixBuffers[channel].deallocate() }
    unsafe mixBuffers.deallocate()
    unsafe callbackBuffers.deallocate()
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
      let endsWithSources = unsafe plan.pointee.endsWithSources
      if !endsWithSources {
        unsafe takeInputs(plan, cycle: cycle, from: none, outputs: outputs)
      }
      hasOnlySources = unsafe walk(
        plan, cycle: cycle, inputs: none, outputs: outputs, start: start)
      if !endsWithSources { unsafe monitor(plan, cycle: cycle, outputs: outputs) }
      // With nothing to render there is only the silence just written.
      if unsafe !plan.pointee.isEmpty {
        unsafe makeFinite(outputs, frameCount: cycle.frameCount)
      }
      if !endsWithSources { unsafe capture(outputs, plan, cycle: cycle, gap: none) }
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
      unsafe takeInputs(plan, cycle: cycle, from: inputs, outputs: outputs)
      let deviceFrame = frames.load(ordering: .relaxed)
      for index in unsafe 0..<plan.pointee.captureCount {
        unsafe plan.pointee.captures[index].pointee.capture(
          cycle, deviceFrame: deviceFrame, from: inputs)
      }
      hasOnlySources = unsafe walk(
        plan, cycle: cycle, inputs: inputs, outputs: outputs, start: start)
      unsafe monitor(plan, cycle: cycle, outputs: outputs)
      unsafe makeFinite(outputs, frameCount: cycle.frameCount)
      unsafe capture(outputs, plan, cycle: cycle, gap: inputs)
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

  /// - Parameter hasOnlySources: the cycle's time is the sources' time.
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

  /// - Returns: whether nothing that takes time follows the sources. Their time is not read then: it is the
  ///   cycle's, and a reading takes some 10 ns, a third of a cycle that does nothing.
  @_noLocks
  private mutating func walk(
    _ plan: UnsafeMutablePointer<RenderPlan>, cycle: RenderCycle, inputs: RenderInputs,
    outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, start: UInt64
  ) -> Bool {
    let count = unsafe plan.pointee.count
    let deviceFrame = frames.load(ordering: .relaxed)
    var next = 0
    var pieces = WorkPieces()
    var isSteady = false
    if unsafe count > 0 && plan.pointee.units[0].pointee.bus.channelCount == outputs.count {
      isSteady = unsafe render(
        plan.pointee.units[0], cycle, deviceFrame: deviceFrame, into: outputs, pieces: &pieces)
      next = 1
    } else if unsafe !plan.pointee.beginsWithMonitor {
      for channel in 0..<outputs.count {
        unsafe outputs[channel].update(repeating: 0, count: cycle.frameCount)
      }
    }
    while next < count {
      let unit = unsafe plan.pointee.units[next]
      let bus = unsafe unit.pointee.bus
      let mix = unsafe UnsafeMutableBufferPointer(
        start: mixBuffers.baseAddress, count: bus.channelCount)
      isSteady = unsafe render(unit, cycle, deviceFrame: deviceFrame, into: mix, pieces: &pieces)
      unsafe add(mix, to: bus.buffers(of: outputs), frameCount: cycle.frameCount)
      next += 1
    }
    if count == 1 {
      if !isSteady, pieces.total == 0 { unsafe workAhead(plan.pointee.units[0]) }
    } else if count > 1 {
      unsafe workAhead(plan, frameCount: cycle.frameCount, pieces: pieces)
    }
    if unsafe plan.pointee.endsWithSources, !measuresPeaks.load(ordering: .relaxed) { return true }
    let middle = drawbar_ticks()
    work.sourceTicks &+= middle &- start
    guard unsafe plan.pointee.callbackCount > 0 else { return false }
    for index in unsafe 0..<plan.pointee.callbackCount {
      unsafe call(plan.pointee.callbacks[index], cycle, inputs: inputs, outputs: outputs)
    }
    work.callbackTicks &+= drawbar_ticks() &- middle
    return false
  }

  /// Has a source give its part of a cycle.
  ///
  /// - Parameter pieces: those that it takes are added.
  /// - Returns: whether that was a steady cycle: there is no work that could be done ahead.
  @_noLocks
  private mutating func render(
    _ unit: UnsafeMutablePointer<SourceUnit>, _ cycle: RenderCycle, deviceFrame: UInt64,
    into buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>,
    pieces: inout WorkPieces
  ) -> Bool {
    let isSteady = unsafe unit.pointee.renderSteadily(
      cycle, deviceFrame: deviceFrame, into: buffers)
    if !isSteady {
      unsafe unit.pointee.render(cycle, deviceFrame: deviceFrame, into: buffers)
      unsafe pieces.add(unit.pointee.takePieces())
    }
    unsafe work.add(unit.pointee.work)
    return isSteady
  }

  @_noLocks
  private func add(
    _ sources: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>,
    to targets: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) {
    for channel in 0..<targets.count {
      let target = unsafe targets[channel]
      let source = unsafe sources[channel]
      for i in 0..<frameCount { unsafe target[i] += source[i] }
    }
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
    }
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
