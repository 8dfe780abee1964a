// SPDX-License-Identifier: MIT

internal import CRealtimeScope
internal import Synchronization

extension RenderState {
  /// Executes a plan's operations. Operations that are not in every cycle are separate functions: inlined, they would
  /// make every cycle prepare their loops.
  ///
  /// - Parameters:
  ///   - inputs: the inputs of the cycle, if any.
  ///   - hasInputs: whether captures of the inputs receive them.
  ///   - start: the tick at which the cycle was entered.
  /// - Returns: whether all of the cycle's time belongs to the sources. Then the clock is not read here, since a
  ///   reading takes 10 ns, a third of an idle cycle.
  @_noLocks
  mutating func run(
    _ plan: UnsafeMutablePointer<RenderPlan>, cycle: RenderCycle, inputs: RenderInputs,
    hasInputs: Bool, outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>,
    start: UInt64
  ) -> Bool {
    let table = unsafe plan.pointee.table
    let outputCount = outputs.count < outputChannels ? outputs.count : outputChannels
    if let buffers = outputs.baseAddress {
      unsafe UnsafeMutableRawPointer(table).copyMemory(
        from: buffers,
        byteCount: outputCount * MemoryLayout<UnsafeMutablePointer<Float>>.stride)
    }
    if loop.done > 0 { unsafe recover(plan, outputCount: outputCount) }
    let serial = unsafe plan.pointee.serial
    if begunSerial.load(ordering: .relaxed) != serial { unsafe begin(plan) }
    let callbackTicks = work.callbackTicks
    var timer = start
    var nodeTicks: UInt64 = 0
    var frameCount = cycle.frameCount
    var deviceFrame = frames.load(ordering: .relaxed)
    var pieces = WorkPieces()
    var isSteady = false
    let operations = unsafe plan.pointee.operations
    var index = 0
    while index < operations.count {
      defer { index = index &+ 1 }
      switch unsafe operations[index] {
      case .source(let unit, let buffers):
        isSteady = unsafe render(
          unit, cycle, deviceFrame: deviceFrame, into: buffers.buffers(in: table), pieces: &pieces)
      case .scale(let edge, let buffers):
        unsafe edge.pointee.scale(
          buffers.buffers(in: table), frameCount: frameCount, deviceFrame: deviceFrame,
          serial: serial)
      case .workAhead:
        unsafe workAhead(plan, frameCount: frameCount, isSteady: isSteady, pieces: pieces)
      case .markSources:
        let others = work.callbackTicks &- callbackTicks &+ nodeTicks
        timer = drawbar_ticks()
        work.sourceTicks &+= timer &- start &- others
      case .startTimer: timer = drawbar_ticks()
      case .makeFinite: unsafe makeFinite(outputs, frameCount: frameCount)
      case .clear(let buffers):
        for channel in 0..<Int(buffers.count) {
          unsafe table[Int(buffers.first) + channel].update(repeating: 0, count: frameCount)
        }
      case .add(let edge, let sources, let targets):
        unsafe edge.pointee.add(
          sources.buffers(in: table), to: targets.buffers(in: table), frameCount: frameCount,
          deviceFrame: deviceFrame, serial: serial)
      case .call(let unit, let node, let heard, let given):
        timer = unsafe call(
          unit, node: node, cycle.slice(frameCount, from: loop.done), inputs: inputs,
          heard: heard.buffers(in: table), outputs: given.buffers(in: table),
          addresses: plan.pointee.addresses)
      case .takeInputs(let unit):
        unsafe unit.pointee.takeInputs(
          cycle, deviceFrame: deviceFrame, from: inputs, outputs: outputs)
      case .copy(let sources, let targets):
        unsafe copy(
          sources.buffers(in: table), to: targets.buffers(in: table), frameCount: frameCount)
      case .copyInputs(let buffers):
        unsafe copy(inputs, to: buffers.buffers(in: table), frameCount: frameCount)
      case .captureInputs(let unit):
        if hasInputs { unsafe capture(inputs, in: unit, cycle: cycle, deviceFrame: deviceFrame) }
      case .monitor(let unit, let node, let buffers, let isFirst, let isLast):
        count(
          nonFinite: unsafe unit.pointee.render(
            cycle, into: buffers.buffers(in: table), isFirst: isFirst, isLast: isLast))
        nodeTicks &+= stop(&timer, of: node)
      case .monitorOutput(let unit, let node, let buffers):
        count(
          nonFinite: unsafe unit.pointee.finish(
            buffers.buffers(in: table), frameCount: frameCount))
        nodeTicks &+= stop(&timer, of: node)
      case .effect(let effect, let node, let buffers):
        count(
          nonFinite: unsafe effect.render(
            buffers.buffers(in: table), frameCount: frameCount, deviceFrame: deviceFrame))
        nodeTicks &+= stop(&timer, of: node)
      case .beginLoop(let frames, let node):
        loop = LoopSlices(index, node, timer: timer, frameCount: frameCount)
        frameCount = min(frameCount, Int(frames))
      case .readDelay(let unit, let node, let buffers):
        unsafe unit.pointee.readAhead(
          into: buffers.buffers(in: table), frameCount: frameCount, deviceFrame: deviceFrame)
        nodeTicks &+= stop(&timer, of: node)
      case .writeDelay(let unit, let node, let buffers):
        count(
          nonFinite: unsafe unit.pointee.write(
            buffers.buffers(in: table), frameCount: frameCount))
        nodeTicks &+= stop(&timer, of: node)
      case .endLoop:
        let frames = loop.next(&frameCount)
        unsafe move(plan, by: frames)
        deviceFrame &+= UInt64(bitPattern: Int64(frames))
        if frames > 0 {
          index = loop.first
        } else {
          loop.end()
          work.add(node: loop.node, ticks: timer &- loop.timer)
        }
      case .captureOutputs(let unit):
        unsafe capture(outputs, in: unit, cycle: cycle, deviceFrame: deviceFrame, gap: inputs)
      }
    }
    guard unsafe plan.pointee.hasOnlySources else { return false }
    if !measuresPeaks.load(ordering: .relaxed) { return true }
    work.sourceTicks &+= drawbar_ticks() &- start
    return false
  }

