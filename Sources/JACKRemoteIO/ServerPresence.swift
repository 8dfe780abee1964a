// SPDX-License-Identifier: MIT

/// Whether there is a server, and how often one was lost and found, in the order of it.
struct ServerPresence {
  /// The server has ended, and no other one is attached to yet.
  private(set) var isAway = false
  private(set) var losses: UInt64 = 0
  private(set) var reattachments: UInt64 = 0
  /// Why the last one was lost.
  private(set) var reason = ""

  /// Takes in a loss. One that is lost while it is being attached to was not there yet.
  mutating func lose(reason: String) {
    guard !isAway else { return }
    isAway = true
    losses += 1
    self.reason = reason
  }

  /// Takes in that another one is attached to.
  mutating func reattach() {
    isAway = false
    reattachments += 1
  }
}
