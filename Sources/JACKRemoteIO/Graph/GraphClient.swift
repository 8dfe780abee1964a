// SPDX-License-Identifier: MIT

internal import CJACK

/// The client that reads a graph. Only for the graph's control thread.
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
    try MetadataStore.ofUser.check()
    var status = jack_status_t(rawValue: 0)
    guard
      let handle = unsafe signals.farewell.notifier.opening({
        unsafe cjack_client_open(
          configuration.clientName, JackNoStartServer, &status, configuration.serverName)
      })
    else {
      if status.rawValue & JackServerFailed.rawValue != 0 { throw .serverNotRunning(server) }
      throw .openRefused(
        server: server, client: configuration.clientName, status: status.rawValue)
    }
    unsafe signals.watchEnd(handle)
    if watches {
      unsafe signals.watch(handle)
      // Only active clients are notified. A process callback, and with it cycles, is needed only where the
      // server may end without notice.
      if Client.mayLoseServerSilently { unsafe signals.watchCycles(handle) }
      guard unsafe Activation.activate(handle, unless: { signals.isShutDown }) else {
        unsafe signals.farewell.close(handle)
        throw .activationRefused(server: server, client: configuration.clientName)
      }
    }
    return unsafe GraphClient(handle: handle, signals: signals)
  }

  func close() {
    if signals.isShutDown {
      unsafe signals.farewell.close(handle)
    } else {
      MetadataTurn.take(withinMilliseconds: 300) { _ in unsafe signals.farewell.close(handle) }
    }
  }

  private var graph: GraphAccess {
    let signals = signals
    return unsafe GraphAccess(handle) { signals.isShutDown }
  }

  /// Reads all ports, in the server's order, without their metadata.
  func read() -> JACKGraph.Snapshot {
    unsafe JACKGraph.Snapshot(
      sampleRate: Double(jack_get_sample_rate(handle)),
      bufferSize: Int(jack_get_buffer_size(handle)),
      ports: graph.ports().compactMap { unsafe port($0.port, name: $0.name) }.knowingEachOther)
  }

  /// - Returns: nil for a port that its client has unregistered meanwhile. The server resets such a port's
  ///   flags and type first, and then its name: a port that still has its name at the end was read completely.
  private func port(_ port: OpaquePointer, name: String) -> JACKGraph.Port? {
    let flags = unsafe UInt32(truncatingIfNeeded: jack_port_flags(port))
    func has(_ flag: JackPortFlags) -> Bool { flags & flag.rawValue != 0 }
    let typeName = unsafe jack_port_type(port).map { unsafe String(cString: $0) } ?? ""
    let result = unsafe JACKGraph.Port(
      name: name, uuid: jack_port_uuid(port), aliases: PortAliases.read(port),
      direction: has(JackPortIsInput) ? .input : .output, type: .init(jackName: typeName),
      isPhysical: has(JackPortIsPhysical), isTerminal: has(JackPortIsTerminal),
      canMonitor: has(JackPortCanMonitor),
      captureLatency: Self.latency(of: port, JackCaptureLatency),
      playbackLatency: Self.latency(of: port, JackPlaybackLatency),
      connections: graph.connections(of: port), properties: [])
    return unsafe graph.isPresent(port, named: name) ? result : nil
  }

  private static func latency(
    of port: OpaquePointer, _ mode: jack_latency_callback_mode_t
  ) -> ClosedRange<Int> {
    var range = jack_latency_range_t()
    unsafe jack_port_get_latency_range(port, mode, &range)
    return Int(range.min)...Int(max(range.min, range.max))
  }

  /// Makes the missing connections, and waits for all of them.
  func connect(_ connections: [JACKGraph.Connection]) throws(JACKGraphError) {
    let deadline = Deadline(nanosecondsFromNow: 1_000_000_000)
    for connection in connections where !isMade(connection) {
      guard graph.requestConnection(connection.output, connection.input) else {
        throw .refused(connection)
      }
    }
    for connection in connections where !graph.waits(until: deadline, { isMade(connection) }) {
      throw .refused(connection)
    }
  }

  /// Breaks connections, and waits until all of them are gone.
  func disconnect(_ connections: [JACKGraph.Connection]) throws(JACKGraphError) {
    let deadline = Deadline(nanosecondsFromNow: 1_000_000_000)
    for connection in connections {
      graph.requestDisconnection(connection.output, connection.input)
    }
    for connection in connections where !graph.waits(until: deadline, { !isMade(connection) }) {
      throw .notBroken(connection)
    }
  }

  private func isMade(_ connection: JACKGraph.Connection) -> Bool {
    graph.isConnected(connection.output, connection.input)
  }
}

extension [JACKGraph.Port] {
  /// These ports without connections to ports outside the list, which have appeared or gone since it was made.
  fileprivate var knowingEachOther: Self {
    let names = Set(map(\.name))
    return map { port in
      var port = port
      port.connections.removeAll { !names.contains($0) }
      return port
    }
  }
}
