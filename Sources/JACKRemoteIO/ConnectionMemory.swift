// SPDX-License-Identifier: MIT

/// One connection of a port of ours to another port.
struct OwnConnection: Sendable, Hashable {
  var direction: ConnectionPlan.Direction
  /// Which of our ports of that direction.
  var channel: Int
  /// The other port's full name.
  var other: String
}

/// Which connections the client has, so that they can be made again when the server is gone and cannot
/// be asked any more. A decision without a server.
struct ConnectionMemory {
  /// What the client had at the last look that counts, and what has come since.
  private var known: Set<OwnConnection>
  /// The last look, and the count of cycles then.
  private var latest: (connections: Set<OwnConnection>, cycle: UInt64)?
  /// What an earlier server had and this one has not yet: another port is not back, or the graph has
  /// not changed yet.
  private(set) var missing: Set<OwnConnection> = []

  /// - Parameter connections: those of the start.
  init(_ connections: Set<OwnConnection> = []) {
    known = connections
  }

  /// Takes in what the graph has.
  ///
  /// What is there counts at once. What is not there any more is forgotten only once a cycle has come after
  /// the look: a server that ends stops its driver, and takes the ports away after that.
  mutating func look(_ connections: Set<OwnConnection>, atCycle cycle: UInt64) {
    confirm(atCycle: cycle)
    latest = (connections, cycle)
    known.formUnion(connections)
    missing.subtract(connections)
  }

  /// Takes in that the server is lost: all that the client had is missing now.
  mutating func lose(atCycle cycle: UInt64) {
    confirm(atCycle: cycle)
    latest = nil
    missing.formUnion(known)
    known = []
  }

  /// Lets go of what does not come back.
  mutating func giveUpMissing() {
    missing = []
  }

  private mutating func confirm(atCycle cycle: UInt64) {
    guard let latest, cycle != latest.cycle else { return }
    known = latest.connections
    self.latest = nil
  }
}
