// SPDX-License-Identifier: MIT

internal import CDescriptors
internal import CJACK
internal import Glibc
internal import RenderCore
internal import Synchronization

/// What happens outside of cycles, and who is woken by it.
extension OutputState {
  /// Takes in that the server has ended. On a thread of libjack's, or on the control thread when it has
  /// ended without telling.
  func noteShutDown(reason text: String) {
    presence.withLock { presence in
      isShutDown.store(true, ordering: .releasing)
      presence.lose(reason: text)
    }
    wakeOwner()
    wakeControl()
  }

  /// Takes in that the client, which is not the first, is at work.
  ///
  /// - Returns: false when its server has ended already.
  func noteReattachment() -> Bool {
    let isThere = presence.withLock { presence in
      if isShutDown.load(ordering: .acquiring) { return false }
      presence.reattach()
      return true
    }
    if isThere { wakeOwner() }
    return isThere
  }

  /// Why the server has ended; nil while it has not, as far as it has told.
  var shutDownReason: String? {
    isShutDown.load(ordering: .acquiring) ? presence.withLock { $0.reason } : nil
  }

  /// Takes in that a port or a connection of anyone has come or gone.
  func noteGraphChange() {
    graphChanges.add(1, ordering: .releasing)
    wakeControl()
  }

  /// Makes the event descriptor readable. Not from the process callback: it is a system call.
  func wakeOwner() {
    eventfd_write(eventDescriptor, 1)
  }

  /// Makes the event descriptor unreadable until the next change. Before the changes are looked at,
  /// so that none falls in between.
  func acknowledgeWake() {
    var count: eventfd_t = 0
    unsafe eventfd_read(eventDescriptor, &count)
  }

  /// Lets the control thread look what has changed.
  func wakeControl() {
    controlWake.post()
  }
}
