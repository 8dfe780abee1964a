// SPDX-License-Identifier: MIT

internal import RenderCore

/// A JACK server's graph, read by a client without ports: the ports with their types, latencies, metadata and
/// connections. It makes and breaks connections, and notifies of changes.
///
/// It is short-lived: open it, use it, close it. While it is open, this process is bound to that server, as
/// with a `RemoteIO`.
///
/// Any thread may call it, but not a process callback. Each call that asks the server waits for it 3 seconds
/// at most.
public final class JACKGraph: Sendable {
  /// The server's name: as requested, or as libjack found it in the environment.
  public let serverName: String
  /// Whether changes are notified; if not, metadata are read again each time.
  private let watches: Bool
  private let signals: GraphSignals
  private let control: ControlThread
  private let metadata = MetadataReader()
  /// Protects the client's lifetime: the client is removed before it is closed.
  private let live: POSIXMutex<GraphClient?>

  static var limitSeconds: UInt64 { 3 }

  /// Opens a client on a running server.
  ///
  /// - Parameters:
  ///   - serverName: the server; nil: `JACK_DEFAULT_SERVER` of the environment, or `default`.
  ///   - clientName: the client's name in the graph, for the time that it is open.
  ///   - watches: whether ``changeDescriptor`` reports changes.
  /// - Throws: ``JACKGraphError/server(_:)`` when a name cannot be used, no such server is running, this
  ///   process has a client on another one, or it does not answer within 3 seconds.
  public init(
    serverName: String? = nil, clientName: String = "drawbar-ports", watches: Bool = false
  ) throws(JACKGraphError) {
    let configuration = RemoteIO.Configuration(clientName: clientName, serverName: serverName)
    let server = configuration.resolvedServerName
    do throws(RemoteIOError) {
      try configuration.validate()
      let signals = try GraphSignals()
      try ServerGuard.enter(signals, server: server)
      let control: ControlThread
      do throws(RemoteIOError) {
        control = try ControlThread.start()
      } catch {
        ServerGuard.leave(signals)
        throw error
      }
      do throws(RemoteIOError) {
        live = POSIXMutex(try Self.openClient(configuration, signals, control, watches: watches))
      } catch {
        control.finish()
        throw error
      }
      self.watches = watches
      self.signals = signals
      self.control = control
      self.serverName = server
    } catch {
      throw .server(error)
    }
  }

  deinit {
    close()
  }

  private static func openClient(
    _ configuration: RemoteIO.Configuration, _ signals: GraphSignals, _ control: ControlThread,
    watches: Bool
  ) throws(RemoteIOError) -> GraphClient {
    let opened = control.run(
      until: Deadline(nanosecondsFromNow: limitSeconds * 1_000_000_000),
      { () -> Result<GraphClient, RemoteIOError> in
        do throws(RemoteIOError) {
          return .success(try GraphClient.open(configuration, signals: signals, watches: watches))
        } catch {
          ServerGuard.leave(signals)
          return .failure(error)
        }
      },
      disposeLate: { result in
        if case .success(let client) = result {
          client.close()
          ServerGuard.leave(signals)
        }
      })
    guard let opened else {
      throw .serverNotAnswering(
        server: configuration.resolvedServerName, doing: "opening a client",
        seconds: Double(limitSeconds))
    }
    return try opened.get()
  }

  /// Reads the whole graph.
  ///
  /// - Throws: ``JACKGraphError/server(_:)`` when the server has ended or does not answer, or this is
  ///   closed.
  public func read() throws(JACKGraphError) -> Snapshot {
    signals.acknowledge()
    var snapshot = try run(doing: "reading the graph") { client in .success(client.read()) }
    let properties = metadata.properties(areStale: !watches || signals.takePropertyChange())
    for index in snapshot.ports.indices {
      snapshot.ports[index].properties = properties[snapshot.ports[index].uuid] ?? []
    }
    return snapshot
  }

  /// Connects outputs to inputs, and waits until the graph has the connections: 1 second at most, because late
  /// clients delay a server's changes.
  ///
  /// Each end is a port's name or alias, or a client's name. A client's i-th port is connected to the i-th port
  /// of the same type at the other end. The input may be named first.
  ///
  /// - Parameters:
  ///   - first: one end.
  ///   - second: the other end.
  /// - Returns: the connections, including those that existed before.
  /// - Throws: ``JACKGraphError``. Connections that were made before the one that failed stay.
  @discardableResult
  public func connect(_ first: String, _ second: String) throws(JACKGraphError) -> [Connection] {
    try run(doing: "connecting") { client in
      do throws(JACKGraphError) {
        let pairs = try client.read().pairs(first, second)
        try client.connect(pairs)
        return .success(pairs)
      } catch {
        return .failure(error)
      }
    }
  }

  /// Breaks the connections between two ends, named as for ``connect(_:_:)``, and waits until the graph no
  /// longer has them.
  ///
  /// - Parameters:
  ///   - first: one end.
  ///   - second: the other end; nil for all connections of the first.
  /// - Returns: the broken connections.
  /// - Throws: ``JACKGraphError``, also when the two are not connected.
  @discardableResult
  public func disconnect(
    _ first: String, _ second: String? = nil
  ) throws(JACKGraphError) -> [Connection] {
    try run(doing: "disconnecting") { client in
      do throws(JACKGraphError) {
        let connections = try client.read().connections(first, second)
        try client.disconnect(connections)
        return .success(connections)
      } catch {
        return .failure(error)
      }
    }
  }

  /// A descriptor, for poll(2), that is readable when something may have changed since the last ``read()``, or
  /// the server has ended. A connection may be notified a cycle before ``read()`` returns it, so read once more
  /// a little later. Only for a graph that watches. Owned by this object; do not read or close it.
  public var changeDescriptor: Int32 { signals.eventDescriptor }

  /// Closes the client. Closing again does nothing.
  ///
  /// - Parameter milliseconds: the longest time to wait. A stopped server does not answer; the client is closed
  ///   when it does.
  public func close(withinMilliseconds milliseconds: UInt32 = 1000) {
    metadata.finish()
    guard let client = live.withLock({ $0.take() }) else { return }
    let signals = self.signals
    let deadline = Deadline(nanosecondsFromNow: UInt64(milliseconds) * 1_000_000)
    let _: Void? = control.run(until: deadline) {
      client.close()
      ServerGuard.leave(signals)
    }
    control.finish()
  }

  /// Runs `body` on the thread that calls the server.
  private func run<Value: Sendable>(
    doing: String, _ body: @escaping @Sendable (GraphClient) -> Result<Value, JACKGraphError>
  ) throws(JACKGraphError) -> Value {
    guard let client = live.withLock({ $0 }) else { throw .server(.closed) }
    try throwIfEnded()
    let result = control.run(until: Deadline(nanosecondsFromNow: Self.limitSeconds * 1_000_000_000))
    {
      body(client)
    }
    try throwIfEnded()
    guard let result else {
      throw .server(
        .serverNotAnswering(
          server: serverName, doing: doing, seconds: Double(Self.limitSeconds)))
    }
    return try result.get()
  }

  private func throwIfEnded() throws(JACKGraphError) {
    signals.noteSilence()
    if let reason = signals.endReason {
      throw .server(.serverShutDown(server: serverName, reason: reason))
    }
  }
}
