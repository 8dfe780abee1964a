// SPDX-License-Identifier: MIT

extension RemoteIO {
  /// One connection between two ports, by their full names: one of them is ours.
  public struct PortConnection: Sendable, Equatable {
    /// The output port.
    public var output: String
    /// The input port that it feeds.
    public var input: String
  }

  /// The result of connecting a client's ports at its start.
  public struct ConnectionReport: Sendable, Equatable {
    /// Connections that exist: each was looked up after it was made. First those of our outputs.
    public var connections: [PortConnection]
    /// One line with its reason for each shortfall, such as an unconnected port or missing metadata; empty if
    /// there is none.
    public var notes: [String]
    /// Whether the server freewheels. It calls the client and makes the connections when freewheeling ends.
    /// Apart from this flag, only a note reports it.
    public var isServerFreewheeling = false
  }
}

/// An audio port of the server.
struct ServerPort: Sendable, Equatable {
  var name: String
  var aliases: [String] = []
  var isPhysical: Bool
  /// Whether the port belongs to the client that is being connected.
  var isOwn = false

  /// Whether the port monitors a playback port, by the servers' naming. An input connected to it would record
  /// our own output.
  var isMonitor: Bool { name.dropFirst(client.count + 1).hasPrefix("monitor") }

  /// The part of the name before the first ':'. Client names have none.
  var client: Substring { name.prefix { $0 != ":" } }
}

/// The connections between our ports and others, computed without a request to the server.
struct ConnectionPlan: Equatable {
  /// The direction of our ports to connect; the other ports have the opposite one.
  enum Direction {
    case outputs
    case inputs

    var isInput: Bool { self == .inputs }
  }

  private(set) var connections: [RemoteIO.PortConnection] = []
  private(set) var notes: [String] = []
  private let direction: Direction

  /// - Parameters:
  ///   - ours: full names of our ports of this direction, in channel order.
  ///   - others: the server's audio ports of the other kind, in its order.
  ///   - isUnderSessionManager: whether a session manager restores connections.
  init(
    policy: RemoteIO.ConnectionPolicy, direction: Direction, ours: [String], others: [ServerPort],
    isUnderSessionManager: Bool
  ) throws(RemoteIOError) {
    self.direction = direction
    if ours.isEmpty { return }
    // Our own ports would feed back. Only a policy that names one finds it, and throws.
    let candidates = others.filter { !$0.isOwn }
    switch policy {
    case .none: return
    case .automatic:
      if isUnderSessionManager {
        notes.append("not connected: the session manager (NSM_URL) restores the connections")
        return
      }
      let targets = Self.firstClient(
        of: candidates.filter { $0.isPhysical && !(direction.isInput && $0.isMonitor) })
      if targets.isEmpty {
        let kind = direction.isInput ? "capture" : "playback"
        notes.append("not connected: the server has no physical \(kind) port")
        return
      }
      pair(ours, with: targets)
    case .pattern(let pattern):
      let targets = try Self.match(pattern, candidates)
      if targets.isEmpty {
        throw direction.isInput
          ? .noMatchingSourcePorts(pattern: pattern) : .noMatchingPorts(pattern: pattern)
      }
      pair(ours, with: targets)
    case .ports(let names):
      var targets: [String] = []
      for name in names { targets.append(try find(name, in: others)) }
      if ours.count > 1, targets.count > ours.count {
        throw direction.isInput
          ? .tooManySourcePorts(named: targets.count, inputs: ours.count)
          : .tooManyPorts(named: targets.count, outputs: ours.count)
      }
      pair(ours, with: targets, mono: targets.count)
    }
  }

  private func find(_ name: String, in ports: [ServerPort]) throws(RemoteIOError) -> String {
    let port = ports.first { $0.name == name } ?? ports.first { $0.aliases.contains(name) }
    guard let port else { throw direction.isInput ? .noSuchSourcePort(name) : .noSuchPort(name) }
    if port.isOwn { throw .ownPort(port.name) }
    return port.name
  }

  /// - Parameter mono: the number of ports for a single port of ours. By default an output goes to two
  ///   loudspeakers, and an input comes from one microphone.
  private mutating func pair(_ ours: [String], with others: [String], mono: Int? = nil) {
    if ours.count == 1 {
      let count = mono ?? (direction.isInput ? 1 : 2)
      connections = others.prefix(count).map { connection(ours[0], $0) }
      return
    }
    connections = zip(ours, others).map { connection($0, $1) }
    if ours.count > others.count {
      let rest = ours.dropFirst(others.count).joined(separator: ", ")
      let kind = direction.isInput ? "inputs" : "outputs"
      notes.append(
        "\(ours.count) \(kind) but \(others.count) ports to connect to: \(rest) not connected")
    }
  }

  private func connection(_ ours: String, _ other: String) -> RemoteIO.PortConnection {
    direction.isInput ? .init(output: other, input: ours) : .init(output: ours, input: other)
  }

  private static func match(
    _ pattern: String, _ ports: [ServerPort]
  ) throws(RemoteIOError) -> [String] {
    if let port = ports.first(where: { $0.name == pattern || $0.aliases.contains(pattern) }) {
      return [port.name]
    }
    let ofClient = ports.filter { $0.client == pattern }
    if !ofClient.isEmpty { return ofClient.map(\.name) }
    let expression = try PortPattern(pattern)
    var matching: [ServerPort] = []
    for port in ports where expression.matches(port.name) { matching.append(port) }
    return firstClient(of: matching)
  }

  /// Returns the ports of the first client only: PipeWire lists those of every card.
  private static func firstClient(of ports: [ServerPort]) -> [String] {
    guard let client = ports.first?.client else { return [] }
    return ports.filter { $0.client == client }.map(\.name)
  }
}
