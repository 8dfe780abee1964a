// SPDX-License-Identifier: MIT

internal import CRealtimeScope
internal import Synchronization

/// The flat list of sources that one cycle walks. Made off the render thread, then never changed.
@safe
struct RenderPlan: ~Copyable {
  let units: UnsafeMutablePointer<UnsafeMutablePointer<SourceUnit>>
  let count: Int

  init(_ addresses: [UnsafeMutablePointer<SourceUnit>]) {
    count = unsafe addresses.count
    unsafe units = UnsafeMutablePointer<UnsafeMutablePointer<SourceUnit>>.allocate(
      capacity: max(1, count))
    for index in 0..<count { unsafe (units + index).initialize(to: addresses[index]) }
  }

  deinit {
    unsafe units.deallocate()
  }
}

/// All that the render entry touches. Lives at a fixed address, never behind a class: a class field
/// would cost exclusivity checks and reference counts in the callback.
@safe
struct RenderState: ~Copyable {
  let outputChannels: Int
  /// The plan to walk, an `UnsafeMutablePointer<RenderPlan>`. Written by the control side.
  let plan: Atomic<UInt>
  /// The plan that the last finished cycle walked. Written by the render thread: what is neither
  /// this nor `plan` can be freed.
  let finishedPlan: Atomic<UInt>
  /// Where the second and later sources render before they are added.
  private let mixBuffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>

  /// Whether peaks are looked for. Written by the control side.
  let measuresPeaks = Atomic<Bool>(false)
  /// Each output's largest magnitude since it was last taken, as the bits of a `Float`: these are in the
  /// order of the numbers.
  let peaks: UnsafeMutablePointer<Atomic<UInt32>>

  let cycles = Atomic<UInt64>(0)
  let frames = Atomic<UInt64>(0)
  /// How long cycles took, in ``TickScale``'s ticks.
  let lastTicks = Atomic<UInt64>(0)
  let longestTicks = Atomic<UInt64>(0)
  let totalTicks = Atomic<UInt64>(0)

  init(outputChannels: Int, plan: UnsafeMutablePointer<RenderPlan>) {
    self.outputChannels = outputChannels
    self.plan = Atomic(UInt(bitPattern: plan))
    finishedPlan = Atomic(UInt(bitPattern: plan))
    unsafe mixBuffers = .allocate(capacity: outputChannels)
    for channel in 0..<outputChannels {
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: Renderer.maximumFramesPerCycle)
      unsafe samples.initialize(repeating: 0, count: Renderer.maximumFramesPerCycle)
      unsafe mixBuffers.initializeElement(at: channel, to: samples)
    }
    unsafe peaks = .allocate(capacity: outputChannels)
    for channel in 0..<outputChannels { unsafe (peaks + channel).initialize(to: Atomic(0)) }
  }

  deinit {
    for channel in 0..<outputChannels { unsafe mixBuffers[channel].deallocate() }
    unsafe mixBuffers.deallocate()
    unsafe peaks.deinitialize(count: outputChannels)
    unsafe peaks.deallocate()
  }

  /// The render entry: fills every output buffer with one cycle's frames.
  @_noLocks
  mutating func render(
    _ cycle: RenderCycle, into outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    let start = drawbar_ticks()
    let address = plan.load(ordering: .acquiring)
    if let plan = unsafe UnsafeMutablePointer<RenderPlan>(bitPattern: address) {
      unsafe walk(plan, cycle: cycle, outputs: outputs)
    }
    finishedPlan.store(address, ordering: .releasing)
    if measuresPeaks.load(ordering: .relaxed) { unsafe measurePeaks(cycle, in: outputs) }
    account(cycle, ticks: drawbar_ticks() &- start)
  }

  @_noLocks
  private func walk(
    _ plan: UnsafeMutablePointer<RenderPlan>, cycle: RenderCycle,
    outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    let count = unsafe plan.pointee.count
    if count == 0 {
      for channel in 0..<outputs.count {
        unsafe outputs[channel].update(repeating: 0, count: cycle.frameCount)
      }
      return
    }
    unsafe plan.pointee.units[0].pointee.render(cycle, into: outputs)
    for index in 1..<max(1, count) {
      unsafe plan.pointee.units[index].pointee.render(cycle, into: mixBuffers)
      for channel in 0..<outputs.count {
        let target = unsafe outputs[channel]
        let source = unsafe mixBuffers[channel]
        for i in 0..<cycle.frameCount { unsafe target[i] += source[i] }
      }
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
}
