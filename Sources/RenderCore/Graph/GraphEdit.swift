// SPDX-License-Identifier: MIT

/// A set of changes of a ``ProcessingGraph`` that take effect in the same frame.
public struct GraphEdit {
  private(set) var model: GraphModel
  /// New gains, or nil for edges to disconnect. Edges are shared with the current graph, so they change only when the
  /// whole edit has succeeded.
  private var gains: [(edge: EdgeStorage, gain: Float?, waitFrames: Int)] = []
  /// The index in ``gains`` of each edge's last change, by the edge's id.
  private var changes: [Int: Int] = [:]

  private let fadeFrames: Int

  init(_ model: GraphModel, fadeFrames: Int) {
    self.model = model
    self.fadeFrames = fadeFrames
  }

  /// Connects a node's output to another node's input bus: Core Audio's `AUGraphConnectNodeInput`. Several edges into
  /// one bus are summed. The edge fades in, unless its target, or a source or callback that it leads out of, begins
  /// with this edit. An edge out of a delay that can close a feedback loop fades in even then.
  ///
  /// - Parameters:
  ///   - source: the node to read.
  ///   - channel: the first channel of its output bus.
  ///   - target: the node to write to.
  ///   - bus: the input bus of that node.
  ///   - targetChannel: the first channel of that input bus.
  ///   - channelCount: the number of channels; nil for as many as both buses have from their first channel on.
  ///   - gain: the linear gain of the edge; negative inverts the polarity. Its magnitude is limited to
  ///     ``SourceControl/maximumVolume``; a gain that is not finite counts as 1.
  /// - Throws: ``ProcessingGraphError`` for an unknown node, channels that do not exist, or an edge that
  ///   exists. ``ProcessingGraph/edit(_:)`` throws the errors that concern the whole graph.
  public mutating func connect(
    _ source: GraphNode, channel: Int = 0, to target: GraphNode, bus: Int = 0,
    targetChannel: Int = 0, channelCount: Int? = nil, gain: Float = 1
  ) throws(ProcessingGraphError) {
    try check(source)
    try check(target)
    guard target.inputChannelCounts.indices.contains(bus), isTarget(target.storage) else {
      throw .noSuchChannels(node: target.name)
    }
    guard channel >= 0 else { throw .noSuchChannels(node: source.name) }
    guard targetChannel >= 0 else { throw .noSuchChannels(node: target.name) }
    let sourceRoom = source.outputChannelCount - channel
    let targetRoom = target.inputChannelCounts[bus] - targetChannel
    let count = channelCount ?? min(sourceRoom, targetRoom)
    guard count > 0, count <= sourceRoom else { throw .noSuchChannels(node: source.name) }
    guard count <= targetRoom else { throw .noSuchChannels(node: target.name) }
    let same = model.edges.filter {
      $0.connects(
        source.storage, channel: channel, to: target.storage, bus: bus,
        targetChannel: targetChannel, channelCount: count)
    }
    if same.contains(where: { !isLeaving($0) }) {
      throw .alreadyConnected(from: source.name, to: target.name)
    }
    model.noteStaying(source.storage)
    model.noteStaying(target.storage)
    // An edge that fades out reverses its fade.
    if let edge = same.last {
      set(Self.possible(gain), of: edge)
      return
    }
    model.connect(
      source.storage, channel: channel, to: target.storage, bus: bus,
      targetChannel: targetChannel, channelCount: count, gain: Self.possible(gain))
  }

  /// Disconnects a node from another one: Core Audio's `AUGraphDisconnectNodeInput`. The edges fade
  /// out.
  public mutating func disconnect(
    _ source: GraphNode, from target: GraphNode
  ) throws(ProcessingGraphError) {
    for edge in try edges(from: source, to: target) { leave(edge) }
  }

  /// Fades the edges from one node to another one to a linear gain.
  ///
  /// - Parameters:
  ///   - gain: the gain, as for a new edge.
  ///   - source: the node that the edges lead out of.
  ///   - channel: the first channel of the edges at the source; nil for all edges.
  ///   - target: the node that they lead to.
  ///   - targetChannel: their first channel at the target; nil for all edges.
  public mutating func setGain(
    _ gain: Float, from source: GraphNode, channel: Int? = nil, to target: GraphNode,
    targetChannel: Int? = nil
  ) throws(ProcessingGraphError) {
    let edges = try edges(from: source, to: target).filter {
      $0.sourceChannel == channel ?? $0.sourceChannel
        && $0.targetChannel == targetChannel ?? $0.targetChannel
    }
    if edges.isEmpty { throw .notConnected(from: source.name, to: target.name) }
    for edge in edges { set(Self.possible(gain), of: edge) }
  }

  /// Inserts a node between two connected nodes, in a crossfade from the direct edges to the new path. The first bus of
  /// the node reads the channels that the direct edges read. The node's output replaces them, with their gains.
  public mutating func insert(
    _ node: GraphNode, from source: GraphNode, to target: GraphNode
  ) throws(ProcessingGraphError) {
    try check(node)
    let direct = try edges(from: source, to: target)
    let first = direct.map(\.sourceChannel).min()!
    let end = direct.map { $0.sourceChannel + $0.channelCount }.max()!
    let gains = direct.map { currentGain($0) }
    for edge in direct { leave(edge) }
    let width = min(end - first, node.inputChannelCounts.first ?? 0)
    try connect(source, channel: first, to: node, channelCount: width)
    for (edge, gain) in zip(direct, gains) {
      let channel = edge.sourceChannel - first
      try connect(
        node, channel: channel, to: target, bus: edge.bus, targetChannel: edge.targetChannel,
        channelCount: min(edge.channelCount, node.outputChannelCount - channel), gain: gain)
    }
  }

