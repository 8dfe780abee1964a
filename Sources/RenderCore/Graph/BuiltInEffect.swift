// SPDX-License-Identifier: MIT

/// An effect of this library: a node whose input bus and output bus have the same channels, rendered in place. It owns
/// the memory of its render side.
protocol BuiltInEffect: AnyObject, Sendable {
  /// The operation that renders the effect in a plan.
  var operation: EffectOperation { get }

  /// Adapts the effect to a new sample rate of the renderer.
  func follow(sampleRate: Double)

  /// The frames that a new node needs before its output is complete, besides its latency.
  var warmUpFrames: Int { get }

  /// The frames for which the output continues after its input has ended, besides the latency.
  var tailFrames: Int { get }

  /// Whether a channel of the output depends on other channels of the input.
  var mixesChannels: Bool { get }

  /// The effect as a delay that can close a feedback loop.
  var loopDelay: DelayStorage? { get }
}

extension BuiltInEffect {
  var warmUpFrames: Int { 0 }
  var tailFrames: Int { 0 }
  var mixesChannels: Bool { false }
  var loopDelay: DelayStorage? { nil }
}

extension ProcessingGraph {
  /// Adds the node of a built-in effect.
  func add(
    _ effect: any BuiltInEffect, name: String, channelCount: Int, latencyFrames: Int = 0
  ) -> GraphNode {
    let node = NodeStorage(
      .builtIn(effect), name: name, inputWidths: [channelCount], outputWidth: channelCount,
      latencyFrames: latencyFrames)
    renderer.replacePlan { $0.add(node) }
    return GraphNode(node)
  }
}

/// The render sides of the built-in effects. A new effect adds a case, and its line in `render`.
@safe
enum EffectOperation: BitwiseCopyable {
  case filter(UnsafeMutablePointer<FilterBankUnit>)
  case limit(UnsafeMutablePointer<LimiterUnit>)
  case delay(UnsafeMutablePointer<DelayUnit>)
  case convolve(UnsafeMutablePointer<ConvolverUnit>)
  case compress(UnsafeMutablePointer<DynamicsUnit>)
  case meter(UnsafeMutablePointer<SourceLevels>)
  case measureLoudness(UnsafeMutablePointer<LoudnessTapUnit>)

  /// Renders a cycle's frames in place. Real-time: wait-free, render thread only.
  ///
  /// - Parameter deviceFrame: the number of the first of these frames.
  /// - Returns: the number of samples that were NaN or infinite, which the effect has replaced by 0.
  @_noLocks @inline(never)
  func render(
    _ buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int,
    deviceFrame: UInt64
  ) -> Int {
    switch self {
    case .filter(let unit):
      unsafe unit.pointee.render(buffers, frameCount: frameCount, deviceFrame: deviceFrame)
      return 0
    case .limit(let unit):
      return unsafe unit.pointee.render(buffers, frameCount: frameCount, deviceFrame: deviceFrame)
    case .convolve(let unit):
      return unsafe unit.pointee.render(buffers, frameCount: frameCount, deviceFrame: deviceFrame)
    case .compress(let unit):
      return unsafe unit.pointee.render(buffers, frameCount: frameCount, deviceFrame: deviceFrame)
    case .meter(let levels):
      unsafe levels.pointee.measure(buffers, frameCount: frameCount)
      return 0
    case .measureLoudness(let unit):
      unsafe unit.pointee.measure(buffers, frameCount: frameCount, deviceFrame: deviceFrame)
      return 0
    case .delay(let unit):
      unsafe unit.pointee.render(buffers, frameCount: frameCount, deviceFrame: deviceFrame)
      return 0
    }
  }
}
