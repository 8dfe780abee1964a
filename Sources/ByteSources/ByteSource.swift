// SPDX-License-Identifier: MIT

public import AudioModel

/// A stream of bytes from a file, a pipe or a server, read from its start to its end, and from other byte
/// offsets if the source can be repositioned.
///
/// One thread at a time, in the player the feeder, may call everything except `wake()`; overlapping calls are a
/// programming error and trap. `wake()` may be called from any thread at any time, also after `close()`.
///
/// Real-time: never on the render thread.
public protocol ByteSource: AnyObject, Sendable {
  /// The facts known so far. A server's answers are included once the first bytes have been read.
  var information: ByteSourceInformation { get }

  /// The source's activity. Changes only inside `read`, `reposition` and `close`.
  var status: ByteSourceStatus { get }

  /// Reads available bytes, as many as fit, waiting at most a given time for the first one.
  ///
  /// - Parameters:
  ///   - buffer: the destination; not empty.
  ///   - timeoutNanoseconds: the longest wait for a first byte; 0 does not wait.
  /// - Returns: the number of bytes read; `wait` if none came in time or before a wake; `discontinuity` if the
  ///   bytes that follow do not continue those before; `end` at the end of the stream and after `close()`.
  /// - Throws: the failure, after all bytes that came before it have been read. The source is then finished:
  ///   every later call throws the same error.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, timeoutNanoseconds: UInt64
  ) throws(ByteSourceError) -> ByteSourceRead

  /// Makes the next read return the byte at this offset, also after the end was read. Sends nothing and does
  /// not wait: `read` throws a server's refusal. After `close()` the stream has ended all the same.
  ///
  /// - Parameter byteOffset: the offset from the source's first byte. Beyond a file's last byte, `read` returns
  ///   the end; a server refuses.
  /// - Throws: `notRepositionable` when `information.isRepositionable` is false and the byte, or one behind it
  ///   that was read, is not spooled; the source then reads on where it was. Or the error that ended the source
  ///   before.
  func reposition(to byteOffset: UInt64) throws(ByteSourceError)

  /// Returns the station's metadata since the last call, oldest first: the newest 64 changes at most. Empty if
  /// there are none, as in a file.
  func takeStreamMetadata() -> [StreamMetadata]

  /// The byte ranges that can be read again without a request to a server, in order; none without a spool. The
  /// rules for `information` apply.
  var spooledByteRanges: [Range<UInt64>] { get }

  /// The state of the spool. The rules for `information` apply.
  var spoolState: SpoolState { get }

  /// Ends a wait in `read` early. When none is under way, the next one ends at once. Any thread.
  func wake()

  /// Closes the file or connection. The descriptors for a wake, at most two, stay open until the source is
  /// freed. A second call does nothing.
  func close()
}

extension ByteSource {
  /// Idle: there is no connection to make or to lose.
  public var status: ByteSourceStatus { ByteSourceStatus() }

  /// Returns an empty list.
  public func takeStreamMetadata() -> [StreamMetadata] { [] }

  /// None: there is no spool.
  public var spooledByteRanges: [Range<UInt64>] { [] }

  /// Off.
  public var spoolState: SpoolState { .off }
}

/// The result of one read.
public enum ByteSourceRead: Hashable, Sendable {
  /// This many bytes, at least 1.
  case bytes(Int)
  /// No byte yet; more may come.
  case wait
  /// The bytes that follow do not continue those before: live sound was lost and has resumed. Returned once,
  /// when the first of them can be read.
  case discontinuity
  /// No more bytes: everything up to the last one was read.
  case end
}

/// The known facts about a source.
public struct ByteSourceInformation: Hashable, Sendable {
  /// The source's display name: a path, or a URL without user name and password. One line.
  public var name: String
  /// The URL that answered, without user name and password, if redirects led from the location to another one.
  /// Relative references in the answer are relative to this URL.
  public var redirectedTo: String?
  /// Bytes from the first to the last, if the file system or the server has stated it.
  public var byteCount: UInt64?
  /// The server's `Content-Type`, as sent (RFC 9110, section 8.3).
  public var contentType: String?
  /// Whether reading can go on at another byte: a regular file; a server that sends `Accept-Ranges: bytes` (RFC
  /// 9110, section 14.3), or states a length and does not send `none`; or a body of known length for all of
  /// which the spool has room. False until a server has answered, and again when the spool of such a body has
  /// stopped.
  public var isRepositionable: Bool
  /// The way in which a reposition reaches its byte, if it can.
  public var reach = Reach.direct

  /// The ways in which a reposition reaches its byte.
  public enum Reach: Hashable, Sendable {
    /// Directly: a file, or a server that offers or has sent a part.
    case direct
    /// By a trial: a part is requested from a server that has not stated whether it sends parts. A server that
    /// does not sends the whole body, and the bytes before are read and discarded.
    case untried
    /// By reading: the server sends no parts. The bytes before are read and discarded; backwards, from the
    /// first one on.
    case byReading
  }

  /// Whether the bytes are on this machine, so that reading all of them costs little.
  public var isLocal: Bool
  /// The probable file type, from the content type or the name's extension. A hint: the bytes themselves
  /// decide.
  public var fileTypeHint: AudioFileTypeID?
  /// The station's own information; nil unless the server sends a station's fields.
  public var station: StationInformation?

  /// Creates information with these fields.
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
