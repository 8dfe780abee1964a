// SPDX-License-Identifier: MIT

internal import RenderCore

/// What keeps a process on a server: an output, or a look at the graph.
protocol ServerUser: AnyObject, Sendable {
  /// Whether the server has told that it has ended.
  var isShutDown: Bool { get }
  /// Cycles that it was called for: as long as these grow there is a server. 0 for what has none.
  var cycleCount: UInt64 { get }
}

/// Keeps a process on one server. libjack's shared memory is one set of globals: a client opened on a
/// second server reports success and is attached to the first.
enum ServerGuard {
  private struct Clients {
    var server = ""
    var states: [any ServerUser] = []
    /// Clients whose server is lost, as another one of them has told, with their count of cycles then.
    var doubtful: [(state: any ServerUser, cycle: UInt64)] = []

    /// Whether a client is open on a server that has ended.
    mutating func hasDead() -> Bool {
      doubtful.removeAll { $0.state.cycleCount > $0.cycle + ServerGuard.convincingCycles }
      return !doubtful.isEmpty || states.contains(where: { $0.isShutDown })
    }
  }

  /// With so many cycles more a client has a server: those that had begun are fewer.
  private static let convincingCycles: UInt64 = 8

  /// Protects the list against outputs that are opened and closed on several threads.
  private static let clients = GuardedState(Clients())

  /// Counts a client in, before it is opened.
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

  /// Takes in that a client's server has ended. All clients were on that one, and those that are not told
  /// yet will be: until they are closed too no client is opened.
  static func noteLoss(of state: any ServerUser) {
    clients.withLock { clients in
      clients.doubtful = clients.states.filter { $0 !== state }.map { ($0, $0.cycleCount) }
    }
  }

  /// Counts a client out, once it is closed or was not opened.
  static func leave(_ state: any ServerUser) {
    clients.withLock { clients in
      clients.states.removeAll { $0 === state }
      clients.doubtful.removeAll { $0.state === state }
    }
  }
}
