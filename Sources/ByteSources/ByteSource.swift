// SPDX-License-Identifier: MIT

public import AudioModel

/// A stream of bytes from a file, a pipe or a server, read from its start to its end, and from other
/// places where the source can.
///
/// One thread at a time, in the player the feeder, calls everything but `wake()`; such calls that
/// overlap are a programming error and trap. `wake()` may be called from any thread at any time, also
/// after `close()`.
///
/// Real-time: never on the render thread.
public protocol ByteSource: AnyObject, Sendable {
  /// What is known so far. A server's answers appear in it once the first bytes have been read.
  var information: ByteSourceInformation { get }

  /// What the source is doing. Changes only inside `read`, `reposition` and `close`.
  var status: ByteSourceStatus { get }

  /// Reads what is there, as many bytes as fit, waiting at most a given time for the first one.
  ///
  /// - Parameters:
  ///   - buffer: where the bytes go; not empty.
  ///   - timeoutNanoseconds: how long to wait for a first byte; 0 only looks.
  /// - Returns: the number of bytes read, or that none came in time or before a wake, or that those
  ///   that follow do not continue those before, or that the stream has ended. After `close()` the
  ///   stream has ended.
  /// - Throws: what went wrong, when all bytes that came before it have been read. The source is
  ///   then finished: every later call throws the same.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, timeoutNanoseconds: UInt64
  ) throws(ByteSourceError) -> ByteSourceRead

  /// Makes the next read give the byte at this offset, also after the end was read. Sends nothing
  /// and waits for nothing: what a server has against it is thrown by `read`. After `close()` the
  /// stream has ended all the same.
  ///
  /// - Parameter byteOffset: bytes from the first byte that the source gave. Behind a file's last
  ///   byte there is its end; a server refuses.
  /// - Throws: `notRepositionable` when `information.isRepositionable` is false and the byte, or one
  ///   behind it that was read, is not spooled, and the source reads on where it was; or what ended
  ///   it before.
  func reposition(to byteOffset: UInt64) throws(ByteSourceError)

  /// Gives what the station said of the sound since this was last called, oldest first: at most the
  /// newest 64 changes. Where nothing is said, as in a file, nothing is given.
  func takeStreamMetadata() -> [StreamMetadata]

  /// The bytes that can be read again without asking a server for them, in order; none where there is
  /// no spool. To be called as `information` is.
  var spooledByteRanges: [Range<UInt64>] { get }

  /// What has become of the spool. To be called as `information` is.
  var spoolState: SpoolState { get }

  /// Ends a wait in `read` early. When none is under way, the next one ends at once. Any thread.
  func wake()

  /// Lets go of the file or connection. What a wake needs, at most two descriptors, goes with the
  /// source itself. A second call does nothing.
  func close()
}

extension ByteSource {
  /// Idle: nothing has to be connected, nothing can be lost.
  public var status: ByteSourceStatus { ByteSourceStatus() }

  /// Nothing.
  public func takeStreamMetadata() -> [StreamMetadata] { [] }

  /// None: there is no spool.
  public var spooledByteRanges: [Range<UInt64>] { [] }

  /// Off.
  public var spoolState: SpoolState { .off }
}

/// What one read gave.
public enum ByteSourceRead: Hashable, Sendable {
  /// This many bytes, at least 1.
  case bytes(Int)
  /// No byte yet; there may be some later.
  case wait
  /// The bytes that follow do not continue those before: live sound was lost and is there again.
  /// Given once, when the first of them can be read.
  case discontinuity
  /// No more bytes: everything up to the last one was read.
  case end
}

/// What is known about a source.
public struct ByteSourceInformation: Hashable, Sendable {
  /// The source's name for people: a path, or a URL without user name and password. One line.
  public var name: String
  /// The URL that answered, without user name and password, when redirects led from the location to
  /// another one. What the answer names relatively is relative to this.
  public var redirectedTo: String?
  /// Bytes from the first to the last, when the file system or the server has said.
  public var byteCount: UInt64?
  /// The server's `Content-Type`, as sent (RFC 9110, section 8.3).
  public var contentType: String?
  /// Whether reading can go on at another byte: a regular file; a server that says
  /// `Accept-Ranges: bytes` (RFC 9110, section 14.3), or states a length and does not say `none`; or a body
  /// whose length is known and for all of which there is room in the spool. False until a server has
  /// answered, and again when the spool of such a body has stopped.
  public var isRepositionable: Bool
  /// How a reposition reaches its byte, where it can.
  public var reach = Reach.direct

  /// How a reposition reaches its byte.
  public enum Reach: Hashable, Sendable {
    /// It goes there: a file, or a server that offers or has sent a part.
    case direct
    /// A part is requested of a server that has not said whether it sends parts. One that does not sends
    /// the whole, of which the bytes before are read and dropped.
    case untried
    /// The server sends no parts: the bytes before are read and dropped, backwards from the first one on.
    case byReading
  }

  /// Whether the bytes are on this machine, so that reading all of them costs little.
  public var isLocal: Bool
  /// What the bytes probably are, from the content type or the name's extension. A hint: the bytes
  /// themselves have the last word.
  public var fileTypeHint: AudioFileTypeID?
  /// What a station says of itself; nil when the server does not say that it is one.
  public var station: StationInformation?

  /// Information with these fields.
  public init(
    name: String, byteCount: UInt64? = nil, contentType: String? = nil,
    isRepositionable: Bool = false, isLocal: Bool = false, fileTypeHint: AudioFileTypeID? = nil,
    station: StationInformation? = nil
  ) {
    self.name = name
    self.byteCount = byteCount
    self.contentType = contentType
    self.isRepositionable = isRepositionable
    self.isLocal = isLocal
    self.fileTypeHint = fileTypeHint
    self.station = station
  }
}
