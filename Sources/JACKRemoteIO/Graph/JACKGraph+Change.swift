// SPDX-License-Identifier: MIT

extension JACKGraph {
  /// What differs between two looks at a graph. A port that was renamed is told as one that went and one
  /// that came.
  public enum Change: Sendable, Equatable {
    /// There is a new port. Its connections are told apart.
    case portAdded(Port)
    /// A port is gone, and its connections are told before.
    case portRemoved(Port)
    /// A port has other latencies, aliases, flags or metadata.
    case portChanged(Port)
    /// There is a new connection.
    case connected(Connection)
    /// A connection is gone.
    case disconnected(Connection)
  }
}

extension JACKGraph.Snapshot {
  /// What has changed since an earlier look, in an order in which it could have happened: what went, what
  /// came, and then what is otherwise now.
  public func changes(since earlier: JACKGraph.Snapshot) -> [JACKGraph.Change] {
    let before = earlier.connections
    let now = connections
    let (beforeSet, nowSet) = (Set(before), Set(now))
    let old = Dictionary(earlier.ports.map { ($0.name, $0) }) { first, _ in first }
    let new = Dictionary(ports.map { ($0.name, $0) }) { first, _ in first }
    // A port of another kind is another port, whatever its name.
    func isSame(_ one: JACKGraph.Port?, _ other: JACKGraph.Port?) -> Bool {
      guard let one, let other else { return false }
      return one.direction == other.direction && one.type == other.type
    }
    var changes: [JACKGraph.Change] = []
    changes += before.filter { !nowSet.contains($0) }.map { .disconnected($0) }
    changes += earlier.ports.filter { !isSame($0, new[$0.name]) }.map { .portRemoved($0) }
    changes += ports.filter { !isSame(old[$0.name], $0) }.map { .portAdded($0) }
    changes += now.filter { !beforeSet.contains($0) }.map { .connected($0) }
    changes += ports.filter { port in
      guard var known = old[port.name], isSame(known, port) else { return false }
      known.connections = port.connections
      known.uuid = port.uuid
      return known != port
    }.map { .portChanged($0) }
    return changes
  }
}
