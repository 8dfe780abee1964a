// SPDX-License-Identifier: MIT

/// The owner of the memory of a graph's meter. Its control and the renderer's graph hold it.
@safe
final class MeterStorage: BuiltInEffect, @unchecked Sendable {
  private let levels: RenderMemory<SourceLevels>

  init(channels: Int) {
    levels = RenderMemory(SourceLevels(channels: channels))
  }

  var operation: EffectOperation { unsafe .meter(levels.address) }

  func follow(sampleRate: Double) {}

  func takeLevels() -> [SourceLevel] { unsafe levels.address.pointee.take() }
}

/// The control of a meter in a renderer's graph, which measures the peak and the mean square of each channel, as the
/// meters of a source do.
///
/// The meter changes no bit of a sample, and has no latency. Any thread but the render thread.
public final class MeterControl: Sendable {
  private let storage: MeterStorage
  /// The meter's node in the renderer's ``ProcessingGraph``.
  public let node: GraphNode

  init(storage: MeterStorage, node: GraphNode) {
    self.storage = storage
    self.node = node
  }

  /// Returns the level of each channel. Sums count from the start; for the level since the last call, subtract the sums
  /// of that call. Peaks are those since the last call.
  public func takeLevels() -> [SourceLevel] { storage.takeLevels() }
}

extension ProcessingGraph {
  /// Adds a meter. It measures once it leads to the output.
  ///
  /// - Parameter channelCount: the channels of its input bus and of its output bus, at least one.
  /// - Returns: the control, which has the node.
  public func addMeter(channelCount: Int) -> MeterControl {
    precondition(channelCount > 0, "a meter has channels")
    let storage = MeterStorage(channels: channelCount)
    let node = add(storage, name: "meter", channelCount: channelCount)
    return MeterControl(storage: storage, node: node)
  }
}
