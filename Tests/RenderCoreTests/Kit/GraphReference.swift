// SPDX-License-Identifier: MIT

@testable import RenderCore

/// A model of a graph of generators and effects. It computes the output frame by frame, without plans, buffers and
/// operations.
struct GraphReference {
  enum Node {
    case sum
    case generator(step: Float)
    case effect(factor: Float)
  }

  struct Edge {
    var id: Int
    var source: Int
    var target: Int
    /// Carries the input of its source.
    var isDry = false
    var gain: Gain
    /// The gain to which the next cycle fades.
    var wanted: Float
    /// The edit that disconnected it.
    var leavingEdit: Int?
    /// The last edit after which the gain rested at 0.
    var silentEdit = 0
  }

  /// The first two are the mix and the output.
  private(set) var nodes: [Node?] = [.sum, .sum]
  private(set) var edges: [Edge] = []
  private var leaving: Set<Int> = []
  private var bypassed: Set<Int> = []
  /// The nodes that rendered after the previous edit.
  private var wasHeard: Set<Int> = [0, 1]
  private var edit = 1
  private var hasRendered = false
  private var nextEdge = 1
  private var frame: UInt64 = 0
  private var births: [UInt64] = [0, 0]

  static let (mix, output) = (0, 1)

  init() {
    connect(Self.mix, to: Self.output)
    edges[0].gain = Gain(1)
    end()
  }

  mutating func add(_ node: Node) -> Int {
    if !hasRendered { wasHeard = [] }
    nodes.append(node)
    births.append(frame)
    if case .generator = node { connect(nodes.count - 1, to: Self.mix) }
    end()
    return nodes.count - 1
  }

  func isConnected(_ source: Int, to target: Int) -> Bool {
    edges.contains { $0.source == source && $0.target == target && $0.leavingEdit == nil }
  }

  /// Returns true if an edge would close a cycle.
  func closes(_ source: Int, to target: Int) -> Bool {
    var reached: Set<Int> = []
    var next = [target]
    while let node = next.popLast() {
      if node == source { return true }
      if reached.insert(node).inserted {
        next += edges.filter { $0.source == node }.map(\.target)
      }
    }
    return false
  }

  mutating func connect(_ source: Int, to target: Int, gain: Float = 1) {
    let isDry = isBypassed(source)
    if let index = edges.lastIndex(where: {
      $0.source == source && $0.target == target && $0.isDry == isDry
    }) {
      edges[index].leavingEdit = nil
      edges[index].wanted = gain
      return
    }
    let isNew = !wasHeard.contains(source) && isGenerator(source)
    let begins = isNew || !wasHeard.contains(target)
    edges.append(
      Edge(
        id: nextEdge, source: source, target: target, isDry: isDry,
        gain: Gain(begins ? gain : 0), wanted: gain))
    nextEdge += 1
  }

  func isBypassed(_ node: Int) -> Bool { bypassed.contains(node) }

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

  /// The nodes that can be removed or connected.
  var present: [Int] { nodes.indices.filter { nodes[$0] != nil && !leaving.contains($0) } }

  func isGenerator(_ node: Int) -> Bool {
    if case .generator = nodes[node] { true } else { false }
  }

  func isEffect(_ node: Int) -> Bool {
    if case .effect = nodes[node] { true } else { false }
  }

  /// An edit begins.
  mutating func begin() {
    prune()
    if !hasRendered { wasHeard = [] }
  }

  /// An edit is over.
  mutating func end() {
    prune()
    if !hasRendered {
      for index in edges.indices { edges[index].gain = Gain(edges[index].wanted) }
    }
    wasHeard = heard()
    edit += 1
  }

  private mutating func prune() {
    edges.removeAll { edge in edge.leavingEdit.map { edge.silentEdit >= $0 } ?? false }
    for node in leaving where !edges.contains(where: { $0.source == node }) {
      leaving.remove(node)
      nodes[node] = nil
      edges.removeAll { $0.target == node }
    }
    let heard = heard()
    wasHeard.formIntersection(heard)
    edges.removeAll { !heard.contains($0.target) && $0.leavingEdit != nil }
    for index in edges.indices where !heard.contains(edges[index].target) {
      edges[index].gain = Gain(edges[index].wanted)
    }
  }

  private func heard() -> Set<Int> {
    var heard: Set<Int> = []
    var next = [Self.output] + nodes.indices.filter { nodes[$0] != nil && isGenerator($0) }
    while let node = next.popLast() {
      guard heard.insert(node).inserted else { continue }
      next += edges.filter { $0.target == node }.map(\.source)
    }
    return heard
  }

  /// A cycle's samples.
  mutating func render(_ frames: Int) -> [Float] {
    hasRendered = true
    for index in edges.indices { edges[index].gain.go(to: edges[index].wanted, frames: 240) }
    let heard = heard()
    // The order of summation: by kind of node, then by edge.
    let order = edges.indices.filter { heard.contains(edges[$0].target) }.sorted {
      (rank(edges[$0].source), edges[$0].id) < (rank(edges[$1].source), edges[$1].id)
    }
    let inputs = nodes.indices.map { node in order.filter { edges[$0].target == node } }
    let result = (0..<frames).map { _ in
      for index in order { edges[index].gain.advance() }
      var known = [Float?](repeating: nil, count: nodes.count)
      let sample = value(of: Self.output, inputs, &known)
      frame += 1
      return sample
    }
    for index in order where edges[index].gain.isStill(at: 0) { edges[index].silentEdit = edit - 1 }
    return result
  }

  private func rank(_ node: Int) -> Int { isGenerator(node) ? 2 : 1 }

  private func value(of node: Int, _ inputs: [[Int]], _ known: inout [Float?]) -> Float {
    if let value = known[node] { return value }
    if case .generator(let step) = nodes[node] { return generated(step, frame - births[node]) }
    var sum = sum(into: node, inputs, &known)
    if case .effect(let factor) = nodes[node] { sum *= factor }
    known[node] = sum
    return sum
  }

  private func sum(into node: Int, _ inputs: [[Int]], _ known: inout [Float?]) -> Float {
    var sum: Float = 0
    for index in inputs[node] {
      let gain = edges[index].gain.value
      if gain == 0 { continue }
      let source = edges[index].source
      sum +=
        gain
        * (edges[index].isDry
          ? self.sum(into: source, inputs, &known) : value(of: source, inputs, &known))
    }
    return sum
  }
}
