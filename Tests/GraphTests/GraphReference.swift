// SPDX-License-Identifier: MIT

import TestKit

@testable import RenderCore

/// A model of a graph. It computes the output frame by frame, without plans, buffers, operations and slices of loops.
struct GraphReference {
  enum Node {
    case sum
    case generator(step: Float)
    /// A user effect.
    case effect(factor: Float, limit: Float)
    /// A built-in effect, which is called once per frame.
    case builtIn(any BuiltInEffect)
    /// A delay, which can close a loop.
    case delay(frames: Int)
  }

  struct Edge {
    var id: Int
    var source: Int
    var target: Int
    /// Whether the edge carries the input of its source.
    var isDry = false
    var gain: Gain
    /// The gain to which the next cycle fades.
    var wanted: Float
    /// The edit that disconnected it.
    var leavingEdit: Int?
    /// The last edit after which the gain rested at 0.
    var silentEdit = 0
  }

  /// The nodes; the first two are the mix and the output.
  private(set) var nodes: [Node?] = [.sum, .sum]
  var edges: [Edge] = []
  private var leaving: Set<Int> = []
  private var bypassed: Set<Int> = []
  /// The nodes that rendered after the previous edit.
  private var wasHeard: Set<Int> = [0, 1]
  /// Those of them whose output was used, not only their input.
  private var wasRendered: Set<Int> = [0, 1]
  private var edit = 1
  private var nextEdge = 1
  private var births: [UInt64] = [0, 0]
  var hasRendered = false
  var frame: UInt64 = 0
  /// The inputs of the delays, and the frame after their last one.
  var lines: [Int: (end: UInt64, samples: [Float])] = [:]
  /// The frames before the fades of the next cycle.
  var warmUpFrames = 0

  static let (mix, output) = (0, 1)

  init() {
    connect(Self.mix, to: Self.output)
    edges[0].gain = Gain(1)
    end()
  }

  mutating func add(_ node: Node) -> Int {
    if !hasRendered { (wasHeard, wasRendered) = ([], []) }
    nodes.append(node)
    births.append(frame)
    if case .generator = node { connect(nodes.count - 1, to: Self.mix) }
    end()
    return nodes.count - 1
  }

  // MARK: Questions

  /// The nodes that can be removed or connected.
  var present: [Int] { nodes.indices.filter { nodes[$0] != nil && !leaving.contains($0) } }

  func isGenerator(_ node: Int) -> Bool {
    if case .generator = nodes[node] { true } else { false }
  }

  func isDelay(_ node: Int) -> Bool {
    if case .delay = nodes[node] { true } else { false }
  }

  /// Returns true for an effect that can be bypassed.
  func isEffect(_ node: Int) -> Bool {
    switch nodes[node] {
    case .effect, .builtIn: true
    case .sum, .generator, .delay, nil: false
    }
  }

  func isBypassed(_ node: Int) -> Bool { bypassed.contains(node) }

  /// Returns the frames that a generator has rendered.
  func age(_ node: Int) -> UInt64 { frame - births[node] }

  func isConnected(_ source: Int, to target: Int) -> Bool {
    edges.contains { $0.source == source && $0.target == target && $0.leavingEdit == nil }
  }

  /// The edges that do not fade out, between nodes that are present.
  var connected: [Edge] {
    edges.filter { $0.leavingEdit == nil && !leaving.contains($0.target) }
  }

  /// Returns true if an edge would close a loop without a delay.
  func closes(_ source: Int, to target: Int) -> Bool {
    isDelay(target) ? false : reaches(source, from: target) { !isDelay($0) }
  }

  /// Returns true for a node of a feedback loop.
  func isInLoop(_ node: Int) -> Bool { loop(of: node).contains(node) }

  private func reaches(
    _ node: Int, from start: Int, through isOpen: (Int) -> Bool = { _ in true }
  ) -> Bool {
    var reached: Set<Int> = []
    var next = [start]
    while let last = next.popLast() {
      if last == node { return true }
      if reached.insert(last).inserted {
        next += edges.filter { $0.source == last && isOpen($0.target) }.map(\.target)
      }
    }
    return false
  }

  // MARK: Edits

  mutating func connect(_ source: Int, to target: Int, gain: Float = 1) {
    let isDry = isBypassed(source)
    if let index = edges.lastIndex(where: {
      $0.source == source && $0.target == target && $0.isDry == isDry
    }) {
      edges[index].leavingEdit = nil
      edges[index].wanted = gain
      return
    }
    let begins =
      isGenerator(source) && !wasHeard.contains(source)
      || !isDelay(source) && !wasHeard.contains(target)
    edges.append(
      Edge(
        id: nextEdge, source: source, target: target, isDry: isDry,
        gain: Gain(begins ? gain : 0), wanted: gain))
    nextEdge += 1
  }

  mutating func toggleBypass(_ node: Int) {
    bypassed.formSymmetricDifference([node])
    let old = edges.filter { $0.source == node && $0.leavingEdit == nil }
    for edge in old {
      if wasHeard.contains(edge.target) {
        let index = edges.firstIndex { $0.id == edge.id }!
        (edges[index].leavingEdit, edges[index].wanted) = (edit, 0)
      } else {
        edges.removeAll { $0.id == edge.id }
      }
      connect(node, to: edge.target, gain: edge.wanted)
    }
    if !hasRendered { edges.removeAll { $0.leavingEdit != nil } }
  }

