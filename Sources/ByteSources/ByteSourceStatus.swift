// SPDX-License-Identifier: MIT

/// The activity of a source: the rate at which bytes arrive, and the reason when they do not.
public struct ByteSourceStatus: Hashable, Sendable {
  /// The state of a source's connection.
  public enum State: Hashable, Sendable {
    /// No connection is needed: a file, or before the first read, after the last byte, or after closing.
    case idle
    /// Finding the host, connecting, agreeing on encryption.
    case connecting
    /// The request is under way, and no byte of the answer has come.
    case awaitingAnswer
    /// The answer is coming.
    case receiving
    /// The buffer is full, and the server waits for the reader.
    case paused
    /// The connection was lost, and the pause before the next attempt runs.
    case awaitingReconnection
    /// The source cannot go on; `read` throws the error, once all bytes were read.
    case failed
  }

  /// The state of the connection.
  public var state: State
  /// Bytes of the body received since the source was opened, over all connections, including repeated bytes and
  /// metadata. Its growth is the rate of arrival.
  public var receivedByteCount: UInt64
  /// Bytes received and not yet read.
  public var bufferedByteCount: Int
  /// The number, from 1, of the consecutive attempt to restore the connection that is pending or under way; 0
  /// while the connection stands.
  public var reconnectionAttempt: Int
  /// The reason of the loss; nil while the connection stands.
  public var lossCause: ByteSourceError.Reason?
  /// Attempts to restore a lost connection since the source was opened.
  public var reconnectionCount: Int
  /// Connections that were lost after a byte of the body had been read from them, since the source was
  /// opened.
  public var lostConnectionCount: Int
  /// Times that live sound was lost and resumed at another moment, since the source was opened: the
  /// discontinuities that `read` has returned.
  public var discontinuityCount: Int

  /// Creates a status with these fields.
  public init(
    state: State = .idle, receivedByteCount: UInt64 = 0, bufferedByteCount: Int = 0,
    reconnectionAttempt: Int = 0, lossCause: ByteSourceError.Reason? = nil,
    reconnectionCount: Int = 0, lostConnectionCount: Int = 0, discontinuityCount: Int = 0
  ) {
    self.state = state
    self.receivedByteCount = receivedByteCount
    self.bufferedByteCount = bufferedByteCount
    self.reconnectionAttempt = reconnectionAttempt
    self.lossCause = lossCause
    self.reconnectionCount = reconnectionCount
    self.lostConnectionCount = lostConnectionCount
    self.discontinuityCount = discontinuityCount
  }
}
