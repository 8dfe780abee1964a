// SPDX-License-Identifier: MIT

public import RenderCore
internal import Synchronization

/// A JACK client as a Remote IO unit (`kAudioUnitSubType_RemoteIO`, AUComponent.h), with its output (element
/// 0), its input (element 1) or both: the server calls, and the unit pulls.
///
/// The format is the server's: one port of 32-bit float samples for each channel, at its rate, in cycles of its
/// size. A render callback may have a format of its own (`Renderer.addCallback(_:context:format:quality:)`).
/// Once started, the unit renders until it is closed; pause its sources instead, because stopping a client
/// drops its connections.
///
/// The inputs' frames go to the renderer's captures (`Renderer.addCapture`), which another thread reads.
///
/// Life cycle: open it with `init`; make a `Renderer` for ``sampleRate`` and the numbers of ports;
/// `start(rendering:)`; ``close(withinMilliseconds:)``.
///
/// When the server ends, a started unit polls for the next one of this name, 4 to 10 times a second, and goes
/// on there: with the same ports, with their connections, and where it was, without the time between.
/// ``Notice`` reports both. The unit waits up to a minute for other clients' ports that are not back yet. With
/// ``Configuration/reattaches`` off, close the unit and open another one. A server that is stopped and goes on
/// has lost nothing.
///
/// Any thread may call it, but not the process callback. `init`, `start` and `close` wait for the
/// server, for a limited time; nothing else waits.
public final class RemoteIO: Sendable {
  enum Phase {
    case open
    case started
    case closed
  }

  struct Progress {
    var phase = Phase.open
    var told: Told
  }

  /// The client's name on the server: the requested one, perhaps with `-01` appended. It may differ on the next
  /// server.
  public var clientName: String { live.name }
  /// The server's name: as configured, or as libjack found it in the environment.
  public let serverName: String
  let storage: OutputStateStorage
  private let control: ControlThread
  private let attachment: Attachment
  private let configuration: Configuration
  /// The client, for reading its facts.
  var live: LiveClient { attachment.live }
  /// Protects the phase and the reported state, between the owner's threads.
  let progress: POSIXMutex<Progress>

  /// Opens a client and registers its ports. Nothing runs yet.
  ///
  /// - Parameters:
  ///   - configuration: names, the server, and the connections.
  ///   - isCancelled: called 50 times a second, on this thread, during the wait for the server; true ends the
  ///     wait with ``RemoteIOError/cancelled``.
  /// - Throws: ``RemoteIOError`` when a name cannot be used, no such server is running (within
  ///   milliseconds), this process has a client on another server, or the server does not answer
  ///   within 5 seconds (15 when it may have to be started).
  public init(
    _ configuration: Configuration, isCancelled: (() -> Bool)? = nil
  ) throws(RemoteIOError) {
    try configuration.validate()
    let server = configuration.resolvedServerName
    let storage = try OutputStateStorage(
      outputs: configuration.outputPortNames.count, inputs: configuration.inputPortNames.count,
      followsTransport: configuration.followsTransport)
    try ServerGuard.enter(storage, server: server)
    let control: ControlThread
    let client: Client
    // Before the client is opened: later the server may end at any time, and remove the socket.
    var socket = ServerSocket.ofPresent(server)
    do throws(RemoteIOError) {
      control = try ControlThread.start(wake: storage.controlWake)
    } catch {
      ServerGuard.leave(storage)
      throw error
    }
    do throws(RemoteIOError) {
      client = try Self.openClient(
        configuration, storage, control, server: server, socket: socket, isCancelled: isCancelled)
    } catch {
      control.finish()
      throw error
    }
    // libjack may have started the server.
    if configuration.startsServer { socket = socket ?? ServerSocket.ofPresent(server) }
    serverName = server
    self.configuration = configuration
    attachment = Attachment(client, configuration, storage, server: server, socket: socket)
    self.storage = storage
    self.control = control
    progress = unsafe POSIXMutex(
      Progress(
        told: Told(
          bufferSize: storage.state.pointee.bufferSize.load(ordering: .relaxed),
          sampleRate: storage.state.pointee.sampleRate.load(ordering: .relaxed))))
  }

  deinit {
    close()
  }

  private static func openClient(
    _ configuration: Configuration, _ storage: OutputStateStorage, _ control: ControlThread,
    server: String, socket: ServerSocket?, isCancelled: (() -> Bool)?
  ) throws(RemoteIOError) -> Client {
    let seconds: UInt64 = configuration.startsServer ? 15 : 5
    let cancellation = WaitCancellation(isCancelled)
    let opened = control.run(
      until: Deadline(nanosecondsFromNow: seconds * 1_000_000_000), unless: cancellation.isOver,
      { () -> Result<Client, RemoteIOError> in
        do throws(RemoteIOError) {
          return .success(try Client.open(configuration, storage: storage, socket: socket))
        } catch {
          ServerGuard.leave(storage)
          return .failure(error)
        }
      },
      disposeLate: { result in
        if case .success(let client) = result {
          client.close()
          ServerGuard.leave(storage)
        }
      })
    guard let opened else {
      if cancellation.wasCancelled { throw .cancelled }
      throw .serverNotAnswering(
        server: server, doing: "opening a client", seconds: Double(seconds))
    }
    return try opened.get()
  }

