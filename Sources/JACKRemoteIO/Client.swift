// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc
internal import RenderCore
internal import Synchronization

/// An open JACK client. Everything except the properties is for the output's control thread: each call is a
/// request that waits for the server.
@safe
final class Client: @unchecked Sendable {
  /// The name that the server assigned.
  let name: String
  let server: String
  let storage: OutputStateStorage
  let handle: OpaquePointer
  let outputs: [OpaquePointer]
  let inputs: [OpaquePointer]
  /// Retained while libjack holds its address.
  private let routing: PortRouting?
  /// The server's frame clock when the client was opened.
  let openedAt: (frameTime: UInt32, microseconds: UInt64)
  private var isClosed = false

  /// The server's graph.
  var graph: GraphAccess {
    let storage = storage
    return unsafe GraphAccess(handle) { storage.isShutDown }
  }

  private init(
    name: String, server: String, storage: OutputStateStorage, handle: OpaquePointer,
    outputs: [OpaquePointer], inputs: [OpaquePointer], routing: PortRouting?
  ) {
    self.name = name
    self.server = server
    self.storage = storage
    unsafe self.handle = handle
    unsafe self.outputs = outputs
    unsafe self.inputs = inputs
    self.routing = routing
    openedAt = unsafe (jack_last_frame_time(handle), jack_get_time())
  }

  /// The pause before the server is asked again for a client that it failed to open.
  private static let openingPauseMicroseconds: UInt32 = 20_000

  private static func ask(
    _ configuration: RemoteIO.Configuration, exactly: Bool, _ notifier: NotifierThread
  ) -> (client: OpaquePointer?, status: jack_status_t) {
    var status = jack_status_t(rawValue: 0)
    var options = configuration.startsServer ? JackNullOption : JackNoStartServer
    if exactly { options.rawValue |= JackUseExactName.rawValue }
    let client = unsafe notifier.opening {
      unsafe cjack_client_open(
        configuration.clientName, options, &status, configuration.serverName)
    }
    return unsafe (client, status)
  }

  /// Opens a client, sets all callbacks and registers its ports. Nothing runs yet.
  ///
  /// - Parameters:
  ///   - socket: the socket on which the server accepts clients; nil if unknown.
  ///   - exactly: whether to fail if another client has the name, instead of taking a different name.
  static func open(
    _ configuration: RemoteIO.Configuration, routing inputRouting: InputRouting = InputRouting(),
    storage: OutputStateStorage, socket: ServerSocket?, exactly: Bool = false
  ) throws(RemoteIOError) -> Client {
    let server = configuration.resolvedServerName
    LibraryMessages.install()
    try MetadataStore.ofUser.check()
    let notifier = unsafe storage.state.pointee.farewell.notifier
    var (opened, status) = unsafe ask(configuration, exactly: exactly, notifier)
    if unsafe opened == nil, status.rawValue & JackServerError.rawValue != 0 {
      // The server's socket for a client is named after the client only: of two clients with one name that are
      // opened at once on two servers, one is refused.
      usleep(openingPauseMicroseconds)
      // Or the server has ended meanwhile and is removing the metadata store.
      if let socket, !socket.isListening { throw .serverNotRunning(server) }
      unsafe (opened, status) = unsafe ask(configuration, exactly: exactly, notifier)
    }
    guard let handle = unsafe opened else {
      if status.rawValue & JackServerFailed.rawValue != 0 {
        throw configuration.startsServer ? .serverNotStarted(server) : .serverNotRunning(server)
      }
      throw .openRefused(
        server: server, client: configuration.clientName, status: status.rawValue)
    }
    unsafe storage.state.pointee.attach(client: handle)
    unsafe setCallbacks(handle, storage.state)
    if configuration.followsTransport {
      unsafe jack_set_sync_callback(handle, remoteIOSync, storage.state)
    }
    do throws(RemoteIOError) {
      // Terminal: sound begins or ends here, and no port's latency adds to another's.
      let end = configuration.passesInputsOn ? 0 : JackPortIsTerminal.rawValue
      let outputs = unsafe try register(
        configuration.outputPortNames, JackPortIsOutput.rawValue | end, at: handle)
      let inputs = unsafe try register(
        configuration.inputPortNames, JackPortIsInput.rawValue | end, at: handle)
      for channel in unsafe outputs.indices {
        unsafe storage.state.pointee.setPort(outputs[channel], channel: channel)
      }
      for channel in unsafe inputs.indices {
        unsafe storage.state.pointee.setInputPort(inputs[channel], channel: channel)
      }
      var routing: PortRouting?
      // Needed even if no input reaches an output: without it libjack assumes that every input reaches every
      // output.
      if unsafe !outputs.isEmpty, unsafe !inputs.isEmpty {
        routing = unsafe PortRouting(outputs: outputs, inputs: inputs, inputRouting)
      }
      unsafe routing?.attach(to: handle)
      return unsafe Client(
        name: String(cString: jack_get_client_name(handle)), server: server, storage: storage,
        handle: handle, outputs: outputs, inputs: inputs, routing: routing)
    } catch {
      unsafe storage.state.pointee.farewell.close(handle)
      throw error
    }
  }

