// SPDX-License-Identifier: MIT

extension RemoteIO {
  /// One connection between two ports, by their full names.
  public struct PortConnection: Sendable, Equatable {
    /// The output port: ours.
    public var output: String
    /// The input port that it feeds.
    public var input: String
  }

  /// What starting an output has connected.
  public struct ConnectionReport: Sendable, Equatable {
    /// Connections that exist: each was looked up after it was made.
    public var connections: [PortConnection]
    /// One line for each thing that was left unconnected and why; empty when all fits.
    public var notes: [String]
  }
}

/// An audio input port of the server.
struct InputPort: Sendable, Equatable {
  var name: String
  var aliases: [String] = []
  var isPhysical: Bool

  /// The part of the name before the first ':'. Client names have none.
  var client: Substring { name.prefix { $0 != ":" } }
}

/// Which outputs go to which inputs: a decision without a server.
struct ConnectionPlan: Equatable {
  var connections: [RemoteIO.PortConnection] = []
  var notes: [String] = []

  /// - Parameters:
  ///   - outputs: full names of our output ports, in channel order.
  ///   - inputs: the server's audio input ports, in its order, without our own.
  ///   - isUnderSessionManager: whether a session manager restores connections.
  init(
    policy: RemoteIO.ConnectionPolicy, outputs: [String], inputs: [InputPort],
    isUnderSessionManager: Bool
  ) throws(RemoteIOError) {
    switch policy {
    case .none: return
    case .automatic:
      if isUnderSessionManager {
        notes.append("not connected: the session manager (NSM_URL) restores the connections")
        return
      }
      let targets = Self.firstClient(of: inputs.filter(\.isPhysical))
      if targets.isEmpty {
        notes.append("not connected: the server has no physical playback port")
        return
      }
      pair(outputs, with: targets)
    case .pattern(let pattern):
      let targets = try Self.match(pattern, inputs)
      if targets.isEmpty { throw .noMatchingPorts(pattern: pattern) }
      pair(outputs, with: targets)
    case .ports(let names):
      var targets: [String] = []
      for name in names {
        let port = inputs.first { $0.name == name } ?? inputs.first { $0.aliases.contains(name) }
        guard let port else { throw .noSuchPort(name) }
        targets.append(port.name)
      }
      if outputs.count > 1, targets.count > outputs.count {
        throw .tooManyPorts(named: targets.count, outputs: outputs.count)
      }
      pair(outputs, with: targets, mono: targets.count)
    }
  }

  private mutating func pair(_ outputs: [String], with inputs: [String], mono: Int = 2) {
    if outputs.count == 1 {
      connections = inputs.prefix(mono).map { .init(output: outputs[0], input: $0) }
      return
    }
    connections = zip(outputs, inputs).map { .init(output: $0, input: $1) }
    if outputs.count > inputs.count {
      let rest = outputs.dropFirst(inputs.count).joined(separator: ", ")
      notes.append(
        "\(outputs.count) outputs but \(inputs.count) ports to connect to: \(rest) not connected")
    }
  }

  private static func match(
    _ pattern: String, _ inputs: [InputPort]
  ) throws(RemoteIOError) -> [String] {
    if let port = inputs.first(where: { $0.name == pattern || $0.aliases.contains(pattern) }) {
      return [port.name]
    }
    let ofClient = inputs.filter { $0.client == pattern }
    if !ofClient.isEmpty { return ofClient.map(\.name) }
    let expression = try PortPattern(pattern)
    var matching: [InputPort] = []
    for port in inputs where expression.matches(port.name) { matching.append(port) }
    return firstClient(of: matching)
  }

  /// The ports of one client only: PipeWire lists those of every card.
  private static func firstClient(of ports: [InputPort]) -> [String] {
    guard let client = ports.first?.client else { return [] }
    return ports.filter { $0.client == client }.map(\.name)
  }
}
