// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc

extension RemoteIO {
  /// What to open: names, the server, and what to connect to.
  public struct Configuration: Sendable, Equatable {
    /// The wanted client name. The server makes it unique by appending `-01` and so on; read back
    /// ``RemoteIO/clientName``.
    public var clientName: String
    /// The server's name (`jackd -n`). nil: `JACK_DEFAULT_SERVER` of the environment, or `default`.
    /// PipeWire has one server and ignores the name.
    public var serverName: String?
    /// Whether libjack may start a server when none runs, as `~/.jackdrc` says. Off by default:
    /// a broken `~/.jackdrc` makes the open wait for seconds.
    public var startsServer: Bool
    /// One mono output port for each, in channel order. They should not change from run to run:
    /// session managers reconnect by name.
    public var outputPortNames: [String]
    /// What the output ports are connected to when the output starts.
    public var connection: ConnectionPolicy
    /// One mono input port for each, in channel order: `in_1` and so on by custom. None by default.
    public var inputPortNames: [String]
    /// What the input ports are connected to when the unit starts. Nothing by default: a microphone that
    /// is opened unasked, beside a loudspeaker, howls. Never to this client's own outputs.
    public var inputConnection: ConnectionPolicy
    /// Whether a monitor, a callback or edges of the renderer's graph lead inputs to outputs within a cycle. Then latency
    /// adds up through this client: that of the outputs is the latency of the inputs that reach them, and that of the
    /// graph between the two (`ProcessingGraph.inputRouting`). An edit of the graph changes it. Otherwise, and by
    /// default, the ports are ends of the signal's way (`JackPortIsTerminal`).
    public var passesInputsOn = false

    /// Ports that belong together, as a bus each: told to other programs, with the metadata.
    public var outputGroups: [PortGroup] = []
    /// As ``outputGroups``, of input ports.
    public var inputGroups: [PortGroup] = []

    /// Whether the ports get metadata when the unit starts: names for people, such as `Left output`, their
    /// order, and that they carry audio; and the client an icon. They are taken back when it is closed. A
    /// server that does not take them is told in a note.
    public var setsMetadata: Bool
    /// Whether what is rendered follows the server's transport: cycles are told where that is
    /// (`RenderCycle.transport`), and it waits, before it rolls, until the sources that follow have their
    /// sound ready (`SourceControl.followsTransport`, `PlayerConfiguration.followsTransport`), as long as the
    /// server lets it: 2 s, if nobody has set another time (`jack_set_sync_timeout`). Off by default.
    public var followsTransport = false
    /// Whether what was started attaches by itself to the next server of the same name when its own has
    /// ended: with the same ports, with the connections that it had, and going on where it was. See
    /// ``RemoteIO``. It does not start a server.
    public var reattaches: Bool

    /// A configuration with these values.
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

    /// Checks names before libjack sees them: it truncates or refuses them without a reason.
    func validate() throws(RemoteIOError) {
      // jack2 takes 63 bytes; what it tells, the zero included, is 64 or 65 by release.
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
