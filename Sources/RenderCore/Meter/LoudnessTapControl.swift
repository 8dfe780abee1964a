// SPDX-License-Identifier: MIT

public import AudioModel

/// The owner of the memory of a graph's loudness tap. Its control and the renderer's graph hold it.
@safe
final class LoudnessTapStorage: BuiltInEffect, @unchecked Sendable {
  private struct Control {
    var gate = LoudnessGate()
    var lostParts: UInt64 = 0
  }

  private let unit: RenderMemory<LoudnessTapUnit>
  private let parts: RenderMemory<LoudnessParts>
  /// Protects the control side against two control threads. Never taken by the render thread.
  private let control = POSIXMutex(Control())

  init(weights: [Double], sampleRate: Double) {
    parts = RenderMemory(LoudnessParts(channels: weights.count))
    unit = unsafe RenderMemory(LoudnessTapUnit(weights: weights, parts: parts.address))
    unsafe parts.address.pointee.follow(sampleRate: sampleRate)
  }

  var operation: EffectOperation { unsafe .measureLoudness(unit.address) }

  func follow(sampleRate: Double) {
    control.withLock { _ in unsafe parts.address.pointee.follow(sampleRate: sampleRate) }
  }

  /// Adds the new parts to the gate, and calls a function with it.
  func update<Result>(_ body: (inout LoudnessGate, _ lostParts: UInt64) -> Result) -> Result {
    control.withLock { control in
      control.lostParts = unsafe parts.address.pointee.takeParts { control.gate.add($0) }
      return body(&control.gate, control.lostParts)
    }
  }
}

/// The control of a loudness tap in a renderer's graph: loudness by ITU-R BS.1770-4 and EBU R 128.
///
/// The render thread weights the samples and sums the squares of 100 ms. Gates are computed by the thread that reads. The
/// tap changes no bit of a sample, and has no latency. NaN and infinity count as silence. Any thread but the render
/// thread.
public final class LoudnessTapControl: Sendable {
  private let storage: LoudnessTapStorage
  /// The tap's node in the renderer's ``ProcessingGraph``.
  public let node: GraphNode

  init(storage: LoudnessTapStorage, node: GraphNode) {
    self.storage = storage
    self.node = node
  }

  /// The loudness up to the last complete 100 ms. Read it at least every 13 minutes of sound; later parts are lost for
  /// the integrated loudness.
  public var loudness: Loudness { storage.update { gate, _ in gate.loudness } }

  /// The number of parts of 100 ms that were lost because no thread read the loudness in time.
  public var lostPartCount: UInt64 { storage.update { _, lostParts in lostParts } }

  /// Restarts the measurement, for instance at the next track.
  public func reset() { storage.update { gate, _ in gate = LoudnessGate() } }
}

extension ProcessingGraph {
  /// Adds a loudness tap. It measures once it leads to the output.
  ///
  /// - Parameters:
  ///   - channelCount: the channels of its input bus and of its output bus, at least one.
  ///   - channelWeights: a factor for the square of each channel: 1.41 for surround channels, 0 for a low-frequency
  /// channel.
  ///     If nil, each of several channels has 1, and a single one, which two loudspeakers play, has 2.
  /// - Returns: the control, which has the node.
  public func addLoudnessTap(
    channelCount: Int, channelWeights: [Double]? = nil
  ) -> LoudnessTapControl {
    let weights =
      channelWeights ?? [Double](repeating: channelCount == 1 ? 2 : 1, count: channelCount)
    precondition(
      channelCount > 0 && weights.count == channelCount
        && weights.allSatisfy { $0 >= 0 && $0.isFinite },
      "a loudness tap has channels, each with a possible weight")
    let storage = LoudnessTapStorage(weights: weights, sampleRate: renderer.sampleRate)
    let node = add(storage, name: "loudness", channelCount: channelCount)
    return LoudnessTapControl(storage: storage, node: node)
  }
}
