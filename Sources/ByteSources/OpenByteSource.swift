// SPDX-License-Identifier: MIT

internal import AudioModel

/// How sources behave. The defaults fit a player.
public struct ByteSourceConfiguration: Hashable, Sendable {
  /// What the program calls itself in requests (RFC 9110, section 10.1.5).
  public var userAgent = "Drawbar/\(DrawbarVersion.text)"
  /// How long finding the host's address and connecting may take, in nanoseconds.
  public var connectTimeoutNanoseconds: UInt64 = 4_000_000_000
  /// How long the first byte of an answer may take once the request can be sent, in nanoseconds.
  public var answerTimeoutNanoseconds: UInt64 = 4_000_000_000
  /// How long the next byte may take after that, in nanoseconds. Counted only while the reader
  /// finds nothing to read: a reader that is away or slow never makes a source time out.
  public var stallTimeoutNanoseconds: UInt64 = 10_000_000_000
  /// Bytes received ahead of the reader; when they are full the server is made to wait. At least
  /// 64 KiB are used.
  public var receiveBufferBytes = 256 * 1024
  /// Redirects followed for one location.
  public var redirectLimit = 5
  /// Where what is fetched over HTTP is kept while it is played, so that it can be read again.
  public var spool = SpoolConfiguration.off

  /// The defaults.
  public init() {}
}

/// Opens a location for reading.
///
/// For a file, what stands in the way is found at once. For a URL nothing is sent yet: the
/// transfer runs inside `ByteSource.read`, on the reader's thread, and its failures appear there.
///
/// - Parameters:
///   - location: a path, a `file:` URL (RFC 8089), an `http:` or `https:` URL, with
///     `user:password@` if need be, or `-` for standard input. A file whose name looks like a URL
///     is reached as `./name`.
///   - configuration: time limits and sizes.
/// - Throws: `ByteSourceError`, for example `unsupportedScheme` or `notFound`.
public func openByteSource(
  _ location: String, configuration: ByteSourceConfiguration = ByteSourceConfiguration()
) throws(ByteSourceError) -> any ByteSource {
  switch try SourceLocation(location) {
  case .standardInput:
    try FileByteSource.standardInput()
  case .file(let path):
    try FileByteSource(path: path)
  case .web(let url):
    configuration.spool.wrap(try HTTPByteSource(url, configuration))
  }
}
