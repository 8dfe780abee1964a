// SPDX-License-Identifier: MIT

/// The nodes that a renderer renders in each cycle, and their connections: Core Audio's `AUGraph`.
///
/// Edges connect nodes, each with a gain. An edit is compiled off the render thread into a flat list of operations,
/// which the next cycle executes. The gains outlive that list. So every edit is a crossfade of
/// ``Renderer/fadeSeconds``, and another edit can reverse it half way. Before the first cycle, edits take effect at
/// once. The sound does not depend on the cycle length.
///
/// The renderer's sources, callbacks and monitors are also nodes. Sources and callbacks lead to ``mix``, which leads
/// through the monitors to ``output``. Any thread but the render thread.
public struct ProcessingGraph: Sendable {
  let renderer: Renderer

  /// The greatest latency of a path, in frames.
  public static let maximumLatencyFrames = 1 << 20

  /// The longest tail of a node, in frames.
  public static let maximumTailFrames = 1 << 26

  /// The inputs of the renderer.
  public var input: GraphNode { GraphNode(renderer.input) }

  /// The sum of the renderer's sources and callbacks.
  public var mix: GraphNode { GraphNode(renderer.mix) }

  /// The outputs of the renderer.
  public var output: GraphNode { GraphNode(renderer.output) }

  /// Returns the name of the node in a cycle record, which may be a callback or a monitor of the renderer; nil if
  /// the graph no longer has the node. Any thread but the render thread.
  ///
  /// - Parameter slowestNode: ``CycleRecord/slowestNode``.
  public func nodeName(of slowestNode: UInt32) -> String? {
    renderer.withModel { $0.nodes.first { $0.id == slowestNode }?.name }
  }

  /// Adds an effect: a node that calls a function of yours with the frames of its input bus. The node renders once it
  /// leads to the output.
  ///
  /// The function follows the rules of ``Renderer/Callback``. `inputs` are the frames of the input bus; `outputs` are
  /// silent before the call. If the function returns a value other than 0, the node is silent for that cycle. In a feedback
  /// loop the function is called for each slice of a cycle.
  ///
  /// - Parameters:
  ///   - effect: the function.
  ///   - context: passed to each call. It must be valid until ``Renderer/remove(_:withinMilliseconds:)`` has returned
  ///     true, or the output has been closed.
  ///   - channelCount: the channels of the input bus, at least one.
  ///   - outputChannelCount: the channels of the output bus (default: the same number as the input bus).
  ///   - latencyFrames: at most ``maximumLatencyFrames``; the frames by which the output is later than the input.
  /// Parallel
  ///     paths are delayed by the same number.
  ///   - tailFrames: at most ``maximumTailFrames``; the frames for which the output continues after the input has ended.
  ///   - name: the name that error messages use.
  /// - Returns: the handle, which has the node.
  public func addEffect(
    _ effect: @escaping Renderer.Callback, context: UnsafeMutableRawPointer?, channelCount: Int,
    outputChannelCount: Int? = nil, latencyFrames: Int = 0, tailFrames: Int = 0,
    name: String = "effect"
  ) -> RenderCallbackHandle {
    let outputChannelCount = outputChannelCount ?? channelCount
    precondition(
      channelCount > 0 && outputChannelCount > 0
        && (0...Self.maximumLatencyFrames).contains(latencyFrames)
        && (0...Self.maximumTailFrames).contains(tailFrames),
      "an effect has channels, a possible latency and a possible tail")
    let storage = unsafe CallbackStorage(
      effect, context: context, inputs: RenderBus(0..<0, of: 0), isEffect: true)
    let node = NodeStorage(
      .callback(storage), name: name, inputWidths: [channelCount],
      outputWidth: outputChannelCount, latencyFrames: latencyFrames, tailFrames: tailFrames)
    renderer.replacePlan { $0.add(node) }
    return RenderCallbackHandle(storage: storage, node: GraphNode(node))
  }