  private static func register(
    _ names: [String], _ flags: UInt32, at client: OpaquePointer
  ) throws(RemoteIOError) -> [OpaquePointer] {
    var ports: [OpaquePointer] = unsafe []
    for name in names {
      guard
        let port = unsafe jack_port_register(client, name, JACK_DEFAULT_AUDIO_TYPE, UInt(flags), 0)
      else { throw .portRefused(name) }
      unsafe ports.append(port)
    }
    return unsafe ports
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
    unsafe jack_set_port_connect_callback(client, remoteIOPortConnect, state)
    unsafe jack_set_port_registration_callback(client, remoteIOPortRegistration, state)
  }

  /// Activates the client and makes its connections.
  func start(
    _ context: RenderContext, _ connections: Connections
  ) throws(RemoteIOError) -> RemoteIO.ConnectionReport {
    // Another thread may have closed the output while this job was queued.
    if isClosed { throw .closed }
    // Planned before activation, so that a missing port leaves nothing running.
    let plans = try plans(connections)
    unsafe storage.state.pointee.context = context
    if Self.readsGraphInCycles { unsafe storage.state.pointee.awaited.expect(counts(plans)) }
    try activate()
    do {
      return try connect(plans, connections)
    } catch {
      unsafe jack_deactivate(handle)
      throw failure(error)
    }
  }

  /// Activates the client.
  func activate() throws(RemoteIOError) {
    unsafe storage.state.pointee.lastCycleMicroseconds.store(jack_get_time(), ordering: .relaxed)
    let isActive = unsafe Activation.activate(handle) {
      unsafe storage.state.pointee.shutDownReason != nil
    }
    guard isActive else {
      throw failure(.activationRefused(server: server, client: name))
    }
  }

  /// Changes the routing of the input ports to the output ports.
  func change(_ inputRouting: InputRouting) {
    unsafe routing?.change(inputRouting, at: handle)
  }

  /// Closes the client. No callback runs afterwards.
  func close() {
    isClosed = true
    unsafe storage.state.pointee.farewell.close(handle)
  }

  // MARK: Facts, from any thread while the client is open. They read shared memory, no server.

  /// Frames between writing a sample and hearing it, over all output ports.
  var playbackLatency: ClosedRange<Int> {
    unsafe Self.latency(outputs, JackPlaybackLatency)
  }

  /// Frames between a sound's arrival and reading it, over all input ports.
  var captureLatency: ClosedRange<Int> {
    unsafe Self.latency(inputs, JackCaptureLatency)
  }

  private static func latency(
    _ ports: [OpaquePointer], _ mode: jack_latency_callback_mode_t
  ) -> ClosedRange<Int> {
    var lowest = Int.max
    var highest = 0
    for index in unsafe ports.indices {
      var range = jack_latency_range_t()
      unsafe jack_port_get_latency_range(ports[index], mode, &range)
      lowest = min(lowest, Int(range.min))
      highest = max(highest, Int(range.max))
    }
    return min(lowest, highest)...highest
  }

  /// The frame clock's current estimate.
  var frameTime: UInt32 { unsafe jack_frame_time(handle) }

  /// Returns the error, or the server's end if that is the cause.
  private func failure(_ error: RemoteIOError) -> RemoteIOError {
    if let reason = unsafe storage.state.pointee.shutDownReason {
      return .serverShutDown(server: server, reason: reason)
    }
    return error
  }
}
