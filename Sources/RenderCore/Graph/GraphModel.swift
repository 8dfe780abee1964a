// SPDX-License-Identifier: MIT

/// The nodes and edges of a renderer's graph, which edits change. Protected by the renderer's lock. Each plan keeps a
/// copy, which keeps the memory of its nodes and edges alive.
struct GraphModel {
  let input: NodeStorage
  let mix: NodeStorage
  let output: NodeStorage
  /// All other nodes, in the order in which they were added.
  private(set) var nodes: [NodeStorage] = []
  /// The delays that can close a feedback loop.
  private(set) var loopDelays: [NodeStorage] = []
  /// The edges in the order in which they were connected, including those that fade out.
  private(set) var edges: [EdgeStorage] = [] { didSet { cache = Cache() } }
  private var cache = Cache()
  /// The nodes by slot.
  private var table: [NodeStorage?] = []
  private var freeSlots: [Int] = []
  /// Nodes that are removed when no edge leads out of them, by slot.
  private var leaving: [Bool] = []
  /// Nodes whose output edges are dry, by slot.
  private var bypassed: [Bool] = []
  /// Nodes of the previous plan, by slot.
  private var planned: [Bool] = []
  /// Nodes of the previous plan with more than dry edges, by slot.
  private var rendered: [Bool] = []
  private var nextEdge = 1
  /// The serial of the next plan.
  private(set) var serial: UInt64 = 1

  init(inputChannels: Int, outputChannels: Int) {
    input = NodeStorage(.input, name: "input", outputWidth: inputChannels)
    mix = NodeStorage(
      .mix, name: "mix", inputWidths: [outputChannels], outputWidth: outputChannels)
    output = NodeStorage(
      .output, name: "output", inputWidths: [outputChannels], outputWidth: outputChannels)
    for node in [input, mix, output] {
      takeSlot(for: node)
      planned[node.slot] = true
      rendered[node.slot] = true
    }
    if outputChannels > 0 { connect(mix, to: output, isHard: true) }
  }

  /// The index of the edges. Copies of a model share it until the edges or the nodes of one of them change.
  private final class Cache {
    var index: EdgeIndex?
  }

  /// The edges by source and by target.
  var links: EdgeIndex {
    if let index = cache.index { return index }
    let index = EdgeIndex(edges, slotCount: slotCount)
    cache.index = index
    return index
  }

  /// Larger than the slot of every node.
  var slotCount: Int { table.count }

  // MARK: Nodes

  func contains(_ node: NodeStorage) -> Bool {
    table.indices.contains(node.slot) && table[node.slot] === node
  }

  mutating func add(_ node: NodeStorage) {
    nodes.append(node)
    if node.loopDelay != nil { loopDelays.append(node) }
    takeSlot(for: node)
  }

  private mutating func takeSlot(for node: NodeStorage) {
    cache = Cache()
    if let slot = freeSlots.popLast() {
      node.slot = slot
      table[slot] = node
    } else {
      node.slot = table.count
      table.append(node)
      leaving.append(false)
      bypassed.append(false)
      planned.append(false)
      rendered.append(false)
    }
  }

  /// Removes a node and its edges, without a fade.
  mutating func drop(where isDropped: (NodeStorage) -> Bool) {
    for node in nodes where isDropped(node) {
      freeSlots.append(node.slot)
      (table[node.slot], leaving[node.slot], bypassed[node.slot]) = (nil, false, false)
      (planned[node.slot], rendered[node.slot]) = (false, false)
    }
    nodes.removeAll(where: isDropped)
    loopDelays.removeAll(where: isDropped)
    edges.removeAll { isDropped($0.source) || isDropped($0.target) }
  }

  /// Removes a node once its edges have faded out.
  mutating func noteLeaving(_ node: NodeStorage) {
    leaving[node.slot] = true
  }

  /// Cancels the removal of a node.
  mutating func noteStaying(_ node: NodeStorage) {
    leaving[node.slot] = false
  }

  /// Returns whether a node's output edges lead out of its input bus.
  func isBypassed(_ node: NodeStorage) -> Bool { bypassed[node.slot] }

  /// Bypasses a node, or ends its bypass. `align()` exchanges its edges.
  mutating func setBypassed(_ isBypassed: Bool, _ node: NodeStorage) {
    bypassed[node.slot] = isBypassed
  }

  /// Inserts a node before the output, after all other nodes. The output of the node includes its input, unchanged.
  mutating func append(_ node: NodeStorage, bus: Int) {
    for edge in edges where edge.target === output { (edge.target, edge.bus) = (node, bus) }
    // This also resets the index of the edges.
    add(node)
    connect(node, to: output, isHard: true)
  }

  /// Removes a node that `append` has inserted and reconnects its inputs, unless edits have rewired its output.
  mutating func extract(_ node: NodeStorage) {
    let outputs = edges.filter { $0.source === node && $0.leavingSerial == nil }
    if outputs.count == 1, outputs[0].isWhole, outputs[0].isAsItIs {
      let (target, bus) = (outputs[0].target, outputs[0].bus)
      for edge in edges where edge.target === node { (edge.target, edge.bus) = (target, bus) }
      cache = Cache()
    }
    drop { $0 === node }
  }

  /// Removes a source that is silent, once the delayed edges that lead out of it are silent, too.
  mutating func release(_ node: NodeStorage) {
    let delayed = edges.filter { $0.source === node && $0.delayFrames > 0 }
    if delayed.isEmpty { return drop { $0 === node } }
    for edge in delayed { leave(edge) }
    noteLeaving(node)
  }

  // MARK: Edges

