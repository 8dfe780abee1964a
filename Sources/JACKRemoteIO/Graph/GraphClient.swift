// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc

/// The client that a graph is read with. All of it is for the graph's control thread.
@safe
final class GraphClient: @unchecked Sendable {
  private let handle: OpaquePointer
  private let signals: GraphSignals

  private init(handle: OpaquePointer, signals: GraphSignals) {
    unsafe self.handle = handle
    self.signals = signals
  }

  static func open(
    _ configuration: RemoteIO.Configuration, signals: GraphSignals, watches: Bool
  ) throws(RemoteIOError) -> GraphClient {
    let server = configuration.resolvedServerName
    LibraryMessages.install()
    var status = jack_status_t(rawValue: 0)
    guard
      let handle = unsafe cjack_client_open(
        configuration.clientName, JackNoStartServer, &status, configuration.serverName)
    else {
      if status.rawValue & JackServerFailed.rawValue != 0 { throw .serverNotRunning(server) }
      throw .openRefused(
        server: server, client: configuration.clientName, status: status.rawValue)
    }
    unsafe signals.watchEnd(handle)
    if watches {
      unsafe signals.watch(handle)
      // Only clients that are active are told of anything. One without a process callback has no cycle, and
      // needs none where the server's end is told.
      if Client.mayLoseServerSilently { unsafe signals.watchCycles(handle) }
      guard unsafe jack_activate(handle) == 0 else {
        unsafe jack_client_close(handle)
        throw .activationRefused(server: server, client: configuration.clientName)
      }
    }
    return unsafe GraphClient(handle: handle, signals: signals)
  }

  func close() {
    unsafe jack_client_close(handle)
  }

  /// All ports, in the server's order, without their metadata.
  func read() -> JACKGraph.Snapshot {
    var snapshot = unsafe JACKGraph.Snapshot(
      sampleRate: Double(jack_get_sample_rate(handle)),
      bufferSize: Int(jack_get_buffer_size(handle)), ports: [])
    unsafe Self.forEachName(in: jack_get_ports(handle, nil, nil, 0)) { name in
      // One that has gone meanwhile is no longer there.
      guard let port = unsafe jack_port_by_name(handle, name) else { return }
      unsafe snapshot.ports.append(self.port(port, name: name))
    }
    return snapshot
  }

  private func port(_ port: OpaquePointer, name: String) -> JACKGraph.Port {
    let flags = unsafe UInt32(truncatingIfNeeded: jack_port_flags(port))
    func has(_ flag: JackPortFlags) -> Bool { flags & flag.rawValue != 0 }
    let typeName = unsafe jack_port_type(port).map { unsafe String(cString: $0) } ?? ""
    var connections: [String] = []
    unsafe Self.forEachName(in: jack_port_get_all_connections(handle, port)) {
      connections.append($0)
    }
    return unsafe JACKGraph.Port(
      name: name, uuid: jack_port_uuid(port), aliases: PortAliases.read(port),
      direction: has(JackPortIsInput) ? .input : .output, type: .init(jackName: typeName),
      isPhysical: has(JackPortIsPhysical), isTerminal: has(JackPortIsTerminal),
      canMonitor: has(JackPortCanMonitor),
      captureLatency: Self.latency(of: port, JackCaptureLatency),
      playbackLatency: Self.latency(of: port, JackPlaybackLatency),
      connections: connections, properties: [])
  }

  private static func latency(
    of port: OpaquePointer, _ mode: jack_latency_callback_mode_t
  ) -> ClosedRange<Int> {
    var range = jack_latency_range_t()
    unsafe jack_port_get_latency_range(port, mode, &range)
    return Int(range.min)...Int(max(range.min, range.max))
  }

  /// Takes each of a list of names that libjack has allocated, and frees the list.
  private static func forEachName(
    in names: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ body: (String) -> Void
  ) {
    guard let names = unsafe names else { return }
    defer { unsafe jack_free(names) }
    var index = 0
    while let name = unsafe names[index] {
      unsafe body(String(cString: name))
      index += 1
    }
  }

  /// Makes the connections that are not there, and waits for all of them.
  func connect(_ connections: [JACKGraph.Connection]) throws(JACKGraphError) {
    let deadline = Deadline(nanosecondsFromNow: 1_000_000_000)
    for connection in connections where !isConnected(connection) {
      let answer = unsafe jack_connect(handle, connection.output, connection.input)
      guard answer == 0 || answer == EEXIST else { throw .refused(connection) }
    }
    // `jack_connect` only asks; a server can even say yes and refuse (`jackd -a e`).
    for connection in connections where !waits(until: deadline, { isConnected(connection) }) {
      throw .refused(connection)
    }
  }

  func disconnect(_ connections: [JACKGraph.Connection]) throws(JACKGraphError) {
    let deadline = Deadline(nanosecondsFromNow: 1_000_000_000)
    for connection in connections {
      // It may be broken already by who had it; the graph decides, below.
      _ = unsafe jack_disconnect(handle, connection.output, connection.input)
    }
    for connection in connections where !waits(until: deadline, { !isConnected(connection) }) {
      throw .notBroken(connection)
    }
  }

  private func waits(until deadline: Deadline, _ condition: () -> Bool) -> Bool {
    while !condition() {
      if deadline.hasPassed || signals.isShutDown { return false }
      usleep(1000)
    }
    return true
  }

  private func isConnected(_ connection: JACKGraph.Connection) -> Bool {
    guard let output = unsafe jack_port_by_name(handle, connection.output) else { return false }
    return unsafe jack_port_connected_to(output, connection.input) != 0
  }
}
