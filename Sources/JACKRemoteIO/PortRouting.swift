// SPDX-License-Identifier: MIT

internal import CJACK
internal import RenderCore

/// Which input ports feed which output ports, as libjack's latency callback uses it. Lives as long as the
/// client: libjack has its address.
@safe
final class PortRouting: @unchecked Sendable {
  private let outputs: [OpaquePointer]
  private let inputs: [OpaquePointer]
  /// For each output the inputs that feed it, of more or fewer outputs than there are. Every number is one of
  /// an input.
  private let inputsOfOutputs: GuardedState<[[Int]]>

  init(outputs: [OpaquePointer], inputs: [OpaquePointer], inputsOfOutputs: [[Int]]) {
    unsafe self.outputs = outputs
    unsafe self.inputs = inputs
    self.inputsOfOutputs = GuardedState(inputsOfOutputs)
  }

  /// Asks libjack to be told when the latency of a port's neighbours changes. Before activation.
  func attach(to client: OpaquePointer) {
    unsafe jack_set_latency_callback(
      client, remoteIOLatency, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Has other inputs feed the outputs, and libjack ask anew for the latencies that follow from it. For
  /// the control thread.
  func change(_ inputsOfOutputs: [[Int]], at client: OpaquePointer) {
    self.inputsOfOutputs.withLock { $0 = inputsOfOutputs }
    unsafe jack_recompute_total_latencies(client)
  }

  /// What comes in goes out in the same cycle, so each port's latency is that of the ports on the other
  /// side, and nothing of ours is added (jack.h, `jack_latency_callback_t`).
  func update(_ mode: jack_latency_callback_mode_t) {
    let sides = unsafe mode == JackCaptureLatency ? outputSides() : inputSides()
    for index in unsafe sides.indices {
      let (port, others) = unsafe sides[index]
      var result = unsafe jack_latency_range_t(min: others.isEmpty ? 0 : .max, max: 0)
      for other in unsafe others.indices {
        var range = jack_latency_range_t()
        unsafe jack_port_get_latency_range(others[other], mode, &range)
        result.min = min(result.min, range.min)
        result.max = max(result.max, range.max)
      }
      unsafe jack_port_set_latency_range(port, mode, &result)
    }
  }

  private func outputSides() -> [(OpaquePointer, [OpaquePointer])] {
    let inputsOfOutputs = inputsOfOutputs.withLock { $0 }
    return unsafe outputs.indices.map { output in
      let feeding = inputsOfOutputs.indices.contains(output) ? inputsOfOutputs[output] : []
      return unsafe (outputs[output], feeding.map { unsafe inputs[$0] })
    }
  }

  private func inputSides() -> [(OpaquePointer, [OpaquePointer])] {
    let inputsOfOutputs = inputsOfOutputs.withLock { $0 }
    return unsafe inputs.indices.map { input in
      let fed = unsafe zip(outputs, inputsOfOutputs).filter { $1.contains(input) }
      return unsafe (inputs[input], fed.map { unsafe $0.0 })
    }
  }
}

/// The notification thread, at every change of the graph.
private func remoteIOLatency(
  _ mode: jack_latency_callback_mode_t, _ argument: UnsafeMutableRawPointer?
) {
  guard let argument = unsafe argument else { return }
  unsafe Unmanaged<PortRouting>.fromOpaque(argument).takeUnretainedValue().update(mode)
}