  /// Connects a node's output, or its input bus while it is bypassed.
  ///
  /// - Parameters:
  ///   - channelCount: the number of channels; nil for as many as both buses have.
  ///   - isHard: whether the edge begins at its gain; otherwise the graph decides.
  ///   - delayFrames: the delay that aligns this path with longer ones.
  mutating func connect(
    _ source: NodeStorage, channel: Int = 0, to target: NodeStorage, bus: Int = 0,
    targetChannel: Int = 0, channelCount: Int? = nil, gain: Float = 1, isHard: Bool = false,
    delayFrames: Int = 0
  ) {
    let fitting = min(
      source.outputWidth - channel, target.inputWidths[bus] - targetChannel)
    // An edge out of a new source, or into a new target, needs no fade. The exception is a delay that can close a loop:
    // its echo would repeat the hard start of the loop's first frame.
    let begins =
      isHard || !planned[target.slot] && source.loopDelay == nil
      || source.isAlwaysRendered && !planned[source.slot]
    edges.append(
      EdgeStorage(
        id: nextEdge, source, channel: channel, to: target, bus: bus, targetChannel: targetChannel,
        channelCount: channelCount ?? fitting, gain: gain, initialGain: begins ? gain : 0,
        isDry: bypassed[source.slot], delayFrames: delayFrames))
    nextEdge += 1
  }

  /// Fades an edge out. `prune()` removes it afterwards.
  ///
  /// - Parameter frames: frames before the fade.
  func leave(_ edge: EdgeStorage, after frames: Int = 0) {
    edge.leave(serial: serial, after: frames)
  }

  /// Fades an edge to a gain.
  func set(_ gain: Float, of edge: EdgeStorage) {
    edge.set(gain, serial: serial)
  }

  /// Sets the gains of edges to those that were scheduled for earlier frames.
  func settle(at frame: UInt64) {
    for edge in edges where !edge.scheduled.isEmpty { edge.settle(at: frame) }
  }

  /// Removes an edge without a fade.
  mutating func remove(_ edge: EdgeStorage) {
    edges.removeAll { $0 === edge }
  }

  /// Returns the edges into a bus, in the order of summation.
  func edges(into node: NodeStorage, bus: Int) -> [EdgeStorage] {
    let edges = links.into(node).filter { $0.bus == bus }
    if edges.count <= 1 { return edges }
    return edges.sorted { ($0.source.rank, $0.id) < ($1.source.rank, $1.id) }
  }

  // MARK: Plans

  /// Whether an edge has faded out since the last plan was made.
  var hasFaded: Bool { edges.contains(where: \.hasLeft) }

  /// Removes the edges that have faded out and the nodes that are removed, before a plan is made. A node without a path
  /// to the output is not part of plans; it begins at rest when it is connected again.
  mutating func prune() {
    if hasFaded { edges.removeAll { $0.hasLeft } }
    dropLeft()
    let heard = heard()
    for slot in planned.indices where !heard[slot] {
      (planned[slot], rendered[slot]) = (false, false)
    }
    let hasRested = edges.allSatisfy {
      heard[$0.target.slot] || $0.leavingSerial == nil && $0.isAtRest
    }
    if hasRested { return }
    edges = edges.compactMap { edge in
      if heard[edge.target.slot] { return edge }
      return edge.leavingSerial == nil ? edge.atRest() : nil
    }
    dropLeft()
  }

  /// Removes the removed nodes that no edge leads out of.
  private mutating func dropLeft() {
    if !leaving.contains(true) { return }
    let links = links
    let gone = nodes.filter { leaving[$0.slot] && links.outOf($0).isEmpty }
    if !gone.isEmpty { drop { node in gone.contains { $0 === node } } }
  }

  /// Returns for each slot whether its node renders: those that lead to the output or to a capture, and sources and
  /// callbacks.
  func heard() -> [Bool] {
    let links = links
    if let heard = links.heard { return heard }
    var heard = [Bool](repeating: false, count: slotCount)
    var next = [output]
    next += nodes.filter { node in
      if case .capture = node.kind { true } else { node.isAlwaysRendered }
    }
    while let node = next.popLast() {
      if heard[node.slot] { continue }
      heard[node.slot] = true
      for edge in links.into(node) { next.append(edge.source) }
    }
    links.heard = heard
    return heard
  }

  /// Makes all nodes and edges new: before the first cycle there is no sound that an edit could interrupt.
  mutating func forgetPlans() {
    planned = [Bool](repeating: false, count: slotCount)
    rendered = planned
    edges = edges.compactMap { $0.leavingSerial == nil ? $0.atRest() : nil }
  }

  /// Notes that the current nodes and edges are part of a plan.
  mutating func notePlan() {
    planned = heard()
    rendered = zip(planned, bypassed).map { $0 && !$1 }
    for edge in edges where !edge.isDry && planned[edge.target.slot] {
      rendered[edge.source.slot] = true
    }
    for edge in edges where planned[edge.target.slot] { edge.isPlanned = true }
    serial += 1
  }

  /// Returns whether a node that renders in the next plan did not render in the previous one.
  func isNew(_ node: NodeStorage) -> Bool { !rendered[node.slot] }
}

extension GraphModel {
  var sources: [SourceStorage] {
    nodes.compactMap { if case .source(let source) = $0.kind { source } else { nil } }
  }

  var monitors: [MonitorStorage] {
    nodes.compactMap { if case .monitor(let monitor) = $0.kind { monitor } else { nil } }
  }

  /// Returns the captures of a node's output.
  func captures(of node: NodeStorage) -> [CaptureStorage] {
    links.outOf(node).compactMap { edge in
      guard case .capture(let capture) = edge.target.kind else { return nil }
      return capture
    }
  }
}
