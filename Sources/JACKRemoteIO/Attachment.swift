// SPDX-License-Identifier: MIT

internal import RenderCore
internal import Synchronization

/// Keeps a client attached to a server. When the server ends, it closes the client, polls for the next server,
/// opens an equivalent client there and restores its connections.
///
/// Everything except ``live`` is for the control thread, which calls ``step()`` when it is woken. Each step may
/// wait for the server without limit.
final class Attachment: @unchecked Sendable {
  /// The client as other threads see it.
  let live: LiveClient
  private let storage: OutputStateStorage
  private let server: String
  /// The socket on which the server accepts clients; nil if unknown.
  private let socket: ServerSocket?
  private var configuration: RemoteIO.Configuration
  private var client: Client?
  /// The renderer, whose rate follows the server's. Retained as long as a cycle may call it.
  private var renderer: Renderer?
  private var inputRouting = InputRouting()
  /// The writer of the active client's metadata.
  private var metadata: MetadataWriter?
  private var memory = ConnectionMemory()
  private var seenGraphChanges: UInt64 = 0
  /// The end of the time in which the graph is polled: it changes after its notification, in the next cycle, or
  /// some cycles later if clients are late.
  private var unsettledUntil = Deadline(nanosecondsFromNow: 0)
  private var missingUntil = Deadline(nanosecondsFromNow: 0)
  private var attempts = 0
  private var refusals = 0

  /// The longest time for which rendering waits for the connections.
  private static let connectingNanoseconds: UInt64 = 300_000_000
  /// The number of refusals after which a client may get another name than the last one's. They take 2 s, or
  /// 5 s when the server was away for long. A client that the server failed to open occupies its name until the
  /// server notices that the client has gone.
  private static let refusalsForName = 20
  /// The time allowed for other clients' ports to come back.
  private static let patienceNanoseconds: UInt64 = 60_000_000_000

  init(
    _ client: Client, _ configuration: RemoteIO.Configuration, _ storage: OutputStateStorage,
    server: String, socket: ServerSocket?
  ) {
    self.client = client
    self.configuration = configuration
    self.storage = storage
    self.server = server
    self.socket = socket
    live = LiveClient(client)
    // Later clients request the name that this one has, and start no server.
    self.configuration.clientName = client.name
    self.configuration.startsServer = false
  }

  /// Starts the client. With ``RemoteIO/Configuration/reattaches``, the control thread must call ``step()``
  /// from then on.
  func start(
    _ context: RenderContext, renderer: Renderer?
  ) throws(RemoteIOError) -> RemoteIO.ConnectionReport {
    guard let client, !live.isClosed else { throw .closed }
    var report = try held { () throws(RemoteIOError) in
      try client.start(
        context,
        Client.Connections(
          outputs: configuration.connection, inputs: configuration.inputConnection))
    }
    self.renderer = renderer
    memory = ConnectionMemory(client.ownConnections)
    if let note = publishMetadata(of: client) { report.notes.append(note) }
    return report
  }

  /// Runs `body` while nothing is rendered: sound rendered to unconnected ports would be lost.
  private func held<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
  {
    unsafe storage.state.pointee.isHeld.store(true, ordering: .releasing)
    defer { unsafe storage.state.pointee.isHeld.store(false, ordering: .releasing) }
    return try body()
  }

  /// Changes the routing of the input ports to the output ports, for this client and later ones.
  func change(_ inputRouting: InputRouting) {
    self.inputRouting = inputRouting
    client?.change(inputRouting)
  }

  /// Closes the client, if there is one, for good.
  ///
  /// - Returns: whether it is closed now; if not, it is closed later.
  func close() -> Bool {
    live.close()
    defer {
      renderer?.observeInputRouting(nil)
      renderer = nil
    }
    guard let client = client.take() else { return true }
    return close(client, isServerGone: storage.isShutDown)
  }

  /// Publishes the client's metadata.
  ///
  /// - Returns: the reason, in one line, if other programs do not see them; otherwise nil.
  private func publishMetadata(of client: Client) -> String? {
    guard configuration.setsMetadata else { return nil }
    let metadata = MetadataWriter()
    self.metadata = metadata
    let (outputs, inputs) = (configuration.outputGroups, configuration.inputGroups)
    return metadata.publish {
      MetadataTurn.take(withinMilliseconds: 900) { isOurs in
        isOurs && client.setMetadata(outputGroups: outputs, inputGroups: inputs)
      }
    }
  }

  private func close(
    _ client: Client, isServerGone: Bool, afterwards: @escaping @Sendable () -> Void = {}
  ) -> Bool {
    // A cycle that did not end in time renders until the client is closed.
    let (storage, renderer) = (storage, renderer)
    let closing: @Sendable () -> Void = {
      if isServerGone {
        client.close()
        unsafe storage.state.pointee.endWaiting()
      } else {
        // The server also removes a closed client's metadata, so closing takes the store's lock.
        MetadataTurn.take(withinMilliseconds: 300) { _ in client.close() }
      }
      withExtendedLifetime(renderer) {}
      ServerGuard.leave(storage)
      afterwards()
    }
    guard let metadata = metadata.take() else {
      closing()
      return true
    }
    let remove: @Sendable () -> Void = {
      MetadataTurn.take(withinMilliseconds: 300) { isOurs in if isOurs { client.removeMetadata() } }
    }
    return metadata.withdraw(isServerGone ? nil : remove, close: closing)
  }

