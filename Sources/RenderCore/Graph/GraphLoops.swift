// SPDX-License-Identifier: MIT

/// The feedback loops of a graph: nodes that lead to each other. Each loop has at least one delay, which is read before the
/// other nodes of the loop render and written after them.
struct GraphLoops {
  struct Loop {
    /// The nodes, in the order in which they were added.
    let nodes: [NodeStorage]
    /// The loop's delays, and their effects.
    let delays: [(node: NodeStorage, effect: DelayStorage)]

    /// The most frames that the loop can render before its delays need their own output.
    var sliceFrames: Int { delays.map { $0.effect.limits.lowerBound }.min() ?? 0 }
  }

  let all: [Loop]
  /// The index of each node's loop, by slot; nil for nodes outside of loops.
  private let loopIndices: [Int?]

  /// - Parameter isLeaving: returns true for edges to ignore.
  init(_ model: GraphModel, without isLeaving: (EdgeStorage) -> Bool = { _ in false }) {
    var all: [Loop] = []
    var loopIndices: [Int?] = []
    // Most graphs have no delay that can close a loop.
    if !model.loopDelays.isEmpty {
      loopIndices = [Int?](repeating: nil, count: model.slotCount)
      let links = model.links
      for delay in model.loopDelays where loopIndices[delay.slot] == nil {
        let after = Self.reached(from: delay, model) { node in
          links.outOf(node).compactMap { isLeaving($0) ? nil : $0.target }
        }
        if !after[delay.slot] { continue }
        let before = Self.reached(from: delay, model) { node in
          links.into(node).compactMap { isLeaving($0) ? nil : $0.source }
        }
        let nodes = ([model.mix] + model.nodes).filter { after[$0.slot] && before[$0.slot] }
        for node in nodes { loopIndices[node.slot] = all.count }
        all.append(
          Loop(nodes: nodes, delays: nodes.compactMap { node in node.loopDelay.map { (node, $0) } })
        )
      }
    }
    (self.all, self.loopIndices) = (all, loopIndices)
  }

  private static func reached(
    from start: NodeStorage, _ model: GraphModel, _ neighbours: (NodeStorage) -> [NodeStorage]
  ) -> [Bool] {
    var isReached = [Bool](repeating: false, count: model.slotCount)
    var next = neighbours(start)
    while let node = next.popLast() {
      if isReached[node.slot] { continue }
      isReached[node.slot] = true
      next += neighbours(node)
    }
    return isReached
  }

  /// Returns the index of a node's loop.
  func index(of node: NodeStorage) -> Int? { all.isEmpty ? nil : loopIndices[node.slot] }

  /// The delays of all loops.
  var delays: [NodeStorage] { all.flatMap { $0.delays.map(\.node) } }

  /// Returns whether a node is a delay of a loop. The nodes that lead into it render after it is read.
  func isCut(_ node: NodeStorage) -> Bool { index(of: node) != nil && node.loopDelay != nil }
}

extension GraphModel {
  /// The feedback loops, including those of edges that fade out.
  var loops: GraphLoops {
    let links = links
    if let loops = links.loops { return loops }
    let loops = GraphLoops(self)
    links.loops = loops
    return loops
  }
}
