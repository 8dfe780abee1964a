// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc
internal import RenderCore
internal import Synchronization

/// An open JACK client. All but the properties is for the output's control thread: each call asks the
/// server and waits for it.
@safe
final class Client: @unchecked Sendable {
  /// The name that the server gave it.
  let name: String
  private let server: String
  private let storage: OutputStateStorage
  private let handle: OpaquePointer
  private let ports: [OpaquePointer]
  private var isClosed = false

  private init(
    name: String, server: String, storage: OutputStateStorage, handle: OpaquePointer,
    ports: [OpaquePointer]
  ) {
    self.name = name
    self.server = server
    self.storage = storage
    unsafe self.handle = handle
    unsafe self.ports = ports
  }

  /// Opens a client, sets all callbacks and registers its ports. Nothing runs yet.
  static func open(
    _ configuration: RemoteIO.Configuration, storage: OutputStateStorage
  ) throws(RemoteIOError) -> Client {
    let server = configuration.resolvedServerName
    LibraryMessages.install()
    var status = jack_status_t(rawValue: 0)
    let options = configuration.startsServer ? JackNullOption : JackNoStartServer
    guard
      let handle = unsafe cjack_client_open(
        configuration.clientName, options, &status, configuration.serverName)
    else {
      if status.rawValue & JackServerFailed.rawValue != 0 {
        throw configuration.startsServer ? .serverNotStarted(server) : .serverNotRunning(server)
      }
      throw .openRefused(
        server: server, client: configuration.clientName, status: status.rawValue)
    }
    unsafe storage.state.pointee.attach(client: handle)
    unsafe setCallbacks(handle, storage.state)
    var ports: [OpaquePointer] = unsafe []
    for (channel, portName) in configuration.outputPortNames.enumerated() {
      // Terminal: the sound begins here, no input's latency adds to it.
      let flags = UInt(JackPortIsOutput.rawValue | JackPortIsTerminal.rawValue)
      guard
        let port = unsafe jack_port_register(
          handle, portName, JACK_DEFAULT_AUDIO_TYPE, flags, 0)
      else {
        unsafe jack_client_close(handle)
        throw .portRefused(portName)
      }
      unsafe storage.state.pointee.setPort(port, channel: channel)
      unsafe ports.append(port)
    }
    return unsafe Client(
      name: String(cString: jack_get_client_name(handle)), server: server, storage: storage,
      handle: handle, ports: ports)
  }

  /// After activation jack2 refuses to set callbacks.
  private static func setCallbacks(
    _ client: OpaquePointer, _ state: UnsafeMutablePointer<OutputState>
  ) {
    unsafe jack_set_process_callback(client, remoteIOProcess, state)
    unsafe jack_set_thread_init_callback(client, remoteIOThreadInit, state)
    unsafe jack_set_xrun_callback(client, remoteIOXRun, state)
    unsafe jack_set_buffer_size_callback(client, remoteIOBufferSize, state)
    unsafe jack_set_sample_rate_callback(client, remoteIOSampleRate, state)
    unsafe jack_set_freewheel_callback(client, remoteIOFreewheel, state)
    unsafe jack_on_info_shutdown(client, remoteIOShutdown, state)
  }

  /// Lets the server call, and connects.
  func start(
    _ context: RenderContext, _ policy: RemoteIO.ConnectionPolicy
  ) throws(RemoteIOError) -> RemoteIO.ConnectionReport {
    // Another thread may have closed the output while this waited for its turn.
    if isClosed { throw .closed }
    // Before activation, so that a port that is not there leaves nothing running.
    let plan = try plan(policy)
    unsafe storage.state.pointee.context = context
    unsafe storage.state.pointee.lastCycleMicroseconds.store(jack_get_time(), ordering: .relaxed)
    guard unsafe jack_activate(handle) == 0 else {
      throw failure(.activationRefused(server: server, client: name))
    }
    do {
      return try connect(plan, isOptional: policy == .automatic)
    } catch {
      unsafe jack_deactivate(handle)
      throw failure(error)
    }
  }