  mutating func disconnect(_ source: Int, from target: Int) {
    for index in edges.indices
    where edges[index].source == source && edges[index].target == target
      && edges[index].leavingEdit == nil
    {
      edges[index].leavingEdit = edit
      edges[index].wanted = 0
    }
    if !hasRendered { edges.removeAll { $0.leavingEdit != nil } }
  }

  mutating func setGain(_ gain: Float, _ source: Int, to target: Int) {
    for index in edges.indices
    where edges[index].source == source && edges[index].target == target
      && edges[index].leavingEdit == nil
    {
      edges[index].wanted = gain
    }
  }

  mutating func remove(_ node: Int) {
    for target in Set(edges.filter { $0.source == node }.map(\.target)) {
      disconnect(node, from: target)
    }
    leaving.insert(node)
  }

  /// Drops the edges that have faded out, as every call does that reads the graph or the rate: an edit, and each
  /// cycle of an OfflineOutput. So an effect that loses its last edge begins at rest again.
  mutating func dropFaded() {
    if edges.contains(where: hasFaded) { end() }
  }

  private func hasFaded(_ edge: Edge) -> Bool {
    edge.leavingEdit.map { edge.silentEdit >= $0 } ?? false
  }

  /// Begins an edit.
  mutating func begin() {
    dropFaded()
    prune()
    if !hasRendered { (wasHeard, wasRendered) = ([], []) }
  }

  /// Ends an edit.
  mutating func end() {
    prune()
    if !hasRendered {
      for index in edges.indices { edges[index].gain = Gain(edges[index].wanted) }
    }
    warmUpFrames = max(warmUpFrames, warmUp())
    wasHeard = heard()
    wasRendered = wasHeard.subtracting(bypassed)
    for edge in edges where !edge.isDry && wasHeard.contains(edge.target) {
      wasRendered.insert(edge.source)
    }
    edit += 1
  }

  private mutating func prune() {
    edges.removeAll(where: hasFaded)
    for node in leaving where !edges.contains(where: { $0.source == node }) {
      leaving.remove(node)
      nodes[node] = nil
      lines[node] = nil
      edges.removeAll { $0.target == node }
    }
    let heard = heard()
    wasHeard.formIntersection(heard)
    wasRendered.formIntersection(heard)
    edges.removeAll { !heard.contains($0.target) && $0.leavingEdit != nil }
    for index in edges.indices where !heard.contains(edges[index].target) {
      edges[index].gain = Gain(edges[index].wanted)
    }
  }

  /// Returns the nodes that lead to the output, and the generators.
  func heard() -> Set<Int> {
    var heard: Set<Int> = []
    var next = [Self.output] + nodes.indices.filter { nodes[$0] != nil && isGenerator($0) }
    while let node = next.popLast() {
      guard heard.insert(node).inserted else { continue }
      next += edges.filter { $0.target == node }.map(\.source)
    }
    return heard
  }

  /// Returns the longest sum of the delays on a path through new nodes. A path through a loop includes all its delays.
  private func warmUp() -> Int {
    let heard = heard()
    func isNew(_ node: Int) -> Bool { !wasRendered.contains(node) }
    if !heard.contains(where: { isDelay($0) && isNew($0) }) { return 0 }
    func delay(_ node: Int) -> Int {
      if isNew(node), case .delay(let frames) = nodes[node] { frames } else { 0 }
    }
    var known: [Int: Int] = [:]
    func frames(into node: Int) -> Int {
      if let frames = known[node] { return frames }
      let loop = loop(of: node)
      let together = loop.union([node])
      let longest =
        edges.filter { together.contains($0.target) && !loop.contains($0.source) }
        .map(frames(after:)).max() ?? 0
      let sum = longest + loop.reduce(0) { $0 + delay($1) }
      for node in together { known[node] = sum }
      return sum
    }
    func frames(after edge: Edge) -> Int {
      if edge.isDry { return frames(into: edge.source) }
      if !isNew(edge.source) { return 0 }
      return frames(into: edge.source) + (isInLoop(edge.source) ? 0 : delay(edge.source))
    }
    return
      edges.filter { heard.contains($0.target) && $0.leavingEdit == nil }
      .map(frames(after:)).max() ?? 0
  }

  /// Returns the nodes that lead to a node and to which it leads.
  private func loop(of node: Int) -> Set<Int> {
    func reached(_ next: (Int) -> [Int]) -> Set<Int> {
      var reached: Set<Int> = []
      var open = next(node)
      while let last = open.popLast() {
        if reached.insert(last).inserted { open += next(last) }
      }
      return reached
    }
    return reached { last in edges.filter { $0.source == last }.map(\.target) }
      .intersection(reached { last in edges.filter { $0.target == last }.map(\.source) })
  }

  /// Records the edges that rest at 0 after a cycle.
  mutating func noteSilence(of indices: [Int]) {
    for index in indices where edges[index].gain.isStill(at: 0) {
      edges[index].silentEdit = edit - 1
    }
  }
}
