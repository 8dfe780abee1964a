// SPDX-License-Identifier: MIT

extension JACKGraph {
  /// One connection, by the full names of its ports.
  public struct Connection: Sendable, Hashable {
    /// The output port.
    public var output: String
    /// The input port that it feeds.
    public var input: String

    /// Creates a connection between two ports.
    public init(output: String, input: String) {
      self.output = output
      self.input = input
    }
  }

  /// The state of a graph at one time.
  public struct Snapshot: Sendable, Equatable {
    /// The server's frames per second.
    public var sampleRate: Double
    /// Frames in the server's cycle.
    public var bufferSize: Int
    /// All ports, in the server's order.
    public var ports: [Port]

    /// Creates a snapshot with these ports.
    public init(sampleRate: Double, bufferSize: Int, ports: [Port]) {
      self.sampleRate = sampleRate
      self.bufferSize = bufferSize
      self.ports = ports
    }

    /// All connections: those of the first output first.
    public var connections: [Connection] {
      ports.filter { $0.direction == .output }.flatMap { port in
        port.connections.map { Connection(output: port.name, input: $0) }
      }
    }

    /// Returns the ports whose full name or alias matches a POSIX extended regular expression anywhere.
    ///
    /// - Throws: ``JACKGraphError/invalidPattern(_:_:)`` when it is not a regular expression.
    public func ports(matching pattern: String) throws(JACKGraphError) -> [Port] {
      do throws(RemoteIOError) {
        let expression = try PortPattern(pattern)
        var matching: [Port] = []
        for port in ports {
          var isMatch = expression.matches(port.name)
          for alias in port.aliases where expression.matches(alias) { isMatch = true }
          if isMatch { matching.append(port) }
        }
        return matching
      } catch .invalidConnection(_, let why) {
        throw .invalidPattern(pattern, why)
      } catch {
        throw .server(error)
      }
    }

    /// Returns the connections that join two ends, each a port or a client, in either order.
    func pairs(_ first: String, _ second: String) throws(JACKGraphError) -> [Connection] {
      try requirePresence(first, second)
      var hasEnds = false
      for (output, input) in [(first, second), (second, first)] {
        let outputs = ends(output, .output)
        let inputs = ends(input, .input)
        if outputs.isEmpty || inputs.isEmpty { continue }
        hasEnds = true
        var pairs: [Connection] = []
        var free = inputs
        for port in outputs {
          guard let index = free.firstIndex(where: { $0.type == port.type }) else { continue }
          pairs.append(Connection(output: port.name, input: free.remove(at: index).name))
        }
        if !pairs.isEmpty { return pairs }
      }
      throw hasEnds ? .typesDiffer(first, second) : .noOutputAndInput(first, second)
    }

    /// Returns the connections between two ends, or all of one end.
    func connections(
      _ first: String, _ second: String?
    ) throws(JACKGraphError) -> [Connection] {
      try requirePresence(first, second)
      func names(_ end: String?, _ direction: Port.Direction) -> Set<String>? {
        end.map { Set(ends($0, direction).map(\.name)) }
      }
      var result: [Connection] = []
      for (output, input) in [(first, second), (second, first)] {
        let outputs = names(output, .output)
        let inputs = names(input, .input)
        result += connections.filter {
          outputs?.contains($0.output) != false && inputs?.contains($0.input) != false
            && !result.contains($0)
        }
      }
      if result.isEmpty { throw .notConnected(first, second) }
      return result
    }

    private func requirePresence(_ names: String?...) throws(JACKGraphError) {
      for case .some(let name) in names
      where ends(name, .output).isEmpty && ends(name, .input).isEmpty {
        throw .noSuchPort(name)
      }
    }

    /// Returns the port with this name or alias; else the ports of the client with this name.
    private func ends(_ name: String, _ direction: Port.Direction) -> [Port] {
      let named = ports.filter { $0.name == name }
      let known = named.isEmpty ? ports.filter { $0.aliases.contains(name) } : named
      let all = known.isEmpty ? ports.filter { $0.client == name } : known
      return all.filter { $0.direction == direction }
    }
  }
}
