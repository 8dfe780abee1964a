// SPDX-License-Identifier: MIT

internal import AudioModel

/// How sources behave. The defaults fit a player.
///
/// A proxy is taken from the environment (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`).
public struct ByteSourceConfiguration: Hashable, Sendable {
  /// What the program calls itself in requests (RFC 9110, section 10.1.5).
  public var userAgent = "Drawbar/\(DrawbarVersion.text)"
  /// Further fields of each request. A field that the program sends of itself, such as `Accept`, is
  /// replaced. Where a redirect leads they are sent again, but `Authorization` and `Cookie` go to
  /// no other host.
  public var requestFields: [HTTPRequestField] = []
  /// Whether a server is asked for what it plays, which it then sends between the sound
  /// (`Icy-MetaData: 1`). What comes is taken out again and given by
  /// `ByteSource.takeStreamMetadata()`.
  public var requestsStreamMetadata = true
  /// A PEM file with the certificates of those who may vouch for an `https` server, in place of the
  /// system's; nil for the file that `SSL_CERT_FILE` in the environment names, or the system's.
  public var certificateFile: String?
  /// How long finding the host's address and connecting may take, in nanoseconds.
  public var connectTimeoutNanoseconds: UInt64 = 4_000_000_000
  /// How long the first byte of an answer may take once the request can be sent, in nanoseconds.
  public var answerTimeoutNanoseconds: UInt64 = 4_000_000_000
  /// How long the rest of the answer's head may take after that, and each next byte of its body, in
  /// nanoseconds. Counted only while the reader
  /// finds nothing to read: a reader that is away or slow never makes a source time out.
  public var stallTimeoutNanoseconds: UInt64 = 10_000_000_000
  /// Bytes received ahead of the reader; when they are full the server is made to wait. At least
  /// 64 KiB are used.
  public var receiveBufferBytes = 256 * 1024
  /// Redirects followed for one location.
  public var redirectLimit = 5

  /// How long a lost connection is tried to be made again before the loss is an error, in nanoseconds,
  /// counted from the loss. In that time a router or a station's server starts anew. The attempts are also
  /// at least ``leastReconnectionAttempts``; with 0 for both, every loss is an error.
  ///
  /// Both count from the last connection that brought something; of live sound, what is less than
  /// 64 KiB is nothing. A connection counts as lost only after the server's first answer: what is wrong
  /// before is told at once, and so is what will not pass, such as a file that is gone.
  public var leastReconnectionNanoseconds: UInt64 = 60_000_000_000
  /// Times in a row that a lost connection is made again, however long that takes, before the loss is an
  /// error.
  public var leastReconnectionAttempts = 5
  /// Times that a source makes its connection again while none brings 64 KiB, each bringing less.
  public var totalReconnectionLimit = 1000
  /// The pause before the second attempt of a row, in nanoseconds; the first has none, and each
  /// later one's is twice as long.
  public var reconnectionDelayNanoseconds: UInt64 = 250_000_000
  /// The longest such pause, in nanoseconds.
  public var maximumReconnectionDelayNanoseconds: UInt64 = 4_000_000_000
  /// The longest pause that a server's `Retry-After` can ask for, in nanoseconds; one that asks for
  /// more is asked again after this.
  public var maximumRetryAfterNanoseconds: UInt64 = 30_000_000_000
  /// A first answer of `503 Service Unavailable` is an error unless its `Retry-After` is at most so
  /// many nanoseconds; the request is then sent once more after that time.
  public var firstRetryAfterLimitNanoseconds: UInt64 = 5_000_000_000
  /// Bytes that are received again and dropped to go on where a connection was lost, when a server sends
  /// the whole body in place of the rest; only if its strong entity tag and its length are the same
  /// as before.
  public var repeatedByteLimit: UInt64 = 8 * 1024 * 1024

  /// Where what is fetched over HTTP is kept while it is played, so that it can be read again.
  public var spool = SpoolConfiguration.off

  /// The defaults.
  public init() {}

  /// Whether a lost connection is made again at all.
  var reconnects: Bool { leastReconnectionNanoseconds > 0 || leastReconnectionAttempts > 0 }
}
