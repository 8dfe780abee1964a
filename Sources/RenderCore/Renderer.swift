// SPDX-License-Identifier: MIT

private import CMPG123
private import CRealtimeScope
private import CSoxr

/// placeholder
public final class Renderer: Sendable {
  /// Most frames in one cycle: JACK's own limit.
  public static let maximumFramesPerCycle = 8192

  /// Frames per second of the output.
  public let sampleRate: Double
  /// Output buffers in each cycle.
  public let outputChannels: Int

  /// What an output's callback renders with. Valid while this object lives.
  public var context: RenderContext { unsafe RenderContext(state: UnsafeMutableRawPointer(bitPattern: 8)!) }

  /// placeholder
  public init(sampleRate: Double, outputChannels: Int) {
    self.sampleRate = sampleRate
    self.outputChannels = outputChannels
  }
}

/// placeholder
@safe
public struct RenderContext: @unchecked Sendable {
  let state: UnsafeMutableRawPointer

  /// Fills all outputs.
  ///
  /// Real-time: wait-free, on the render thread only.
  @_noLocks
  public func render(
    _ cycle: RenderCycle, into outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    drawbar_realtime_enter()
    for channel in 0..<outputs.count {
      unsafe outputs[channel].update(repeating: 0, count: cycle.frameCount)
    }
    drawbar_realtime_exit()
  }
}
