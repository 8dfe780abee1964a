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

    /// A configuration with these values.
    public init(
      clientName: String = "drawbar", serverName: String? = nil, startsServer: Bool = false,
      outputPortNames: [String] = ["out_1", "out_2"], connection: ConnectionPolicy = .automatic
    ) {
      self.clientName = clientName
      self.serverName = serverName
      self.startsServer = startsServer
      self.outputPortNames = outputPortNames
      self.connection = connection
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
      if outputPortNames.isEmpty { throw .noOutputPorts }
      // The server may append three bytes to the client's name to make it unique.
      let limit = min(319, Int(jack_port_name_size()) - 1) - clientName.utf8.count - 3 - 1
      var seen: Set<String> = []
      for name in outputPortNames {
        try Self.check(name, limit: limit, error: RemoteIOError.invalidPortName)
        if !seen.insert(name).inserted {
          throw .invalidPortName(name, "two ports have this name")
        }
      }
      try connection.validate()
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
