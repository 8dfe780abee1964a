// SPDX-License-Identifier: MIT

internal import AudioModel

/// The settings of byte sources. The defaults fit a player.
///
/// A proxy is taken from the environment (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`).
public struct ByteSourceConfiguration: Hashable, Sendable {
  /// The program's name in requests (RFC 9110, section 10.1.5).
  public var userAgent = "Drawbar/\(DrawbarVersion.text)"
  /// Further fields of each request. They replace fields that the program sends itself, such as `Accept`. The
  /// target of a redirect receives them, too, but `Authorization` and `Cookie` go to no other server.
  public var requestFields: [HTTPRequestField] = []
  /// Whether a server is asked for metadata, which it then sends between the sound (`Icy-MetaData: 1`). The
  /// source removes them from the sound, and `ByteSource.takeStreamMetadata()` returns them.
  public var requestsStreamMetadata = true
  /// A PEM file with the certificates of the authorities that may vouch for an `https` server, instead of the
  /// system's; nil for the file that `SSL_CERT_FILE` in the environment names, or the system's.
  public var certificateFile: String?
  /// The longest time for finding the host's address and connecting, in nanoseconds.
  public var connectTimeoutNanoseconds: UInt64 = 4_000_000_000
  /// The longest time until the first byte of an answer once the request can be sent, in nanoseconds.
  public var answerTimeoutNanoseconds: UInt64 = 4_000_000_000
  /// The longest time for the rest of the answer's head after that, and for each next byte of its body, in
  /// nanoseconds. Counted only while the reader finds nothing to read: an absent or slow reader never makes a
  /// source time out.
  public var stallTimeoutNanoseconds: UInt64 = 10_000_000_000
  /// The size of the buffer ahead of the reader, in bytes; a full buffer holds the server back. At least 64 KiB
  /// are used.
  public var receiveBufferBytes = 256 * 1024
  /// Redirects followed for one location.
  public var redirectLimit = 5

  /// The time for which a lost connection is retried before the loss is an error, in nanoseconds, counted from
  /// the loss. A router or a station's server can restart in it. At least ``leastReconnectionAttempts`` are
  /// made, too; with 0 for both, every loss is an error.
  ///
  /// Both count from the last connection that brought something; for live sound, less than 64 KiB is nothing. A
  /// connection counts as lost only after the server's first answer: an earlier failure is reported at once,
  /// and so is a permanent one, such as a missing file.
  public var leastReconnectionNanoseconds: UInt64 = 60_000_000_000
  /// The least number of consecutive attempts to reconnect, however long they take, before the loss is an
  /// error.
  public var leastReconnectionAttempts = 5
  /// The most reconnections of a source while no connection brings 64 KiB.
  public var totalReconnectionLimit = 1000
  /// The pause before the second consecutive attempt, in nanoseconds; the first has none, and each later pause
  /// is twice as long.
  public var reconnectionDelayNanoseconds: UInt64 = 250_000_000
  /// The longest such pause, in nanoseconds.
  public var maximumReconnectionDelayNanoseconds: UInt64 = 4_000_000_000
  /// The longest pause that a server's `Retry-After` can request, in nanoseconds; a longer request is shortened
  /// to this.
  public var maximumRetryAfterNanoseconds: UInt64 = 30_000_000_000
  /// A first answer of `503 Service Unavailable` is an error unless its `Retry-After` is at most this many
  /// nanoseconds; the request is then sent once more after that time.
  public var firstRetryAfterLimitNanoseconds: UInt64 = 5_000_000_000
  /// The most bytes that are received again and discarded to resume after a lost connection, when a server
  /// sends the whole body instead of the rest; only if its strong entity tag and its length are unchanged.
  public var repeatedByteLimit: UInt64 = 8 * 1024 * 1024

  /// The spool, which keeps bytes fetched over HTTP while they are played, so that they can be read again.
  public var spool = SpoolConfiguration.off

  /// Creates the default settings.
  public init() {}

  /// Whether lost connections are made again at all.
  var reconnects: Bool { leastReconnectionNanoseconds > 0 || leastReconnectionAttempts > 0 }
}
