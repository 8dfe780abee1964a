// SPDX-License-Identifier: MIT

internal import CRealtimeScope

extension RenderState {
  /// Calls one callback.
  ///
  /// - Parameters:
  ///   - inputs: the inputs of the cycle.
  ///   - heard: the buffers of an effect's input bus; empty for a callback, which reads the inputs of the cycle.
  ///   - outputs: the buffers for the callback's frames. Frames that it does not write are silent.
  ///   - addresses: memory for the outputs' addresses, which the callback may change.
  /// - Returns: the tick at its end.
  @_noLocks @inline(never)
  mutating func call(
    _ unit: UnsafeMutablePointer<CallbackUnit>, node: UInt32, _ cycle: RenderCycle,
    inputs: RenderInputs,
    heard: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>,
    outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>,
    addresses: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  ) -> UInt64 {
    let start = drawbar_ticks()
    var (first, count) = unsafe (UnsafePointer(noInputs), 0)
    if let buffers = heard.baseAddress, unsafe unit.pointee.isEffect {
      unsafe first = UnsafeRawPointer(buffers).assumingMemoryBound(to: UnsafePointer<Float>.self)
      count = heard.count
    } else {
      let inputs = unsafe unit.pointee.inputs.inputs(of: inputs).buffers
      if let address = inputs.baseAddress { unsafe (first, count) = (address, inputs.count) }
    }
    for channel in 0..<outputs.count {
      unsafe outputs[channel].update(repeating: 0, count: cycle.frameCount)
      unsafe addresses[channel] = unsafe outputs[channel]
    }
    var call = unsafe RenderCall(
      inputs: first, inputCount: count, outputs: addresses, outputCount: outputs.count,
      frameCount: cycle.frameCount, frameTime: cycle.frameTime, isSilent: false,
      hostNanoseconds: cycle.hostNanoseconds)
    let isHeard = unsafe unit.pointee.render(&call) && !call.isSilent
    // The counts that the callback has set, at most those that were requested.
    let channels = unsafe isHeard ? min(call.outputCount, outputs.count) : 0
    let frames = unsafe isHeard ? min(call.frameCount, cycle.frameCount) : 0
    for channel in 0..<outputs.count {
      let given = channel < channels ? max(0, frames) : 0
      let target = unsafe outputs[channel]
      let source = unsafe addresses[channel]
      if given > 0, unsafe source != target {
        unsafe UnsafeMutableRawPointer(target).copyMemory(
          from: source, byteCount: given * MemoryLayout<Float>.stride)
      }
      unsafe (target + given).update(repeating: 0, count: cycle.frameCount - given)
    }
    let end = drawbar_ticks()
    work.callbackTicks &+= end &- start
    work.add(node: node, ticks: end &- start)
    return end
  }
}
