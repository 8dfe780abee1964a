// SPDX-License-Identifier: MIT

internal import Synchronization

/// Keeps a process on one server. libjack's shared memory is one set of globals: a client opened on a
/// second server reports success and is attached to the first.
enum ServerGuard {
  private struct Clients {
    var server = ""
    var states: [OutputStateStorage] = []
  }

  /// Protects the list against outputs that are opened and closed on several threads.
  private static let clients = Mutex(Clients())

  /// Counts a client in, before it is opened.
  static func enter(_ state: OutputStateStorage, server: String) throws(RemoteIOError) {
    let failure: RemoteIOError? = clients.withLock { clients in
      if !clients.states.isEmpty {
        if clients.server != server {
          return .otherServerInUse(requested: server, current: clients.server)
        }
        if clients.states.contains(where: \.isShutDown) {
          return .closePreviousClient(server: server)
        }
      }
      clients.server = server
      clients.states.append(state)
      return nil
    }
    if let failure { throw failure }
  }

  /// Counts a client out, once it is closed or was not opened.
  static func leave(_ state: OutputStateStorage) {
    clients.withLock { $0.states.removeAll { $0 === state } }
  }
}