  /// Resets a plan's table after a cycle that never ended: libjack can end the thread of a cycle at any time.
  @_noLocks @inline(never)
  private mutating func recover(_ plan: UnsafeMutablePointer<RenderPlan>, outputCount: Int) {
    let (table, origins) = unsafe (plan.pointee.table, plan.pointee.origins)
    for buffer in unsafe outputCount..<plan.pointee.tableCount {
      unsafe table[buffer] = origins[buffer]
    }
    loop.end()
  }

  /// Advances the addresses of a plan's table by frames; a negative number moves them back.
  @_noLocks @inline(never)
  func move(_ plan: UnsafeMutablePointer<RenderPlan>, by frames: Int) {
    let table = unsafe plan.pointee.table
    for buffer in unsafe 0..<plan.pointee.tableCount { unsafe table[buffer] += frames }
  }

  /// Ends a node's time, and begins the time of the next node. The time includes the sums of the node's inputs.
  ///
  /// - Returns: the node's time.
  @_noLocks
  private mutating func stop(_ timer: inout UInt64, of node: UInt32) -> UInt64 {
    let now = drawbar_ticks()
    let ticks = now &- timer
    timer = now
    work.add(node: node, ticks: ticks)
    return ticks
  }

  /// Counts samples that an operation has replaced.
  @_noLocks
  private func count(nonFinite: Int) {
    if nonFinite > 0 { nonFiniteSamples.grow(by: UInt64(nonFinite)) }
  }

  /// Begins the fades of the edges.
  @_noLocks @inline(never)
  private func begin(_ plan: UnsafeMutablePointer<RenderPlan>) {
    let steps = unsafe plan.pointee.steps
    for index in 0..<steps.count {
      let step = unsafe steps[index]
      unsafe step.state.pointee.begin(
        step, frames: plan.pointee.fadeFrames, after: plan.pointee.warmUpFrames)
    }
    unsafe begunSerial.store(plan.pointee.serial, ordering: .releasing)
  }

  /// Renders a source.
  ///
  /// - Parameter pieces: the pieces that this cycle has decoded and resampled are added to it.
  /// - Returns: whether the cycle was steady: no work can be done ahead.
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

  /// Copies buffers to the same number of others.
  @_noLocks @inline(never)
  private func copy(
    _ sources: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>,
    to targets: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) {
    for channel in 0..<targets.count {
      unsafe UnsafeMutableRawPointer(targets[channel]).copyMemory(
        from: sources[channel], byteCount: frameCount * MemoryLayout<Float>.stride)
    }
  }

  /// Copies the inputs, with silence for missing ones.
  @_noLocks @inline(never)
  private func copy(
    _ inputs: RenderInputs, to buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>,
    frameCount: Int
  ) {
    for channel in 0..<buffers.count {
      if unsafe channel < inputs.buffers.count {
        unsafe UnsafeMutableRawPointer(buffers[channel]).copyMemory(
          from: inputs.buffers[channel], byteCount: frameCount * MemoryLayout<Float>.stride)
      } else {
        unsafe buffers[channel].update(repeating: 0, count: frameCount)
      }
    }
  }

  @_noLocks @inline(never)
  private func capture(
    _ inputs: RenderInputs, in unit: UnsafeMutablePointer<CaptureUnit>, cycle: RenderCycle,
    deviceFrame: UInt64
  ) {
    unsafe unit.pointee.capture(cycle, deviceFrame: deviceFrame, from: inputs)
  }

  /// Captures the outputs.
  ///
  /// - Parameter inputs: their counts of frames missing before the cycle; the buffers are not used.
  @_noLocks @inline(never)
  private func capture(
    _ outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>,
    in unit: UnsafeMutablePointer<CaptureUnit>, cycle: RenderCycle, deviceFrame: UInt64,
    gap inputs: RenderInputs
  ) {
    for channel in 0..<(outputs.count < outputChannels ? outputs.count : outputChannels) {
      unsafe heardBuffers[channel] = unsafe UnsafePointer(outputs[channel])
    }
    let heard = unsafe RenderInputs(
      buffers: UnsafeBufferPointer(heardBuffers), missedFrames: inputs.missedFrames,
      isMeasured: inputs.isMeasured)
    unsafe capture(heard, in: unit, cycle: cycle, deviceFrame: deviceFrame)
  }
}
