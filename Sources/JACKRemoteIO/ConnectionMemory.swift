// SPDX-License-Identifier: MIT

/// One connection of a port of ours to another port.
struct OwnConnection: Sendable, Hashable {
  var direction: ConnectionPlan.Direction
  /// The index of our port in that direction.
  var channel: Int
  /// The other port's full name.
  var other: String
}

/// The client's connections, kept so that they can be restored when the server has ended and can no longer
/// report them. Makes no request to the server.
struct ConnectionMemory {
  /// The connections at the last confirmed reading, and those added since.
  private var known: Set<OwnConnection>
  /// The latest reading, and its cycle count.
  private var latest: (connections: Set<OwnConnection>, cycle: UInt64)?
  /// Connections of an earlier server that this one lacks: the other port is not back, or the graph has not
  /// changed yet.
  private(set) var missing: Set<OwnConnection> = []

  /// - Parameter connections: the initial connections.
  init(_ connections: Set<OwnConnection> = []) {
    known = connections
  }

  /// Records the graph's connections.
  ///
  /// New connections count at once. A vanished connection is forgotten only when a cycle has run after the
  /// reading: a server that ends stops its driver first and removes the ports after that.
  mutating func look(_ connections: Set<OwnConnection>, atCycle cycle: UInt64) {
    confirm(atCycle: cycle)
    latest = (connections, cycle)
    known.formUnion(connections)
    missing.subtract(connections)
  }

  /// Records the loss of the server: all known connections are missing now.
  mutating func lose(atCycle cycle: UInt64) {
    confirm(atCycle: cycle)
    latest = nil
    missing.formUnion(known)
    known = []
  }

  /// Forgets the missing connections.
  mutating func giveUpMissing() {
    missing = []
  }

  private mutating func confirm(atCycle cycle: UInt64) {
    guard let latest, cycle != latest.cycle else { return }
    known = latest.connections
    self.latest = nil
  }
}