  /// Removes a callback, a mixer or an effect, built-in or not: Core Audio's `AUGraphRemoveNode`. The edges that lead out of it
  /// fade out. If other nodes lead into it, connect them to its target in the same edit. The node may render after the
  /// fade, so the context of a callback must be valid until ``Renderer/remove(_:withinMilliseconds:)`` has returned true.
  ///
  /// - Parameters:
  ///   - node: the node to remove.
  ///   - keepsTail: fade out the edges that lead into the node, and those that lead out of it after its
  ///     ``GraphNode/tailFrames`` and its latency.
  public mutating func remove(
    _ node: GraphNode, keepsTail: Bool = false
  ) throws(ProcessingGraphError) {
    try check(node)
    switch node.storage.kind {
    case .callback, .builtIn: break
    case .mix where node.storage !== model.mix: break
    default: throw .permanentNode(node.name)
    }
    var waitFrames = 0
    if keepsTail, !model.isBypassed(node.storage) {
      for edge in model.links.into(node.storage) { leave(edge) }
      waitFrames = fadeFrames + node.latencyFrames + node.tailFrames
    }
    for edge in model.links.outOf(node.storage) where !isLeaving(edge) {
      leave(edge, after: waitFrames)
    }
    model.noteLeaving(node.storage)
  }

  /// Bypasses an effect, or ends its bypass: Core Audio's `kAudioUnitProperty_BypassEffect`. In a crossfade, its input
  /// replaces its output, with the same latency. After the crossfade, the effect renders until the next call that
  /// reads or changes the graph, the rate or the elapsed time. When the bypass ends, the effect begins at rest and
  /// fades in once its output is complete.
  ///
  /// - Throws: ``ProcessingGraphError`` for an unknown node, for one that is not an effect with as many channels at its
  ///   output as at its only input bus, and for a delay that can close a feedback loop.
  public mutating func setBypassed(
    _ isBypassed: Bool, _ node: GraphNode
  ) throws(ProcessingGraphError) {
    try check(node)
    let isEffect =
      switch node.storage.kind {
      case .callback(let callback): callback.isEffect
      case .builtIn: true
      case .input, .mix, .output, .source, .monitor, .monitorOutput, .capture: false
      }
    guard isEffect, node.storage.loopDelay == nil,
      node.inputChannelCounts == [node.outputChannelCount]
    else {
      throw .notBypassable(node.name)
    }
    model.setBypassed(isBypassed, node.storage)
  }

  // MARK: Checks

  private func check(_ node: GraphNode) throws(ProcessingGraphError) {
    try model.check(node)
  }

  /// Returns true for a node to which edits may connect edges. A capture keeps its first edge.
  private func isTarget(_ node: NodeStorage) -> Bool {
    if case .capture = node.kind { false } else { true }
  }

  private func edges(
    from source: GraphNode, to target: GraphNode
  ) throws(ProcessingGraphError) -> [EdgeStorage] {
    try model.edges(from: source, to: target, without: isLeaving)
  }

  /// Returns the edge's gain after this edit.
  private func currentGain(_ edge: EdgeStorage) -> Float {
    changes[edge.id].flatMap { gains[$0].gain } ?? edge.gain
  }

  private func isLeaving(_ edge: EdgeStorage) -> Bool {
    if !changes.isEmpty, let change = changes[edge.id] { return gains[change].gain == nil }
    return edge.leavingSerial != nil
  }

  private mutating func set(_ gain: Float?, of edge: EdgeStorage, after waitFrames: Int = 0) {
    changes[edge.id] = gains.count
    gains.append((edge, gain, waitFrames))
  }

  private mutating func leave(_ edge: EdgeStorage, after waitFrames: Int = 0) {
    // An edge that no plan contains has had no sound and needs no fade.
    if edge.isPlanned { set(nil, of: edge, after: waitFrames) } else { model.remove(edge) }
  }

  static func possible(_ gain: Float) -> Float {
    gain.isFinite ? max(-SourceControl.maximumVolume, min(SourceControl.maximumVolume, gain)) : 1
  }

  // MARK: End

  /// Checks the edited graph, then changes the edges.
  mutating func finish() throws(ProcessingGraphError) {
    try model.checkCycles()
    let latencies = model.latencies(without: isLeaving)
    let heard = model.heard()
    for node in model.nodes + [model.mix, model.output]
    where heard[node.slot] {
      let latency = latencies[node.slot]
      if latency > ProcessingGraph.maximumLatencyFrames {
        throw .tooLate(node: node.name, frames: latency)
      }
    }
    for (edge, gain, waitFrames) in gains {
      if let gain { model.set(gain, of: edge) } else { model.leave(edge, after: waitFrames) }
    }
  }
}
