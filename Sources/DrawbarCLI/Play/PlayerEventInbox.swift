// SPDX-License-Identifier: MIT

import CDescriptors
import Glibc
import PlayerEngine
import Synchronization

/// A queue of a player's events for a loop that waits with poll(2).
final class PlayerEventInbox: Sendable {
  /// An eventfd(2) that is readable while there are events; -1 if the system has none left.
  let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
  /// Protects the events that have not been taken.
  private let events = Mutex<[PlayerEvent]>([])

  /// Collects a player's events from now on.
  init(_ player: Player) {
    player.tellEvents { [self] event in
      events.withLock { $0.append(event) }
      eventfd_write(descriptor, 1)
    }
  }

  deinit {
    close(descriptor)
  }

  /// Returns the events since the last call, in order. Does not wait.
  func take() -> [PlayerEvent] {
    // Read before the events, so that no event is missed in between.
    var count: eventfd_t = 0
    unsafe eventfd_read(descriptor, &count)
    return events.withLock { events in
      defer { events.removeAll() }
      return events
    }
  }
}
