// SPDX-License-Identifier: MIT

internal import RenderCore

/// The open client, for threads that read its facts. It is removed before it is closed, so it stays open while
/// a thread reads.
final class LiveClient: Sendable {
  private struct Content {
    var client: Client?
    /// The last client's name.
    var name: String
    var isClosed = false
  }

  /// Protects the client's lifetime against threads that read its facts.
  private let content: POSIXMutex<Content>

  init(_ client: Client) {
    content = POSIXMutex(Content(client: client, name: client.name))
  }

  /// Reads facts of the client, if there is one.
  func withLock<Result: Sendable>(_ read: (Client?) -> Result) -> Result {
    content.withLock { read($0.client) }
  }

  /// Removes the client, because its server has ended.
  func remove() {
    content.withLock { $0.client = nil }
  }

  /// Sets the next client.
  ///
  /// - Returns: false after ``close()``, and the client is not set.
  func replace(with client: Client) -> Bool {
    content.withLock { content in
      if content.isClosed { return false }
      (content.client, content.name) = (client, client.name)
      return true
    }
  }

  /// Removes the client for good.
  func close() {
    content.withLock { content in
      content.client = nil
      content.isClosed = true
    }
  }

  /// The name that the server assigned to the client; without a client, the last one's.
  var name: String { content.withLock { $0.name } }

  var isClosed: Bool { content.withLock { $0.isClosed } }
}
