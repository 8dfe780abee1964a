// SPDX-License-Identifier: MIT

extension JACKGraph {
  /// A difference between two snapshots of a graph. A renamed port is reported as a removed and an added port.
  public enum Change: Sendable, Equatable {
    /// A new port. Its connections are reported separately.
    case portAdded(Port)
    /// A removed port. Its connections are reported before.
    case portRemoved(Port)
    /// A port with changed latencies, aliases, flags or metadata.
    case portChanged(Port)
    /// A new connection.
    case connected(Connection)
    /// A removed connection.
    case disconnected(Connection)
  }
}

extension JACKGraph.Snapshot {
  /// Returns the changes since an earlier snapshot, in an order in which they could have happened: removals,
  /// additions, then changed ports.
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
