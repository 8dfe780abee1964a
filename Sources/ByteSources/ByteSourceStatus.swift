// SPDX-License-Identifier: MIT

/// What a source is doing, so that a player can tell how fast bytes arrive, and why they do not.
public struct ByteSourceStatus: Hashable, Sendable {
  /// How a source stands to where its bytes come from.
  public enum State: Hashable, Sendable {
    /// No connection is needed: a file, or nothing was read yet, or all was, or it was closed.
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
    /// It cannot go on; `read` throws why, once all bytes were read.
    case failed
  }

  /// What it does.
  public var state: State
  /// Bytes of the body received since the source was opened, over all connections: also those that
  /// were received twice or are metadata. Its growth is the rate of arrival.
  public var receivedByteCount: UInt64
  /// Bytes that were received and not yet read.
  public var bufferedByteCount: Int
  /// Which attempt in a row to get the lost connection back is awaited or under way, from 1; 0
  /// while the connection stands.
  public var reconnectionAttempt: Int
  /// Why the connection was lost; nil while it stands.
  public var lossCause: ByteSourceError.Reason?
  /// Attempts to get a lost connection back since the source was opened.
  public var reconnectionCount: Int
  /// Connections that were lost after a byte of the body had been read from them, since the source was
  /// opened.
  public var lostConnectionCount: Int
  /// Times that live sound was lost and went on at another moment, since the source was opened: the
  /// discontinuities that `read` has returned.
  public var discontinuityCount: Int

  /// A status with these fields.
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
