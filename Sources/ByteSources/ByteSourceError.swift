// SPDX-License-Identifier: MIT

/// A failure of a source, with its location. `description` states both in one line, with a remedy; neither it
/// nor any field holds a password.
public struct ByteSourceError: Error, Hashable, Sendable {
  /// The kind of failure.
  public var reason: Reason
  /// The path, or the URL without user name and password, on one line.
  public var location: String
  /// The requested URL, if redirects led from it to `location`.
  public var redirectedFrom: String?
  /// Consecutive attempts to restore a lost connection, all failed; 0 when none was made.
  public var failedReconnections = 0

  /// Creates an error with these fields.
  public init(_ reason: Reason, at location: String, redirectedFrom: String? = nil) {
    self.reason = reason
    self.location = location
    self.redirectedFrom = redirectedFrom
  }

  /// The kinds of failure. Hosts are written as in a URL: an IPv6 address is in brackets.
  public enum Reason: Hashable, Sendable {
    /// There is no such file.
    case notFound
    /// The file may not be read.
    case permissionDenied
    /// The path is a directory.
    case directory
    /// Standard input is a terminal, not a file or a pipe.
    case terminal
    /// The source ended before its first byte.
    case empty
    /// The location is not a path or URL that can be used.
    case malformedLocation
    /// The URL's scheme is not `file`, `http` or `https`; a redirect may lead only to the last two.
    case unsupportedScheme(String)
    /// libcurl, which `http:` and `https:` URLs need, cannot be loaded.
    case libraryNotInstalled
    /// The host's name has no address.
    case unknownHost(String)
    /// Nothing accepts connections there.
    case connectionRefused(host: String, port: UInt16)
    /// No connection, for a cause other than a refusal; `errno`, or 0 when it is not known.
    case unreachable(host: String, port: UInt16, errno: Int32)
    /// A wait took longer than the configuration allows.
    case timedOut(Wait, host: String, port: UInt16, nanoseconds: UInt64)
    /// The secure connection could not be made: a certificate that is not trusted, or no common protocol; with
    /// the library's own text.
    case insecureConnection(host: String, port: UInt16, explanation: String)
    /// The server answered with a status other than success.
    case status(Int)
    /// More redirects than the configuration allows.
    case tooManyRedirects(limit: Int)
    /// The server redirected to something that is not a URL: this text.
    case badRedirect(String)
    /// The server's answer is not HTTP, or is empty.
    case badResponse(host: String, port: UInt16)
    /// The connection was lost after this many bytes of the body, of the announced number.
    case interrupted(receivedBytes: UInt64, expectedBytes: UInt64?)
    /// The connection was lost after this many bytes of the body, of the announced number, and the server sends
    /// the rest only with all bytes before it.
    case notResumable(receivedBytes: UInt64, expectedBytes: UInt64?)
    /// Only reading from the start to the end is possible: a pipe, a FIFO, a device, or a server that
    /// does not offer ranges.
    case notRepositionable
    /// The server offers ranges, but answered a request for the bytes from this offset on with all bytes or
    /// with others.
    case wrongRange(byteOffset: UInt64)
    /// The server's content has changed since it was read before.
    case changed
    /// The body has a coding that was not requested: the field that names it.
    case foreignCoding(String)
    /// The server sent something other than sound where live sound was expected: its content type, if stated.
    case noSound(contentType: String?)
    /// The body is an HTTP Live Streaming playlist (RFC 8216), not sound: a list of segments, to be requested
    /// again and again.
    case liveStreamingPlaylist
    /// The proxy that the environment names has no address, or is malformed.
    case unusableProxy
    /// The server has no bytes from this offset on.
    case noSuchByte(byteOffset: UInt64)
    /// The operating system's error on opening or reading a file.
    case system(errno: Int32)
    /// Any other failure of the transfer: libcurl's code and text.
    case transfer(code: Int32, explanation: String)
  }

  /// The step that timed out.
  public enum Wait: Hashable, Sendable {
    /// The host's address.
    case address
    /// The connection, with its encryption if it has any.
    case connection
    /// The answer, up to the first byte of its body.
    case answer
    /// The next byte, after this many bytes of the body.
    case nextByte(receivedBytes: UInt64)
  }
}
