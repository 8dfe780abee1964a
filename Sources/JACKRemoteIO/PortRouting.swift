// SPDX-License-Identifier: MIT

internal import CJACK
internal import RenderCore

/// The output ports that the sound of the input ports reaches, for libjack's latency callback. Lives as long as
/// the client: libjack has its address.
@safe
final class PortRouting: @unchecked Sendable {
  private let outputs: [OpaquePointer]
  private let inputs: [OpaquePointer]
  private let routing: POSIXMutex<InputRouting>

  init(outputs: [OpaquePointer], inputs: [OpaquePointer], _ routing: InputRouting) {
    unsafe self.outputs = outputs
    unsafe self.inputs = inputs
    self.routing = POSIXMutex(routing)
  }

  /// Sets libjack's latency callback, which reports a latency change of a port's neighbours. Call it before
  /// activation.
  func attach(to client: OpaquePointer) {
    unsafe jack_set_latency_callback(
      client, remoteIOLatency, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Changes the routing, and makes libjack recompute the latencies. For the control thread.
  func change(_ routing: InputRouting, at client: OpaquePointer) {
    self.routing.withLock { $0 = routing }
    unsafe jack_recompute_total_latencies(client)
  }

  /// Sets the latency of the ports on one side: the latency of the ports on the other side that the routing
  /// joins them with, plus that of the path between (jack.h, `jack_latency_callback_t`).
  func update(_ mode: jack_latency_callback_mode_t) {
    let routing = routing.withLock { $0 }
    let isCapture = mode == JackCaptureLatency
    for port in unsafe isCapture ? outputs.indices : inputs.indices {
      var ways: [(OpaquePointer, ClosedRange<Int>)] = unsafe []
      for other in unsafe isCapture ? inputs.indices : outputs.indices {
        let (output, input) = isCapture ? (port, other) : (other, port)
        guard routing.latencyFrames.indices.contains(output),
          let frames = routing.latencyFrames[output][input]
        else { continue }
        unsafe ways.append((isCapture ? inputs[input] : outputs[output], frames))
      }
      unsafe set(mode, of: isCapture ? outputs[port] : inputs[port], from: ways)
    }
  }

  private func set(
    _ mode: jack_latency_callback_mode_t, of port: OpaquePointer,
    from ways: [(OpaquePointer, ClosedRange<Int>)]
  ) {
    var result = unsafe jack_latency_range_t(min: ways.isEmpty ? 0 : .max, max: 0)
    for index in unsafe ways.indices {
      let (other, frames) = unsafe ways[index]
      var range = jack_latency_range_t()
      unsafe jack_port_get_latency_range(other, mode, &range)
      result.min = min(result.min, Self.sum(range.min, frames.lowerBound))
      result.max = max(result.max, Self.sum(range.max, frames.upperBound))
    }
    unsafe jack_port_set_latency_range(port, mode, &result)
  }

  /// Other clients may state any latency.
  private static func sum(_ latency: jack_nframes_t, _ frames: Int) -> jack_nframes_t {
    let (sum, hasOverflown) = latency.addingReportingOverflow(jack_nframes_t(clamping: frames))
    return hasOverflown ? .max : sum
  }
}

/// Runs on the notification thread, at every change of the graph.
private func remoteIOLatency(
  _ mode: jack_latency_callback_mode_t, _ argument: UnsafeMutableRawPointer?
) {
  guard let argument = unsafe argument else { return }
  unsafe Unmanaged<PortRouting>.fromOpaque(argument).takeUnretainedValue().update(mode)
}
