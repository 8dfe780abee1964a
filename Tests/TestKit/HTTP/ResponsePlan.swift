// SPDX-License-Identifier: MIT

/// An answer of a `LoopbackHTTPServer` to one request, faults included.
public struct ResponsePlan: Sendable {
  /// The source of the body's bytes.
  public enum Body: Sendable {
    /// These bytes.
    case bytes([UInt8])
    /// A file's bytes, read while they are sent.
    case file(path: String)
    /// Bytes made while they are sent: `byteCount` bytes, by a function of offset and count that returns exactly
    /// `count` bytes. For an endless stream use `UInt64.max` and `.untilClose`.
    case generated(byteCount: UInt64, @Sendable (_ offset: UInt64, _ count: Int) -> [UInt8])
  }

  /// The means by which the receiver finds the end of the body.
  public enum Framing: Sendable {
    /// `Content-Length`, equal to the body's length; the connection stays open for another request.
    case contentLength
    /// A `Content-Length` that need not be true.
    case announced(UInt64)
    /// `Transfer-Encoding: chunked` (RFC 9112, section 7.1); the connection stays open.
    case chunked
    /// The body ends with the connection, as with HTTP/1.0.
    case untilClose
  }

  /// Metadata between the sound, as stations send it to clients that request it.
  public struct Metadata: Sendable {
    /// Bytes of sound between two blocks.
    public var interval: Int
    /// The text of each block, by its number; empty for a block of length 0. More than 4080 bytes
    /// do not fit.
    public var text: @Sendable (_ index: Int) -> [UInt8]

    /// Sends a block with a text after every `interval` bytes.
    public init(interval: Int, text: @escaping @Sendable (_ index: Int) -> [UInt8]) {
      self.interval = interval
      self.text = text
    }
  }

  /// A fault of the transmission. Its byte counts are those of the sent body, metadata included.
  public enum Fault: Sendable {
    /// Nothing.
    case none
    /// Silence after this many bytes of the body, until the gate opens; for ever without one.
    case stall(afterBytes: UInt64, until: Gate? = nil)
    /// The connection ends in order (FIN) after this many bytes.
    case finish(afterBytes: UInt64)
    /// The connection is reset (RST) after this many bytes.
    case reset(afterBytes: UInt64)
    /// The connection ends in order after this many bytes of the answer's head.
    case finishInHead(afterBytes: Int)
  }

  /// The treatment of a request's `Range`.
  public enum Ranges: Sendable {
    /// It is ignored; no ranges are offered.
    case notOffered
    /// Ranges are offered, and sent with 206 unless `If-Range` names a validator other than the plan's `ETag` or
    /// `Last-Modified`; an offset behind the end is answered with 416.
    case honoured
    /// Ranges are offered, but the whole body is sent.
    case ignored
    /// Ranges are offered, and the requested part is sent with this `Content-Range`; without that field if nil.
    case mislabelled(contentRange: String?)
  }

  /// The first line; nil sends the body alone, without any head.
  public var statusLine: String?
  /// Further fields, in order. Framing adds its own.
  public var fields: [(name: String, value: String)]
  /// The body.
  public var body: Body
  /// The means by which the body's end is marked.
  public var framing: Framing
  /// The treatment of a request for a part of the body.
  public var ranges: Ranges
  /// Whether ranges that are honoured are offered without a header field.
  public var offersRangesSilently = false
  /// The most bytes that a part has, where ranges are honoured; nil is up to the body's end.
  public var maximumPartBytes: UInt64?
  /// Body bytes per second; nil is as fast as the client reads them.
  public var bytesPerSecond: UInt64?
  /// Bytes of the head per second; nil is all at once.
  public var headBytesPerSecond: UInt64?
  /// Metadata between the bytes of the body, when the request asks for it.
  public var metadata: Metadata?
  /// The fault of the transmission.
  public var fault = Fault.none
  /// Nanoseconds between the request and the first byte of the answer.
  public var delayNanoseconds: UInt64 = 0

  /// A plan with these parts; by default `200 OK`, with a content length.
  public init(
    statusLine: String? = "HTTP/1.1 200 OK", fields: [(name: String, value: String)] = [],
    body: Body = .bytes([]), framing: Framing = .contentLength, ranges: Ranges = .notOffered,
    bytesPerSecond: UInt64? = nil,
    fault: Fault = .none, delayNanoseconds: UInt64 = 0
  ) {
    self.statusLine = statusLine
    self.fields = fields
    self.body = body
    self.framing = framing
    self.ranges = ranges
    self.bytesPerSecond = bytesPerSecond
    self.fault = fault
    self.delayNanoseconds = delayNanoseconds
  }

  /// Returns a whole body of a media type.
  public static func body(_ bytes: [UInt8], type: String = "audio/mpeg") -> ResponsePlan {
    ResponsePlan(fields: [("Content-Type", type)], body: .bytes(bytes))
  }

  /// Returns a whole file of a media type.
  public static func file(
    _ path: String, type: String = "audio/mpeg", ranges: Ranges = .notOffered
  ) -> ResponsePlan {
    ResponsePlan(fields: [("Content-Type", type)], body: .file(path: path), ranges: ranges)
  }

  /// Returns a status with a short text that must not be played as sound.
  public static func status(_ status: Int, _ name: String) -> ResponsePlan {
    ResponsePlan(
      statusLine: "HTTP/1.1 \(status) \(name)", fields: [("Content-Type", "text/html")],
      body: .bytes(Array("<html>\(name)</html>".utf8)))
  }

  /// Returns an answer of 503 that asks the client to retry after some seconds, or at a date.
  public static func unavailable(retryAfter: String) -> ResponsePlan {
    var plan = ResponsePlan.status(503, "Service Unavailable")
    plan.fields.append(("Retry-After", retryAfter))
    return plan
  }

  /// Returns a redirect to an absolute or relative URL.
  public static func redirect(to location: String, status: Int = 302) -> ResponsePlan {
    ResponsePlan(
      statusLine: "HTTP/1.1 \(status) Found", fields: [("Location", location)],
      body: .bytes(Array("moved".utf8)))
  }

  /// An answer that never comes: the server accepts the connection and sends nothing.
  public static var silence: ResponsePlan {
    ResponsePlan(statusLine: nil, framing: .untilClose, fault: .stall(afterBytes: 0))
  }
}
