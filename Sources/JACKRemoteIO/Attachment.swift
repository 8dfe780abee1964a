// SPDX-License-Identifier: MIT

internal import RenderCore
internal import Synchronization

/// Keeps a client on a server: when the server has ended, closes the client and looks for the next server,
/// opens a client there as the last one was, and restores its connections.
///
/// All but the properties that are marked is for the control thread, which does a ``step()`` when it is
/// woken. Each step may wait for the server without limit.
final class Attachment: @unchecked Sendable {
  /// The client as other threads see it.
  let live: LiveClient
  private let storage: OutputStateStorage
  private let server: String
  /// Where the server takes clients, as far as is known.
  private let socket: ServerSocket?
  private var configuration: RemoteIO.Configuration
  private var client: Client?
  /// Follows the server's rate; kept as long as it may be called.
  private var renderer: Renderer?
  private var inputRouting = InputRouting()
  /// The client's, while that is active.
  private var metadata: MetadataWriter?
  private var memory = ConnectionMemory()
  private var seenGraphChanges: UInt64 = 0
  /// Until when the graph is looked at again and again: it changes after the notice of it, in the next
  /// cycle or, when clients are late, some later.
  private var unsettledUntil = Deadline(nanosecondsFromNow: 0)
  private var missingUntil = Deadline(nanosecondsFromNow: 0)
  private var attempts = 0
  private var refusals = 0

  /// How long nothing is rendered because connections are not made yet.
  private static let connectingNanoseconds: UInt64 = 300_000_000
  /// After so many refusals, which take two seconds, or five when the server was away for long, another name than
  /// the last client's will do. That of a client which the server did not get on with is taken until the server has
  /// noticed that it has gone.
  private static let refusalsForName = 20
  /// How long the ports of other clients are waited for, which have to come back as well.
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
    // The name that it has, and not a server that this makes libjack start.
    self.configuration.clientName = client.name
    self.configuration.startsServer = false
  }

  /// Starts the client. With ``RemoteIO/Configuration/reattaches`` it has to be given steps from then on.
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

  /// Does something while nothing is rendered: into ports that are not connected yet it would be lost.
  private func held<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
  {
    unsafe storage.state.pointee.isHeld.store(true, ordering: .releasing)
    defer { unsafe storage.state.pointee.isHeld.store(false, ordering: .releasing) }
    return try body()
  }

  /// The sound of the inputs reaches the outputs in another way, in this client and in the next ones.
  func change(_ inputRouting: InputRouting) {
    self.inputRouting = inputRouting
    client?.change(inputRouting)
  }

  /// Closes the client, if there is one. There is none from then on.
  ///
  /// - Returns: whether it is closed now, and not later.
  func close() -> Bool {
    live.close()
    defer {
      renderer?.observeInputRouting(nil)
      renderer = nil
    }
    guard let client = client.take() else { return true }
    return close(client, isServerGone: storage.isShutDown)
  }

  /// - Returns: why other programs do not see the client's metadata, in one line.
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
        // The server, too, takes back what it finds of a client that is closed.
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

  /// Looks whether the server is there, and does what is due.
  ///
  /// - Returns: when the next step is due, unless something happens before; nil: not before.
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

  /// Looks whether a server that may go without a word is still there, where a ``step()`` does not: for a
  /// client that is not attached again.
  ///
  /// - Returns: when to look again; nil: not any more.
  func watchSilence() -> Deadline? {
    if live.isClosed { return nil }
    noteSilence()
    return storage.isShutDown ? nil : Deadline(nanosecondsFromNow: 500_000_000)
  }

  /// Takes a server that may go without a word for gone when it is silent. Any other one that is silent is
  /// merely stopped and must be waited for: its clients go on with it.
  private func noteSilence() {
    guard Client.mayLoseServerSilently, let silence = storage.silenceNanoseconds,
      silence > Client.longestSilenceNanoseconds,
      storage.watchdog.isStalled(afterSilenceOf: silence)
    else { return }
    unsafe storage.state.pointee.noteShutDown(reason: Client.silenceReason)
  }

  /// Takes in the connections, and asks again for those that are missing.
  private func look(at client: Client) {
    let changes = unsafe storage.state.pointee.graphChanges.load(ordering: .acquiring)
    if changes != seenGraphChanges {
      seenGraphChanges = changes
      unsettledUntil = Deadline(nanosecondsFromNow: 1_000_000_000)
    }
    // The server takes its own ports away for as long as it is freewheeling.
    if unsafe storage.state.pointee.isFreewheeling.load(ordering: .acquiring) { return }
    let cycle = storage.cycleCount
    memory.look(client.ownConnections, atCycle: cycle)
    if memory.missing.isEmpty { return }
    if missingUntil.hasPassed { return memory.giveUpMissing() }
    client.restore(memory.missing)
  }

  /// Closes the client of a server that is gone. libjack must be called for that from another thread than
  /// its own.
  private func leave() {
    guard let gone = client.take() else { return }
    live.remove()
    ServerGuard.noteLoss(of: storage)
    memory.lose(atCycle: storage.cycleCount)
    let storage = storage
    _ = close(gone, isServerGone: true) {
      // Of the next client this is not known; ServerGuard looks at it.
      unsafe storage.state.pointee.isShutDown.store(false, ordering: .releasing)
    }
    attempts = 0
    refusals = 0
  }

  /// Tries once to get onto a server.
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
    // What could be said of it was said at the start.
    _ = publishMetadata(of: opened)
    return Deadline(nanosecondsFromNow: 0)
  }

  private func abandon(_ client: Client, _ again: Deadline) -> Deadline {
    client.close()
    ServerGuard.leave(storage)
    return again
  }
}