  /// Checks the server and performs the work that is due.
  ///
  /// - Returns: when the next step is due, unless the thread is woken before; nil: only when it is woken.
  func step() -> Deadline? {
    if live.isClosed { return nil }
    if client != nil {
      noteSilence()
      if storage.isShutDown { leave() }
    }
    guard let client else { return reattach() }
    look(at: client)
    if !unsettledUntil.hasPassed { return Deadline(nanosecondsFromNow: 50_000_000) }
    if !memory.missing.isEmpty { return Deadline(nanosecondsFromNow: 250_000_000) }
    return Client.mayLoseServerSilently ? Deadline(nanosecondsFromNow: 500_000_000) : nil
  }

  /// Checks whether a server has ended silently, for a client that is not re-attached and so takes no
  /// ``step()``.
  ///
  /// - Returns: when to check again; nil: never.
  func watchSilence() -> Deadline? {
    if live.isClosed { return nil }
    noteSilence()
    return storage.isShutDown ? nil : Deadline(nanosecondsFromNow: 500_000_000)
  }

  /// Treats a silent server as ended, where a server may end without notice. Any other silent server is only
  /// stopped: its clients wait and go on with it.
  private func noteSilence() {
    guard Client.mayLoseServerSilently, let silence = storage.silenceNanoseconds,
      silence > Client.longestSilenceNanoseconds,
      storage.watchdog.isStalled(afterSilenceOf: silence)
    else { return }
    unsafe storage.state.pointee.noteShutDown(reason: Client.silenceReason)
  }

  /// Records the client's connections, and requests the missing ones again.
  private func look(at client: Client) {
    let changes = unsafe storage.state.pointee.graphChanges.load(ordering: .acquiring)
    if changes != seenGraphChanges {
      seenGraphChanges = changes
      unsettledUntil = Deadline(nanosecondsFromNow: 1_000_000_000)
    }
    // The server removes its own ports while it is freewheeling.
    if unsafe storage.state.pointee.isFreewheeling.load(ordering: .acquiring) { return }
    let cycle = storage.cycleCount
    memory.look(client.ownConnections, atCycle: cycle)
    if memory.missing.isEmpty { return }
    if missingUntil.hasPassed { return memory.giveUpMissing() }
    client.restore(memory.missing)
  }

  /// Closes the client of a server that has ended. libjack requires this on a thread that is not its own.
  private func leave() {
    guard let gone = client.take() else { return }
    live.remove()
    ServerGuard.noteLoss(of: storage)
    memory.lose(atCycle: storage.cycleCount)
    let storage = storage
    _ = close(gone, isServerGone: true) {
      // Cleared for the next client: ServerGuard takes a set flag for an ended server.
      unsafe storage.state.pointee.isShutDown.store(false, ordering: .releasing)
    }
    attempts = 0
    refusals = 0
  }

  /// Tries once to attach to a server.
  private func reattach() -> Deadline? {
    attempts += 1
    let again = Deadline(nanosecondsFromNow: attempts <= 30 ? 100_000_000 : 250_000_000)
    if let socket, !socket.isListening { return again }
    guard (try? ServerGuard.enter(storage, server: server)) != nil else { return again }
    let opened = LibraryMessages.silenced {
      try? Client.open(
        configuration, routing: inputRouting, storage: storage, socket: socket,
        exactly: refusals < Self.refusalsForName)
    }
    guard let opened else {
      refusals += 1
      ServerGuard.leave(storage)
      return again
    }
    let rate = unsafe Double(storage.state.pointee.sampleRate.load(ordering: .relaxed))
    if let renderer, renderer.sampleRate != rate { renderer.sampleRate = rate }
    let isActive = held {
      guard (try? opened.activate()) != nil else { return false }
      missingUntil = Deadline(nanosecondsFromNow: Self.patienceNanoseconds)
      opened.wait(
        for: opened.restore(memory.missing),
        until: Deadline(nanosecondsFromNow: Self.connectingNanoseconds))
      return true
    }
    guard isActive else { return abandon(opened, again) }
    client = opened
    guard live.replace(with: opened), unsafe storage.state.pointee.noteReattachment() else {
      client = nil
      live.remove()
      return abandon(opened, again)
    }
    // The first start has already reported missing metadata.
    _ = publishMetadata(of: opened)
    return Deadline(nanosecondsFromNow: 0)
  }

  private func abandon(_ client: Client, _ again: Deadline) -> Deadline {
    client.close()
    ServerGuard.leave(storage)
    return again
  }
}
