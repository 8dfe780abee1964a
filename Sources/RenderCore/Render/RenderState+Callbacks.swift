// SPDX-License-Identifier: MIT

internal import CRealtimeScope

extension RenderState {
  /// Calls one callback, with silent buffers, and adds what it gives to its outputs.
  @_noLocks
  func call(
    _ unit: UnsafeMutablePointer<CallbackUnit>, _ cycle: RenderCycle, inputs: RenderInputs,
    outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    let inputs = unsafe unit.pointee.inputs.inputs(of: inputs)
    let outputs = unsafe unit.pointee.outputs.buffers(of: outputs)
    for channel in 0..<outputs.count {
      unsafe mixBuffers[channel].update(repeating: 0, count: cycle.frameCount)
      unsafe callbackBuffers[channel] = unsafe mixBuffers[channel]
    }
    var call = unsafe RenderCall(
      inputs: inputs.buffers.baseAddress ?? UnsafePointer(noInputs),
      inputCount: inputs.buffers.count, outputs: callbackBuffers, outputCount: outputs.count,
      frameCount: cycle.frameCount, frameTime: cycle.frameTime, isSilent: false,
      hostNanoseconds: cycle.hostNanoseconds)
    guard unsafe unit.pointee.render(&call), unsafe !call.isSilent else { return }
    // As far as it says that it has given anything, and no further than it was asked.
    let channels = unsafe min(call.outputCount, outputs.count)
    let frames = unsafe min(call.frameCount, cycle.frameCount)
    guard channels > 0, frames > 0 else { return }
    for channel in 0..<channels {
      let target = unsafe outputs[channel]
      let source = unsafe callbackBuffers[channel]
      for i in 0..<frames { unsafe target[i] += source[i] }
    }
  }
}
