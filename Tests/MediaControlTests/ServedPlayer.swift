// SPDX-License-Identifier: MIT

import Glibc
import MediaControl
import Synchronization
import TestKit

/// A player that is nothing but a state, served on a thread until it is stopped.
final class ServedPlayer: Sendable {
  private struct Shared {
    var state: NowPlaying
    var commands: [RemoteCommand] = []
    var isOnBus = true
    var isOver = false
  }

  /// Shared with the thread; protects everything in it.
  private let shared: Mutex<Shared>
  private let thread = Mutex<JoinableThread?>(nil)

  init(_ identity: MediaPlayerIdentity, state: NowPlaying, address: String) {
    shared = Mutex(Shared(state: state))
    let thread = JoinableThread { [self] in serve(identity, state, address) }
    self.thread.withLock { $0 = thread }
  }

  /// What it does.
  var state: NowPlaying {
    get { shared.withLock { $0.state } }
    set { shared.withLock { $0.state = newValue } }
  }

  /// What it was asked to do.
  var commands: [RemoteCommand] { shared.withLock { $0.commands } }

  /// The bus is there.
  var isOnBus: Bool { shared.withLock { $0.isOnBus } }

  /// Leaves the bus.
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
