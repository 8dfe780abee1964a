// SPDX-License-Identifier: MIT

/// The presence of a server, with the numbers of losses and re-attachments.
struct ServerPresence {
  /// Whether the server has ended and the client is not attached to another one yet.
  private(set) var isAway = false
  private(set) var losses: UInt64 = 0
  private(set) var reattachments: UInt64 = 0
  /// The reason of the last loss.
  private(set) var reason = ""

  /// Records a loss. A server that is lost during the attachment does not count.
  mutating func lose(reason: String) {
    guard !isAway else { return }
    isAway = true
    losses += 1
    self.reason = reason
  }

  /// Records the attachment to another server.
  mutating func reattach() {
    isAway = false
    reattachments += 1
  }
}
