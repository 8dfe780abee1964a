// SPDX-License-Identifier: MIT

extension GraphModel {
  /// Throws if a node is not in this graph.
  func check(_ node: GraphNode) throws(ProcessingGraphError) {
    if !contains(node.storage) { throw .unknownNode(node.name) }
  }

  /// Returns the edges between two nodes, at least one.
  ///
  /// - Parameter isLeaving: returns true for an edge that fades out. Such edges are ignored.
  func edges(
    from source: GraphNode, to target: GraphNode,
    without isLeaving: (EdgeStorage) -> Bool = { $0.leavingSerial != nil }
  ) throws(ProcessingGraphError) -> [EdgeStorage] {
    try check(source)
    try check(target)
    let edges = links.outOf(source.storage).filter {
      $0.target === target.storage && !isLeaving($0)
    }
    if edges.isEmpty { throw .notConnected(from: source.name, to: target.name) }
    return edges
  }

  /// Schedules a gain of edges.
  ///
  /// - Parameter frame: the next frame to render.
  /// - Returns: false if the edges need a new plan for it.
  func schedule(
    _ event: GainSchedule.Event, from source: GraphNode, to target: GraphNode, now frame: UInt64
  ) throws(ProcessingGraphError) -> Bool {
    let edges = try edges(from: source, to: target)
    for edge in edges {
      edge.settle(at: frame)
      if let last = edge.scheduled.last, last.frame > event.frame {
        throw .notInOrder(
          from: source.name, to: target.name, frame: event.frame, lastFrame: last.frame)
      }
      if !edge.hasRoomInSchedule { throw .scheduleFull(from: source.name, to: target.name) }
    }
    let arePlanned = edges.allSatisfy(\.hasSchedule)
    for edge in edges {
      edge.makeSchedule()
      _ = edge.append(event)
    }
    return arePlanned
  }
}
