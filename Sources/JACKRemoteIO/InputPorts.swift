// SPDX-License-Identifier: MIT

internal import CJACK
internal import RenderCore

/// The input ports as the process callback uses them: element 1 of the unit.
@safe
struct InputPorts: ~Copyable {
  private let ports: UnsafeMutableBufferPointer<OpaquePointer?>
  /// The input buffer of each channel; set anew in every cycle.
  private let buffers: UnsafeMutableBufferPointer<UnsafePointer<Float>>
  /// The silent buffer for a port that has none.
  private let silence: UnsafeMutablePointer<Float>

  init(channels: Int) {
    unsafe ports = .allocate(capacity: channels)
    unsafe ports.initialize(repeating: nil)
    let frames = channels == 0 ? 0 : Renderer.maximumFramesPerCycle
    unsafe silence = .allocate(capacity: frames)
    unsafe silence.initialize(repeating: 0, count: frames)
    unsafe buffers = .allocate(capacity: channels)
    unsafe buffers.initialize(repeating: UnsafePointer(silence))
  }

  deinit {
    unsafe ports.deallocate()
    unsafe buffers.deallocate()
    unsafe silence.deallocate()
  }

  var isEmpty: Bool {
    @_noLocks get { unsafe ports.count == 0 }
  }

  /// Sets the port of a channel. Call it before the client is activated.
  func setPort(_ port: OpaquePointer, channel: Int) {
    unsafe ports[channel] = port
  }

  /// Returns the ports' buffers in this cycle, from a frame on. The memory may be another client's, so it is
  /// only read.
  @_noLocks
  func inputs(
    from frame: Int, of frameCount: UInt32, missedFrames: UInt32, isMeasured: Bool
  ) -> RenderInputs {
    for channel in unsafe 0..<ports.count {
      guard let port = unsafe ports[channel],
        let memory = unsafe jack_port_get_buffer(port, frameCount)
      else {
        unsafe buffers[channel] = unsafe UnsafePointer(silence)
        continue
      }
      unsafe buffers[channel] = unsafe UnsafePointer(
        memory.assumingMemoryBound(to: Float.self) + frame)
    }
    return unsafe RenderInputs(
      buffers: UnsafeBufferPointer(buffers), missedFrames: missedFrames, isMeasured: isMeasured)
  }
}
