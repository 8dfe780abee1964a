// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc

extension RemoteIO {
  /// The configuration of a unit: names, the server, and the connections.
  public struct Configuration: Sendable, Equatable {
    /// The wanted client name. The server makes it unique by appending `-01` and so on; read back
    /// ``RemoteIO/clientName``.
    public var clientName: String
    /// The server's name (`jackd -n`). nil: `JACK_DEFAULT_SERVER` of the environment, or `default`.
    /// PipeWire has one server and ignores the name.
    public var serverName: String?
    /// Whether libjack may start a server when none runs, as configured in `~/.jackdrc`. Off by default:
    /// a broken `~/.jackdrc` makes the open wait for seconds.
    public var startsServer: Bool
    /// The names of the output ports, one mono port each, in channel order. They should not change from run to
    /// run: session managers reconnect by name.
    public var outputPortNames: [String]
    /// The ports to which the output ports are connected when the output starts.
    public var connection: ConnectionPolicy
    /// The names of the input ports, one mono port each, in channel order: `in_1` and so on by custom. None by
    /// default.
    public var inputPortNames: [String]
    /// The ports to which the input ports are connected when the unit starts. None by default: a microphone
    /// opened unasked, beside a loudspeaker, howls. Never this client's own outputs.
    public var inputConnection: ConnectionPolicy
    /// Whether a monitor, a callback or edges of the renderer's graph lead inputs to outputs within a cycle.
    /// Latency then adds up through this client: an output's latency is that of the inputs that reach it plus
    /// that of the graph between (`ProcessingGraph.inputRouting`), and follows edits of the graph. Otherwise,
    /// and by default, the ports are ends of the signal path (`JackPortIsTerminal`).
    public var passesInputsOn = false

    /// Groups of output ports, each a bus. Published to other programs as metadata.
    public var outputGroups: [PortGroup] = []
    /// Groups of input ports, as ``outputGroups``.
    public var inputGroups: [PortGroup] = []

    /// Whether the unit sets metadata when it starts: display names, such as `Left output`, order and signal
    /// type of the ports, and the client's icon. They are removed when it is closed. If the server does not
    /// accept them, a note reports it.
    public var setsMetadata: Bool
    /// Whether rendering follows the server's transport. Cycles receive its position (`RenderCycle.transport`).
    /// Before it rolls, the transport waits until the sources that follow it are ready
    /// (`SourceControl.followsTransport`, `PlayerConfiguration.followsTransport`), up to the server's limit:
    /// 2 s unless changed (`jack_set_sync_timeout`). Off by default.
    public var followsTransport = false
    /// Whether a started unit attaches by itself to the next server of the same name when its own has ended:
    /// with the same ports and connections, and going on where it was. See ``RemoteIO``. It does not start a
    /// server.
    public var reattaches: Bool

    /// Creates a configuration with these values.
    public init(
      clientName: String = "drawbar", serverName: String? = nil, startsServer: Bool = false,
      outputPortNames: [String] = ["out_1", "out_2"], connection: ConnectionPolicy = .automatic,
      inputPortNames: [String] = [], inputConnection: ConnectionPolicy = .none,
      setsMetadata: Bool = true,
      reattaches: Bool = true
    ) {
      self.clientName = clientName
      self.serverName = serverName
      self.startsServer = startsServer
      self.outputPortNames = outputPortNames
      self.connection = connection
      self.inputPortNames = inputPortNames
      self.inputConnection = inputConnection
      self.setsMetadata = setsMetadata
      self.reattaches = reattaches
    }

    /// The server name that libjack will use.
    var resolvedServerName: String {
      if let serverName { return serverName }
      if let value = unsafe getenv("JACK_DEFAULT_SERVER") {
        let name = unsafe String(cString: value)
        if !name.isEmpty { return name }
      }
      return "default"
    }

    /// Checks names before libjack does, which truncates or refuses them without a reason.
    func validate() throws(RemoteIOError) {
      // jack2 takes 63 bytes; the size that it reports, the zero included, is 64 or 65 by release.
      try Self.check(
        clientName, limit: min(63, Int(jack_client_name_size()) - 1),
        error: RemoteIOError.invalidClientName)
      // Server names become parts of paths in /dev/shm. 64 bytes keep the longest of them, a socket
      // address, within its 108 (unix(7)).
      if let serverName {
        try Self.check(serverName, limit: 64, error: RemoteIOError.invalidServerName)
        if serverName.utf8.contains(UInt8(ascii: "/")) {
          throw .invalidServerName(serverName, "it contains '/'")
        }
      }
      if outputPortNames.isEmpty && inputPortNames.isEmpty { throw .noPorts }
      // The server may append three bytes to the client's name to make it unique.
      let limit = min(319, Int(jack_port_name_size()) - 1) - clientName.utf8.count - 3 - 1
      var seen: Set<String> = []
      for name in outputPortNames + inputPortNames {
        try Self.check(name, limit: limit, error: RemoteIOError.invalidPortName)
        if !seen.insert(name).inserted {
          throw .invalidPortName(name, "two ports have this name")
        }
      }
      for (groups, count) in [
        (outputGroups, outputPortNames.count), (inputGroups, inputPortNames.count),
      ] {
        for group in groups
        where group.ports.isEmpty || group.ports.lowerBound < 0 || group.ports.upperBound > count {
          throw .invalidGroup(group.name, ports: count)
        }
      }
      try connection.validate()
      try inputConnection.validate()
    }

    private static func check(
      _ name: String, limit: Int, error: (String, String) -> RemoteIOError
    ) throws(RemoteIOError) {
      if name.isEmpty { throw error(name, "it is empty") }
      if name.utf8.count > limit {
        throw error(name, "it has \(name.utf8.count) bytes, at most \(limit) fit")
      }
      if name.utf8.contains(UInt8(ascii: ":")) {
        throw error(name, "it contains ':', which separates client and port")
      }
      if name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
        throw error(name, "it contains a control character")
      }
    }
  }
}
