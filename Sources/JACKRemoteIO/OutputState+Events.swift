// SPDX-License-Identifier: MIT

internal import CDescriptors
internal import CJACK
internal import Glibc
internal import RenderCore
internal import Synchronization

/// Events outside of cycles, and the threads that they wake.
extension OutputState {
  /// Records the server's end. Called on a libjack thread, or on the control thread if the server has ended
  /// without notice.
  func noteShutDown(reason text: String) {
    presence.withLock { presence in
      isShutDown.store(true, ordering: .releasing)
      presence.lose(reason: text)
    }
    wakeOwner()
    wakeControl()
  }

  /// Records that a re-attached client is active.
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

  /// The reason of the server's end; nil while none was reported.
  var shutDownReason: String? {
    isShutDown.load(ordering: .acquiring) ? presence.withLock { $0.reason } : nil
  }

  /// Records that a port or a connection of any client has appeared or gone.
  func noteGraphChange() {
    graphChanges.add(1, ordering: .releasing)
    wakeControl()
  }

  /// Makes the event descriptor readable. Not from the process callback: it is a system call.
  func wakeOwner() {
    eventfd_write(eventDescriptor, 1)
  }

  /// Makes the event descriptor unreadable until the next change. Call it before reading the changes, so that
  /// none is missed.
  func acknowledgeWake() {
    var count: eventfd_t = 0
    unsafe eventfd_read(eventDescriptor, &count)
  }

  /// Wakes the control thread to check for changes.
  func wakeControl() {
    controlWake.post()
  }
}
