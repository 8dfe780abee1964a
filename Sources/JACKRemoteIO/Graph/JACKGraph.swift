// SPDX-License-Identifier: MIT

internal import RenderCore

/// A JACK server's graph, seen by a client without ports: what ports there are, with their types,
/// latencies, metadata and connections. It makes and breaks connections, and tells that something has
/// changed.
///
/// It is short-lived: open it, ask, close it. While it is open, this process is on that server, as with a
/// `RemoteIO`.
///
/// Any thread may call it, but not a process callback. Each call that asks the server waits for it 3 seconds
/// at most.
public final class JACKGraph: Sendable {
  /// The server's name: as asked for, or as libjack found it in the environment.
  public let serverName: String
  /// Whether changes are told: without it what was read may always be old.
  private let watches: Bool
  private let signals: GraphSignals
  private let control: ControlThread
  private let metadata = MetadataReader()
  /// Protects the client's life: it is taken out before it is closed.
  private let live: GuardedState<GraphClient?>

  static var limitSeconds: UInt64 { 3 }

  /// Opens a client on a running server.
  ///
  /// - Parameters:
  ///   - serverName: the server; nil: `JACK_DEFAULT_SERVER` of the environment, or `default`.
  ///   - clientName: the client's name in the graph, for the time that it is open.
  ///   - watches: whether ``changeDescriptor`` is to tell of changes.
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
        live = GuardedState(try Self.openClient(configuration, signals, control, watches: watches))
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

  /// The whole graph, now.
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

  /// Connects outputs to inputs, and waits until the graph has the connections: 1 second at most, because
  /// clients that are late hold a server's changes up.
  ///
  /// Each end is a port's name or alias, or a client's name: then its i-th port is connected to the i-th of
  /// the other end that has the same type. The input may be named first.
  ///
  /// - Parameters:
  ///   - first: one end.
  ///   - second: the other end.
  /// - Returns: the connections, those included that were there before.
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

  /// Breaks the connections between two ends, named as for ``connect(_:_:)``, and waits until the graph has
  /// them no more.
  ///
  /// - Parameters:
  ///   - first: one end.
  ///   - second: the other end; nil for all connections of the first.
  /// - Returns: the connections that there were.
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

  /// A descriptor that is readable, for poll(2), when something may have changed since the last ``read()``,
  /// or the server has ended. It tells early: a connection may be told a cycle before ``read()`` has it, so
  /// read once more a little later. Only of one that watches. Owned by this object; do not read or close it.
  public var changeDescriptor: Int32 { signals.eventDescriptor }

  /// Closes the client. Closing again does nothing.
  ///
  /// - Parameter milliseconds: how long to wait at most. A server that is stopped never answers; the client
  ///   is closed when it does.
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

  /// Has something done on the thread that asks the server.
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
