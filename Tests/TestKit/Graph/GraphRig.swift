// SPDX-License-Identifier: MIT

import OfflineOutput
public import RenderCore

/// The state of a generator or an effect in the graph's tests.
@safe
private struct GraphUnit {
  /// A generator's step, or an effect's factor.
  var value: Float
  /// The greatest magnitude of an effect's output.
  var limit = Float.infinity
  var frame: UInt64 = 0
  /// The delay of an effect, in frames.
  var delay = 0
  var line: UnsafeMutablePointer<Float>?
  var position = 0
  var calls = 0
}

/// Returns the value of a generator in a frame.
@_noLocks @inlinable
public func generated(_ step: Float, _ frame: UInt64) -> Float {
  // A sawtooth between -1 and 1: exact in a Float, and no function of libm.
  let phase = step * Float(frame % 1024)
  return phase - Float(Int32(phase)) - 0.5
}

/// Writes ``generated(_:_:)`` to all channels.
@_noLocks
private func generate(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let unit = unsafe context?.assumingMemoryBound(to: GraphUnit.self) else { return -1 }
  let frames = unsafe call.pointee.frameCount
  for channel in unsafe 0..<call.pointee.outputCount {
    let samples = unsafe call.pointee.outputs[channel]
    for index in 0..<frames {
      unsafe samples[index] = generated(
        unit.pointee.value, unit.pointee.frame &+ UInt64(index))
    }
  }
  unsafe unit.pointee.frame &+= UInt64(frames)
  unsafe unit.pointee.calls += 1
  return 0
}

/// Multiplies its input, limits the product, and delays the first channel if it has a delay line.
@_noLocks
private func multiply(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let unit = unsafe context?.assumingMemoryBound(to: GraphUnit.self) else { return -1 }
  let frames = unsafe call.pointee.frameCount
  for channel in unsafe 0..<call.pointee.outputCount {
    let (source, target) = unsafe (call.pointee.inputs[channel], call.pointee.outputs[channel])
    let (factor, limit) = unsafe (unit.pointee.value, unit.pointee.limit)
    for index in 0..<frames {
      unsafe target[index] = max(-limit, min(limit, source[index] * factor))
    }
    guard channel == 0, let line = unsafe unit.pointee.line else { continue }
    for index in 0..<frames {
      let position = unsafe unit.pointee.position
      let sample = unsafe target[index]
      unsafe target[index] = line[position]
      unsafe line[position] = sample
      unsafe unit.pointee.position = unsafe (position + 1) % unit.pointee.delay
    }
  }
  unsafe unit.pointee.calls += 1
  return 0
}

/// A renderer with known generators and effects, and the samples that it rendered. One thread renders; another one may
/// edit the graph.
@safe
public final class GraphRig: @unchecked Sendable {
  /// The lengths of cycles at which each node must render the same bits, the last ones random.
  public static let cuts: [[Int]] = {
    var chance = SplitMix(state: 1)
    let random = (0..<100).map { _ in
      Int.random(in: 1...(1 << Int.random(in: 0...13, using: &chance)), using: &chance)
    }
    return [[64], [1], [16], [256], [1000], [8192], [7, 300, 64, 1, 8192], random]
  }()

  /// The renderer of the graph.
  public let renderer: Renderer
  private var output: OfflineOutput
  /// The samples of the first channel.
  public private(set) var samples: [Float] = []
  private var units: [UnsafeMutablePointer<GraphUnit>] = unsafe []

  /// A rig with as many inputs as outputs.
  public init(channels: Int = 1) {
    renderer = Renderer(sampleRate: 48000, outputChannels: channels, inputChannels: channels)
    output = OfflineOutput(renderer: renderer)
  }

  deinit {
    for index in unsafe units.indices {
      unsafe units[index].pointee.line?.deallocate()
      unsafe units[index].deallocate()
    }
  }

  private func makeUnit(_ unit: GraphUnit) -> UnsafeMutablePointer<GraphUnit> {
    let memory = UnsafeMutablePointer<GraphUnit>.allocate(capacity: 1)
    unsafe memory.initialize(to: unit)
    unsafe units.append(memory)
    return unsafe memory
  }

  /// Adds a callback that writes ``generated(_:_:)`` to all channels.
  public func addGenerator(step: Float) -> RenderCallbackHandle {
    unsafe renderer.addCallback(generate, context: makeUnit(GraphUnit(value: step)))
  }

  /// Adds an effect that multiplies its input, limits the product and delays it. The delay is the node's latency.
  public func addEffect(
    factor: Float, limit: Float = .infinity, delay: Int = 0, channels: Int = 1,
    name: String = "effect"
  ) -> RenderCallbackHandle {
    var unit = unsafe GraphUnit(value: factor, limit: limit)
    unit.delay = delay
    if delay > 0 {
      unsafe unit.line = .allocate(capacity: delay)
      unsafe unit.line?.initialize(repeating: 0, count: delay)
    }
    return unsafe renderer.graph.addEffect(
      multiply, context: makeUnit(unit), channelCount: channels, latencyFrames: delay, name: name)
  }

  /// The number of calls of each unit, in the order in which the units were added.
  public var calls: [Int] { unsafe units.indices.map { callCount(of: $0) } }

  /// Returns the number of calls of a unit.
  public func callCount(of unit: Int) -> Int { unsafe units[unit].pointee.calls }

  /// Renders frames in cycles of these lengths, repeatedly.
  public func render(_ frames: Int, cycles: [Int]) {
    var left = frames
    var index = 0
    while left > 0 {
      let count = min(left, cycles[index % cycles.count])
      output.render(frameCount: count) { channel, span in
        if channel == 0 { for index in span.indices { samples.append(span[index]) } }
      }
      left -= count
      index += 1
    }
  }

  /// Drops the samples that have been rendered.
  public func forgetSamples() { samples.removeAll(keepingCapacity: true) }

  /// Renders one cycle with these input frames.
  public func render(inputs: [Float]) {
    output.render(inputs: [inputs]) { _, span in
      for index in span.indices { samples.append(span[index]) }
    }
  }
}
