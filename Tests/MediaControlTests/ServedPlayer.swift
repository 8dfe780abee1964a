// SPDX-License-Identifier: MIT

import Glibc
import MediaControl
import Synchronization
import TestKit

/// A player that consists only of a state, served on a thread until it is stopped.
final class ServedPlayer: Sendable {
  private struct Shared {
    var state: NowPlaying
    var commands: [RemoteCommand] = []
    var isOnBus = true
    var isOver = false
  }

  /// The state shared with the thread, under a lock.
  private let shared: Mutex<Shared>
  private let thread = Mutex<JoinableThread?>(nil)

  init(_ identity: MediaPlayerIdentity, state: NowPlaying, address: String) {
    shared = Mutex(Shared(state: state))
    let thread = JoinableThread { [self] in serve(identity, state, address) }
    self.thread.withLock { $0 = thread }
  }

  /// The player's state.
  var state: NowPlaying {
    get { shared.withLock { $0.state } }
    set { shared.withLock { $0.state = newValue } }
  }

  /// The received commands.
  var commands: [RemoteCommand] { shared.withLock { $0.commands } }

  /// Whether the player is connected to the bus.
  var isOnBus: Bool { shared.withLock { $0.isOnBus } }

  /// Disconnects from the bus and ends the thread.
  func stop() {
    shared.withLock { $0.isOver = true }
    thread.withLock { thread in
      thread?.join()
      thread = nil
    }
  }

  private func serve(_ identity: MediaPlayerIdentity, _ state: NowPlaying, _ address: String) {
    let service = MPRISService(identity, state: state, address: address)
    while !shared.withLock({ $0.isOver }) {
      var items = [service?.pollRequest].compactMap(\.self)
      shared.withLock { $0.isOnBus = !items.isEmpty }
      _ = unsafe poll(&items, nfds_t(items.count), 10)
      service?.update(self.state)
      while let command = service?.nextCommand() {
        shared.withLock { $0.commands.append(command) }
        service?.update(self.state)
      }
    }
  }
}
