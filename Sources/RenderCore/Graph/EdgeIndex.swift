// SPDX-License-Identifier: MIT

/// The edges of a graph by their source and by their target. It is made once for each list of edges, so that an edit of a
/// large graph does not search that list for each node.
final class EdgeIndex {
  private let incoming: Lists
  private let outgoing: Lists
  /// The nodes that render, by slot; see ``GraphModel/heard()``.
  var heard: [Bool]?
  /// See ``GraphModel/loops``.
  var loops: GraphLoops?

  /// - Parameter slotCount: larger than the slot of every node.
  init(_ edges: [EdgeStorage], slotCount: Int) {
    incoming = Lists(edges, slotCount: slotCount) { $0.target.slot }
    outgoing = Lists(edges, slotCount: slotCount) { $0.source.slot }
  }

  /// Returns the edges into a node, in the order in which they were connected.
  func into(_ node: NodeStorage) -> ArraySlice<EdgeStorage> { incoming[node.slot] }

  /// Returns the edges out of a node, in the order in which they were connected.
  func outOf(_ node: NodeStorage) -> ArraySlice<EdgeStorage> { outgoing[node.slot] }

  /// A list of edges for each slot, all lists contiguous.
  private struct Lists {
    private var starts: [Int]
    private var edges: [EdgeStorage]

    init(_ all: [EdgeStorage], slotCount: Int, slot: (EdgeStorage) -> Int) {
      starts = [Int](repeating: 0, count: slotCount + 1)
      for edge in all { starts[slot(edge) + 1] += 1 }
      for index in 0..<slotCount { starts[index + 1] += starts[index] }
      edges = all
      var next = starts
      for edge in all {
        edges[next[slot(edge)]] = edge
        next[slot(edge)] += 1
      }
    }

    subscript(slot: Int) -> ArraySlice<EdgeStorage> { edges[starts[slot]..<starts[slot + 1]] }
  }
}
