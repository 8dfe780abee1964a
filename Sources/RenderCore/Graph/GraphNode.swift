// SPDX-License-Identifier: MIT

internal import Synchronization

/// A node of a renderer's ``ProcessingGraph``: Core Audio's `AUNode`.
///
/// A node has input buses, each of a fixed number of channels, and at most one output bus. It belongs to one renderer.
/// Any thread but the render thread.
public struct GraphNode: Sendable, Hashable {
  let storage: NodeStorage

  init(_ storage: NodeStorage) {
    self.storage = storage
  }

  /// The name that error messages and timing reports use.
  public var name: String { storage.name }

  /// The channels of each input bus.
  public var inputChannelCounts: [Int] { storage.inputWidths }

  /// The channels of the output bus; 0 without an output bus.
  public var outputChannelCount: Int {
    if case .output = storage.kind { 0 } else { storage.outputWidth }
  }

  /// The frames by which the output is later than the input.
  public var latencyFrames: Int { storage.latencyFrames }

  /// The frames for which the output continues after the input has ended, besides the latency. Delays, convolvers and
  /// user effects with a stated tail have one. Filters decay, and count as 0.
  public var tailFrames: Int { storage.tailFrames }

  /// Returns whether two values refer to the same node.
  public static func == (one: GraphNode, other: GraphNode) -> Bool { one.storage === other.storage }

  /// Hashes the node.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(storage)) }
}

/// The owner of a node's memory. Handles and the plans that contain the node hold it.
final class NodeStorage: @unchecked Sendable {
  enum Kind: Sendable {
    /// The input buffers of the cycle.
    case input
    /// A sum: of the sources and callbacks, or of a mixer.
    case mix
    /// The output buffers of the cycle.
    case output
    case source(SourceStorage)
    case callback(CallbackStorage)
    /// The node that adds the inputs.
    case monitor(MonitorStorage)
    /// The node that limits and measures the sum.
    case monitorOutput(MonitorStorage)
    case builtIn(any BuiltInEffect)
    case capture(CaptureStorage)
  }

  private static let lastID = Atomic<UInt32>(0)

  /// Unique in the process; from 1. Cycle records refer to the node by it.
  let id = NodeStorage.lastID.wrappingAdd(1, ordering: .relaxed).newValue
  /// Its index among the nodes of its graph. Later nodes reuse the slots of removed nodes. Protected by the renderer's
  /// lock.
  var slot = 0
  let kind: Kind
  let name: String
  let inputWidths: [Int]
  let outputWidth: Int
  let latencyFrames: Int
  private let statedTailFrames: Int

  init(
    _ kind: Kind, name: String, inputWidths: [Int] = [], outputWidth: Int = 0,
    latencyFrames: Int = 0, tailFrames: Int = 0
  ) {
    self.kind = kind
    self.name = name
    self.inputWidths = inputWidths
    self.outputWidth = outputWidth
    self.latencyFrames = latencyFrames
    statedTailFrames = tailFrames
  }

  var tailFrames: Int {
    if case .builtIn(let effect) = kind { effect.tailFrames } else { statedTailFrames }
  }

  /// The node as a delay that can close a feedback loop.
  var loopDelay: DelayStorage? {
    if case .builtIn(let effect) = kind { effect.loopDelay } else { nil }
  }

  /// The node's position in the order of summation. It is fixed, so an edit elsewhere changes no bit of a sum.
  var rank: Int {
    switch kind {
    case .input, .source: 0
    case .mix, .output, .monitor, .monitorOutput, .builtIn, .capture: 1
    case .callback(let callback): callback.isEffect ? 1 : 2
    }
  }

  /// Whether the node renders even without a path to the output, since its clock runs.
  var isAlwaysRendered: Bool {
    switch kind {
    case .source: true
    case .callback(let callback): !callback.isEffect
    case .input, .mix, .output, .monitor, .monitorOutput, .builtIn, .capture: false
    }
  }
}