  /// Closes the client: no callback runs after it.
  func close() {
    isClosed = true
    unsafe jack_client_close(handle)
  }

  // MARK: Facts, from any thread while the client is open. They read shared memory, no server.

  /// Frames until what is written now is heard, over all ports.
  var playbackLatency: ClosedRange<Int> {
    var lowest = Int.max
    var highest = 0
    for index in unsafe ports.indices {
      var range = jack_latency_range_t()
      unsafe jack_port_get_latency_range(ports[index], JackPlaybackLatency, &range)
      lowest = min(lowest, Int(range.min))
      highest = max(highest, Int(range.max))
    }
    return min(lowest, highest)...highest
  }

  /// The frame clock's estimate of now.
  var frameTime: UInt32 { unsafe jack_frame_time(handle) }

  // MARK: Connections

  private func plan(_ policy: RemoteIO.ConnectionPolicy) throws(RemoteIOError) -> ConnectionPlan {
    let outputs = unsafe ports.map { unsafe String(cString: jack_port_name($0)) }
    let isUnderSessionManager = unsafe getenv("NSM_URL").map { unsafe $0.pointee != 0 } ?? false
    return try ConnectionPlan(
      policy: policy, outputs: outputs, inputs: policy == .none ? [] : inputPorts(),
      isUnderSessionManager: isUnderSessionManager)
  }

  /// The server's audio input ports, in its order, without our own.
  private func inputPorts() -> [InputPort] {
    guard
      let names = unsafe jack_get_ports(
        handle, nil, JACK_DEFAULT_AUDIO_TYPE, UInt(JackPortIsInput.rawValue))
    else { return [] }
    defer { unsafe jack_free(names) }
    var result: [InputPort] = []
    var index = 0
    while let text = unsafe names[index] {
      index += 1
      guard let port = unsafe jack_port_by_name(handle, text),
        unsafe jack_port_is_mine(handle, port) == 0
      else { continue }
      let isPhysical = unsafe UInt32(jack_port_flags(port)) & JackPortIsPhysical.rawValue != 0
      unsafe result.append(
        InputPort(name: String(cString: text), aliases: aliases(port), isPhysical: isPhysical))
    }
    return result
  }

  /// A port's other names: at most two (jack.h, `jack_port_get_aliases`).
  private func aliases(_ port: OpaquePointer) -> [String] {
    let size = Int(jack_port_name_size())
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 2 * size) { memory in
      unsafe memory.initialize(repeating: 0)
      var names: [UnsafeMutablePointer<CChar>?] = unsafe [
        memory.baseAddress!, memory.baseAddress! + size,
      ]
      let count = unsafe jack_port_get_aliases(port, &names)
      return unsafe names.prefix(max(0, Int(count))).map { unsafe String(cString: $0!) }
    }
  }

  private func connect(
    _ plan: ConnectionPlan, isOptional: Bool
  ) throws(RemoteIOError) -> RemoteIO.ConnectionReport {
    var report = RemoteIO.ConnectionReport(connections: [], notes: plan.notes)
    for connection in plan.connections {
      unsafe jack_connect(handle, connection.output, connection.input)
      // Not its answer: a server can refuse while it says yes (`jackd -a e`), and EEXIST is success.
      let isConnected = unsafe jack_port_by_name(handle, connection.output).map {
        unsafe jack_port_connected_to($0, connection.input) != 0
      }
      if isConnected == true {
        report.connections.append(connection)
        continue
      }
      let refusal = RemoteIOError.connectionRefused(
        output: connection.output, input: connection.input)
      guard isOptional else { throw refusal }
      report.notes.append(refusal.description)
    }
    return report
  }

  /// What went wrong, or the end of the server when that is behind it.
  private func failure(_ error: RemoteIOError) -> RemoteIOError {
    if let reason = unsafe storage.state.pointee.shutDownReason {
      return .serverShutDown(server: server, reason: reason)
    }
    return error
  }
}