  /// Adds a mixer: a node that sums the edges that lead into it. The gains of the edges are the crosspoints of Core
  /// Audio's `kAudioUnitSubType_MatrixMixer`.
  ///
  /// - Parameters:
  ///   - channelCount: the channels of its input bus and of its output bus, at least one.
  ///   - name: the name that error messages use.
  public func addMixer(channelCount: Int, name: String = "mixer") -> GraphNode {
    precondition(channelCount > 0, "a mixer has channels")
    let node = NodeStorage(
      .mix, name: name, inputWidths: [channelCount], outputWidth: channelCount)
    renderer.replacePlan { $0.add(node) }
    return GraphNode(node)
  }

  /// Makes changes that take effect in the same frame: Core Audio's `AUGraphUpdate`.
  ///
  /// - Parameter body: makes the changes. It must not call the renderer or its graph: the edit holds their lock.
  /// - Throws: ``ProcessingGraphError``; the graph is unchanged then.
  public func edit(
    _ body: (inout GraphEdit) throws(ProcessingGraphError) -> Void
  ) throws(ProcessingGraphError) {
    let fadeFrames = Gain.frames(Gain.fadeSeconds, at: renderer.sampleRate)
    try renderer.replacePlan { (model) throws(ProcessingGraphError) in
      var edit = GraphEdit(model, fadeFrames: fadeFrames)
      // Edges are shared with the current graph, so `finish` changes them last.
      try body(&edit)
      try edit.finish()
      model = edit.model
    }
  }

  /// Bypasses an effect, or ends its bypass, in an edit of its own; see ``GraphEdit/setBypassed(_:_:)``.
  ///
  /// - Throws: ``ProcessingGraphError``, like that method.
  public func setBypassed(
    _ isBypassed: Bool, _ node: GraphNode
  ) throws(ProcessingGraphError) {
    try edit { (edit) throws(ProcessingGraphError) in try edit.setBypassed(isBypassed, node) }
  }

  /// Returns whether an effect is bypassed; see ``GraphEdit/setBypassed(_:_:)``. False for a node of another graph.
  public func isBypassed(_ node: GraphNode) -> Bool {
    renderer.withModel { $0.contains(node.storage) && $0.isBypassed(node.storage) }
  }

  /// The latency of the longest path to the output, in frames.
  public var latencyFrames: Int {
    renderer.withModel { $0.latencies()[renderer.output.slot] }
  }

  /// The frames for which the outputs continue after the sources and the inputs have ended, besides the latency: the longest
  /// sum of the tails of nodes on a path. Bypassed effects do not count.
  public var tailFrames: Int {
    renderer.withModel { $0.tails()[renderer.output.slot] }
  }
}

extension Renderer {
  /// The graph of this renderer's sources, callbacks, effects and monitors.
  public var graph: ProcessingGraph { ProcessingGraph(renderer: self) }
}

extension ProcessingGraph {
  /// Returns the node of a source; nil once the source is removed.
  public func node(of source: SourceControl) -> GraphNode? {
    node { if case .source(let storage) = $0 { storage === source.storage } else { false } }
  }

  /// Returns the node of a monitor; nil once the monitor is removed. Its input bus is the sound to which the monitor
  /// adds the renderer's inputs. The node leads to ``outputNode(of:)``; insert effects for the sum between the two.
  public func node(of monitor: MonitorControl) -> GraphNode? {
    node { if case .monitor(let storage) = $0 { storage === monitor.storage } else { false } }
  }

  /// Returns the node that limits and measures the sum of a monitor; nil once the monitor is removed.
  public func outputNode(of monitor: MonitorControl) -> GraphNode? {
    node {
      if case .monitorOutput(let storage) = $0 { storage === monitor.storage } else { false }
    }
  }

  private func node(where isWanted: (NodeStorage.Kind) -> Bool) -> GraphNode? {
    renderer.withModel { $0.nodes.first { isWanted($0.kind) } }.map { GraphNode($0) }
  }
}
