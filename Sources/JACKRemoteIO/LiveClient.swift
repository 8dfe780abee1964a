// SPDX-License-Identifier: MIT

internal import RenderCore

/// The client that is open now, for threads that read its facts: it is taken out before it is closed, so
/// that it lives while one of them reads.
final class LiveClient: Sendable {
  private struct Content {
    var client: Client?
    /// The last client's name.
    var name: String
    var isClosed = false
  }

  /// Protects the client's life against threads that read its facts.
  private let content: GuardedState<Content>

  init(_ client: Client) {
    content = GuardedState(Content(client: client, name: client.name))
  }

  /// Reads facts of the client, if there is one.
  func withLock<Result: Sendable>(_ read: (Client?) -> Result) -> Result {
    content.withLock { read($0.client) }
  }

  /// Takes the client out, because its server is gone.
  func remove() {
    content.withLock { $0.client = nil }
  }

  /// Puts in the next one.
  ///
  /// - Returns: false, and it is not put in, after ``close()``.
  func replace(with client: Client) -> Bool {
    content.withLock { content in
      if content.isClosed { return false }
      (content.client, content.name) = (client, client.name)
      return true
    }
  }

  /// Takes the client out for ever.
  func close() {
    content.withLock { content in
      content.client = nil
      content.isClosed = true
    }
  }

  /// The name that the server gave the client, or the one before gave the last.
  var name: String { content.withLock { $0.name } }

  var isClosed: Bool { content.withLock { $0.isClosed } }
}
