// SPDX-License-Identifier: MIT

public import RenderCore

/// An output cranked by hand: the very same render entry that JACK's callback uses, with virtual time
/// (rule R7). Time moves only when ``render(frameCount:_:)`` is called. For rendering to a file, for
/// tests and for benchmarks.
///
/// One thread at a time. Not real-time itself; what it calls is.
@safe
public struct OfflineOutput: ~Copyable {
  /// What is rendered. Kept alive by this.
  public let renderer: Renderer
  /// Frames rendered so far: the virtual clock.
  public private(set) var frameTime: UInt64 = 0
  /// Where the next cycle is on the time line of a transport, for sources that follow one; while it rolls it
  /// goes on with each cycle. None at first.
  public var transport = RenderTransport.none
  private var lastSampleRate: Double
  private var frameOfRateChange: UInt64 = 0
  private var nanosecondsAtRateChange: UInt64 = 0
  private let buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  /// What the next cycle's inputs are: silence when it was given none.
  private let inputs: OfflineInputs
  private var missedFrames: UInt32 = 0

  /// An output that stands at frame 0.
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

  /// Renders one cycle into an array, frame by frame with the channels side by side.
  ///
  /// - Parameters:
  ///   - frameCount: frames of this cycle, 1 to `Renderer.maximumFramesPerCycle`.
  ///   - samples: is replaced by the cycle's `frameCount` times
  ///     `Renderer.outputChannels` samples; its memory is used again.
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

  /// Renders one cycle that brings these frames at the renderer's inputs.
  ///
  /// - Parameters:
  ///   - samples: one array for each of `Renderer.inputChannels`, all as long as the cycle shall be: 1 to
  ///     `Renderer.maximumFramesPerCycle` samples.
  ///   - body: is given what each output channel got, one span a channel, in order.
  public mutating func render(
    inputs samples: [[Float]],
    _ body: (_ channel: Int, _ samples: Span<Float>) -> Void = { _, _ in }
  ) {
    inputs.fill(samples)
    render(frameCount: samples[0].count, body)
    inputs.clear(frameCount: samples[0].count)
  }

  /// Lets the clock go on without a cycle, as that of a server that does not call. Captures are told
  /// with the next cycle that these frames are missed, or as many of them as 32 bits can say.
  public mutating func skip(frameCount: Int) {
    precondition(frameCount >= 0, "time does not go back")
    frameTime += UInt64(frameCount)
    guard renderer.inputChannels > 0 else { return }
    missedFrames = UInt32(clamping: UInt64(missedFrames) + UInt64(frameCount))
  }

  /// Renders one cycle. The renderer's inputs bring silence.
  ///
  /// - Parameters:
  ///   - frameCount: frames of this cycle, 1 to `Renderer.maximumFramesPerCycle`.
  ///   - body: is given what each channel got, one span a channel, in order.
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
