// SPDX-License-Identifier: MIT

internal import RenderCore

/// An object that binds a process to a server: an output, or a graph.
protocol ServerUser: AnyObject, Sendable {
  /// Whether the server has reported its end.
  var isShutDown: Bool { get }
  /// The number of cycles, which grows while there is a server. 0 for an object without cycles.
  var cycleCount: UInt64 { get }
}

/// Keeps a process on one server. libjack's shared memory is one set of globals: a client opened on a
/// second server reports success and is attached to the first.
enum ServerGuard {
  private struct Clients {
    var server = ""
    var states: [any ServerUser] = []
    /// Clients whose server is lost according to another client, with their cycle counts at that time.
    var doubtful: [(state: any ServerUser, cycle: UInt64)] = []

    /// Whether a client is open on a server that has ended.
    mutating func hasDead() -> Bool {
      doubtful.removeAll { $0.state.cycleCount > $0.cycle + ServerGuard.convincingCycles }
      return !doubtful.isEmpty || states.contains(where: { $0.isShutDown })
    }
  }

  /// A client with more than this number of further cycles has a server: fewer may have been under way.
  private static let convincingCycles: UInt64 = 8

  /// Protects the list against outputs that are opened and closed on several threads.
  private static let clients = POSIXMutex(Clients())

  /// Registers a client, before it is opened.
  static func enter(_ state: any ServerUser, server: String) throws(RemoteIOError) {
    let failure: RemoteIOError? = clients.withLock { clients in
      if !clients.states.isEmpty {
        if clients.server != server {
          return .otherServerInUse(requested: server, current: clients.server)
        }
        if clients.hasDead() {
          return .closePreviousClient(server: server)
        }
      }
      clients.server = server
      clients.states.append(state)
      return nil
    }
    if let failure { throw failure }
  }

  /// Records that a client's server has ended. All clients were on that server, and the others will be
  /// notified, too. Until they are closed, no client is opened.
  static func noteLoss(of state: any ServerUser) {
    clients.withLock { clients in
      clients.doubtful = clients.states.filter { $0 !== state }.map { ($0, $0.cycleCount) }
    }
  }

  /// Unregisters a client, once it is closed or was not opened.
  static func leave(_ state: any ServerUser) {
    clients.withLock { clients in
      clients.states.removeAll { $0 === state }
      clients.doubtful.removeAll { $0.state === state }
    }
  }
}
