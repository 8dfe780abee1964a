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
  let server: String
  let storage: OutputStateStorage
  let handle: OpaquePointer
  let outputs: [OpaquePointer]
  let inputs: [OpaquePointer]
  /// Kept for libjack.
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

  /// Until a client is asked for again that the server did not get on with.
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
  ///   - socket: where the server takes clients, as far as is known.
  ///   - exactly: whether to fail where another client has the name, instead of taking another one.
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
      // The socket through which a server calls its client has the client's name, not the server's: of two that
      // are opened at once, on two servers and with one name, one is refused.
      usleep(openingPauseMicroseconds)
      // Or it has ended meanwhile, and removes the store.
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
      // Terminal: the sound begins or ends here, no port's latency adds to another's.
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
      // Also where nothing is passed on: without it libjack takes every input for one of every output.
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

  /// Lets the server call, and connects.
  func start(
    _ context: RenderContext, _ connections: Connections
  ) throws(RemoteIOError) -> RemoteIO.ConnectionReport {
    // Another thread may have closed the output while this waited for its turn.
    if isClosed { throw .closed }
    // Before activation, so that a port that is not there leaves nothing running.
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

  /// Lets the server call.
  func activate() throws(RemoteIOError) {
    unsafe storage.state.pointee.lastCycleMicroseconds.store(jack_get_time(), ordering: .relaxed)
    let isActive = unsafe Activation.activate(handle) {
      unsafe storage.state.pointee.shutDownReason != nil
    }
    guard isActive else {
      throw failure(.activationRefused(server: server, client: name))
    }
  }

  /// The sound of the inputs reaches the outputs in another way.
  func change(_ inputRouting: InputRouting) {
    unsafe routing?.change(inputRouting, at: handle)
  }

  /// Closes the client: no callback runs after it.
  func close() {
    isClosed = true
    unsafe storage.state.pointee.farewell.close(handle)
  }

  // MARK: Facts, from any thread while the client is open. They read shared memory, no server.

  /// Frames until what is written now is heard, over all output ports.
  var playbackLatency: ClosedRange<Int> {
    unsafe Self.latency(outputs, JackPlaybackLatency)
  }

  /// Frames since what is read now was heard, over all input ports.
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

  /// The frame clock's estimate of now.
  var frameTime: UInt32 { unsafe jack_frame_time(handle) }

  /// What went wrong, or the end of the server when that is behind it.
  private func failure(_ error: RemoteIOError) -> RemoteIOError {
    if let reason = unsafe storage.state.pointee.shutDownReason {
      return .serverShutDown(server: server, reason: reason)
    }
    return error
  }
}
