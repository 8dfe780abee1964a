// SPDX-License-Identifier: MIT

public import RenderCore

/// An output that the caller drives: the same render entry that JACK's callback uses, with virtual time (rule R7).
/// Time moves only when ``render(frameCount:_:)`` or ``skip(frameCount:)`` is called. For rendering to a file, for
/// tests and for benchmarks.
///
/// One thread at a time. Not real-time itself; the render entry that it calls is.
@safe
public struct OfflineOutput: ~Copyable {
  /// The renderer that this output drives and keeps alive.
  public let renderer: Renderer
  /// Frames rendered so far: the virtual clock.
  public private(set) var frameTime: UInt64 = 0
  /// The position of the next cycle on a transport's time line, for sources that follow one. While the transport
  /// rolls, the position advances with each cycle. None at first.
  public var transport = RenderTransport.none
  private var lastSampleRate: Double
  private var frameOfRateChange: UInt64 = 0
  private var nanosecondsAtRateChange: UInt64 = 0
  private let buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  /// The inputs of the next cycle: silence unless the caller provides frames.
  private let inputs: OfflineInputs
  private var missedFrames: UInt32 = 0

  /// Creates an output at frame 0.
  public init(renderer: Renderer) {
    self.renderer = renderer
    lastSampleRate = renderer.sampleRate
    inputs = OfflineInputs(channelCount: renderer.inputChannels)
    unsafe buffers = .allocate(capacity: renderer.outputChannels)
    for channel in 0..<renderer.outputChannels {
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: Renderer.maximumFramesPerCycle)
      unsafe samples.initialize(repeating: 0, count: Renderer.maximumFramesPerCycle)
      unsafe buffers.initializeElement(at: channel, to: samples)
    }
  }

  deinit {
    for channel in 0..<renderer.outputChannels { unsafe buffers[channel].deallocate() }
    unsafe buffers.deallocate()
  }

  /// Renders one cycle into an array, interleaved.
  ///
  /// - Parameters:
  ///   - frameCount: frames of this cycle, 1 to `Renderer.maximumFramesPerCycle`.
  ///   - samples: is replaced by the cycle's `frameCount` times `Renderer.outputChannels` samples; its memory is
  ///     reused.
  public mutating func render(frameCount: Int, interleavedInto samples: inout [Float]) {
    let channels = renderer.outputChannels
    if samples.count != frameCount * channels {
      samples = Array(repeating: 0, count: frameCount * channels)
    }
    render(frameCount: frameCount) { _, _ in }
    unsafe samples.withUnsafeMutableBufferPointer { interleaved in
      for channel in 0..<channels {
        let plane = unsafe buffers[channel]
        for frame in 0..<frameCount {
          unsafe interleaved[frame &* channels &+ channel] = plane[frame]
        }
      }
    }
  }

  /// Renders one cycle with these frames at the renderer's inputs.
  ///
  /// - Parameters:
  ///   - samples: one array for each of `Renderer.inputChannels`. All have the length of the cycle: 1 to
  ///     `Renderer.maximumFramesPerCycle` samples.
  ///   - body: receives the samples of each output channel, one span a channel, in order.
  public mutating func render(
    inputs samples: [[Float]],
    _ body: (_ channel: Int, _ samples: Span<Float>) -> Void = { _, _ in }
  ) {
    inputs.fill(samples)
    render(frameCount: samples[0].count, body)
    inputs.clear(frameCount: samples[0].count)
  }

  /// Advances the clock without a cycle, like a server that does not call. The next cycle reports these frames as
  /// missed to captures, clamped to 32 bits.
  public mutating func skip(frameCount: Int) {
    precondition(frameCount >= 0, "time does not go back")
    frameTime += UInt64(frameCount)
    guard renderer.inputChannels > 0 else { return }
    missedFrames = UInt32(clamping: UInt64(missedFrames) + UInt64(frameCount))
  }

  /// Renders one cycle. The renderer's inputs receive silence.
  ///
  /// - Parameters:
  ///   - frameCount: frames of this cycle, 1 to `Renderer.maximumFramesPerCycle`.
  ///   - body: receives the samples of each channel, one span a channel, in order.
  public mutating func render(
    frameCount: Int, _ body: (_ channel: Int, _ samples: Span<Float>) -> Void
  ) {
    precondition(
      (1...Renderer.maximumFramesPerCycle).contains(frameCount),
      "a cycle has 1 to \(Renderer.maximumFramesPerCycle) frames")
    let sampleRate = renderer.sampleRate
    let nanoseconds =
      nanosecondsAtRateChange
      + UInt64(Double(frameTime - frameOfRateChange) * 1_000_000_000 / lastSampleRate)
    if sampleRate != lastSampleRate {
      (lastSampleRate, frameOfRateChange, nanosecondsAtRateChange) = (
        sampleRate, frameTime, nanoseconds
      )
    }
    var cycle = RenderCycle(
      frameCount: frameCount, frameTime: UInt32(truncatingIfNeeded: frameTime),
      hostNanoseconds: nanoseconds)
    cycle.transport = transport
    transport = transport.advanced(by: frameCount)
    if renderer.inputChannels > 0 {
      unsafe renderer.context.render(
        cycle, from: RenderInputs(buffers: inputs.buffers, missedFrames: missedFrames),
        into: buffers)
      missedFrames = 0
    } else {
      unsafe renderer.context.render(cycle, into: buffers)
    }
    frameTime += UInt64(frameCount)
    for channel in 0..<renderer.outputChannels {
      let samples = unsafe UnsafeBufferPointer(start: buffers[channel], count: frameCount)
      unsafe body(channel, samples.span)
    }
  }
}