  /// Connects the ports, starts to render, and sets the ports' metadata, for which it waits a second at most.
  /// The server calls at once. Until it has made the connections, the output is silent and nothing is rendered,
  /// so that no sound is lost.
  ///
  /// - Parameters:
  ///   - context: the render context, for as many outputs and inputs as there are ports and for ``sampleRate``.
  ///     Its renderer must live until ``close(withinMilliseconds:)`` has returned true.
  ///   - isCancelled: as for ``init(_:isCancelled:)``.
  /// - Returns: the connections that were made, and notes about ports left unconnected.
  /// - Throws: ``RemoteIOError``: a port to connect to does not exist, the server refused, has ended or does
  ///   not answer within 5 seconds, or the unit was started or closed before. Nothing renders then. The unit
  ///   can be started again, except after a time-out or a cancellation; then it must be closed.
  @discardableResult
  public func start(
    rendering context: RenderContext, isCancelled: (() -> Bool)? = nil
  ) throws(RemoteIOError) -> ConnectionReport {
    try start(context, renderer: nil, isCancelled, meanwhile: {})
  }

  /// Connects the ports and starts to render, as with a context, and retains the renderer until nothing renders
  /// any more. On re-attachment to a server of another rate, the renderer's rate is set before the first cycle
  /// there, so that nothing is rendered at a wrong pitch.
  ///
  /// - Parameters:
  ///   - renderer: the renderer, for as many outputs and inputs as there are ports and for ``sampleRate``.
  ///   - isCancelled: as for ``init(_:isCancelled:)``.
  ///   - meanwhile: called once, on this thread, while the server activates the client, which takes some
  ///     cycles; for preparing the first sound in that time. Not called if the unit was started or closed
  ///     before.
  /// - Returns: the connections that were made, and notes about ports left unconnected.
  /// - Throws: ``RemoteIOError``, as ``start(rendering:isCancelled:)`` does.
  @discardableResult
  public func start(
    rendering renderer: Renderer, isCancelled: (() -> Bool)? = nil, meanwhile: () -> Void = {}
  ) throws(RemoteIOError) -> ConnectionReport {
    try start(renderer.context, renderer: renderer, isCancelled, meanwhile: meanwhile)
  }

  private func start(
    _ context: RenderContext, renderer: Renderer?, _ isCancelled: (() -> Bool)?,
    meanwhile: () -> Void
  ) throws(RemoteIOError) -> ConnectionReport {
    let refusal: RemoteIOError? = progress.withLock { progress in
      switch progress.phase {
      case .open: progress.phase = .started
      case .started: return .alreadyStarted
      case .closed: return .closed
      }
      return nil
    }
    if let refusal { throw refusal }
    // `meanwhile` may start a player, which reads the period.
    context.periodFrames = bufferSize
    let (attachment, control) = (attachment, control)
    if configuration.passesInputsOn {
      renderer?.observeInputRouting { [weak attachment, weak control] routing in
        control?.enqueue { [attachment] in attachment?.change(routing) }
      }
    }
    let reattaches = configuration.reattaches
    let cancellation = WaitCancellation(isCancelled)
    let started = control.run(
      until: Deadline(nanosecondsFromNow: 5_000_000_000), unless: cancellation.isOver,
      meanwhile: meanwhile
    ) { () -> Result<ConnectionReport, RemoteIOError> in
      do throws(RemoteIOError) {
        let report = try attachment.start(context, renderer: renderer)
        if reattaches {
          control.watch { attachment.step() }
        } else if Client.mayLoseServerSilently {
          control.watch { attachment.watchSilence() }
        }
        return .success(report)
      } catch {
        return .failure(error)
      }
    }
    guard let started else {
      if progress.withLock({ $0.phase == .closed }) { throw .closed }
      // The client may still become active, when the server answers; it is silent then.
      _ = storage.detach(until: Deadline(nanosecondsFromNow: 0))
      if cancellation.wasCancelled { throw .cancelled }
      throw .serverNotAnswering(server: serverName, doing: "starting the output", seconds: 5)
    }
    if case .failure = started {
      progress.withLock { if $0.phase == .started { $0.phase = .open } }
    }
    return try started.get()
  }

  /// Stops rendering at once and closes the client. Closing again does nothing.
  ///
  /// - Parameter milliseconds: the longest time to wait. A stopped server does not answer; the client is then
  ///   left open until the server answers, and closed.
  /// - Returns: whether nothing renders any more, so that the renderer may be freed. False only when a cycle
  ///   did not end in that time.
  @discardableResult
  public func close(withinMilliseconds milliseconds: UInt32 = 1000) -> Bool {
    let isFirst = progress.withLock { progress in
      defer { progress.phase = .closed }
      return progress.phase != .closed
    }
    let deadline = Deadline(nanosecondsFromNow: UInt64(milliseconds) * 1_000_000)
    let isQuiet = storage.detach(until: deadline)
    guard isFirst else { return isQuiet }
    attachment.live.close()
    let attachment = self.attachment
    let isClosed = control.run(until: deadline) { attachment.close() }
    control.finish()
    return isQuiet || isClosed == true
  }
}
