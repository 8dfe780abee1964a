// SPDX-License-Identifier: MIT

internal import Synchronization

extension RenderState {
  /// Hands the inputs to the monitors. Before anything else of the cycle.
  ///
  /// - Parameter outputs: where the cycle's frames will be written.
  @_noLocks
  func takeInputs(
    _ plan: UnsafeMutablePointer<RenderPlan>, cycle: RenderCycle, from inputs: RenderInputs,
    outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    let deviceFrame = frames.load(ordering: .relaxed)
    for index in unsafe 0..<plan.pointee.monitorCount {
      unsafe plan.pointee.monitors[index].pointee.takeInputs(
        cycle, deviceFrame: deviceFrame, from: inputs, outputs: outputs)
    }
  }

  /// Passes the inputs on. After everything else that sounds in the cycle.
  @_noLocks
  func monitor(
    _ plan: UnsafeMutablePointer<RenderPlan>, cycle: RenderCycle,
    outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    for index in unsafe 0..<plan.pointee.monitorCount {
      unsafe plan.pointee.monitors[index].pointee.render(
        cycle, into: outputs, isFirst: index == 0 && plan.pointee.beginsWithMonitor)
    }
  }

  /// Keeps what is heard, where that is wanted.
  ///
  /// - Parameter inputs: tell what is missing before the cycle.
  @_noLocks
  func capture(
    _ outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>,
    _ plan: UnsafeMutablePointer<RenderPlan>, cycle: RenderCycle, gap inputs: RenderInputs
  ) {
    let captureCount = unsafe plan.pointee.outputCaptureCount
    if captureCount == 0 { return }
    for channel in 0..<(outputs.count < outputChannels ? outputs.count : outputChannels) {
      unsafe heardBuffers[channel] = unsafe UnsafePointer(outputs[channel])
    }
    let heard = unsafe RenderInputs(
      buffers: UnsafeBufferPointer(heardBuffers), missedFrames: inputs.missedFrames,
      isMeasured: inputs.isMeasured)
    let deviceFrame = frames.load(ordering: .relaxed)
    for index in 0..<captureCount {
      unsafe plan.pointee.outputCaptures[index].pointee.capture(
        cycle, deviceFrame: deviceFrame, from: heard)
    }
  }
}
