// SPDX-License-Identifier: MIT

/// The head of a response, gathered line by line; the last one, when redirects or interim answers
/// come before it. A value without I/O.
///
///     HTTP/1.1 200 OK␍␊          or   ICY 200 OK␍␊
///     Content-Type: audio/mpeg␍␊
///     Content-Length: 123456␍␊
///     ␍␊
struct HTTPResponse: Hashable {
  /// The status code; 0 before the first status line.
  private(set) var status = 0
  /// Whether the empty line after the fields has come.
  private(set) var isComplete = false
  /// Bytes of the body, when announced.
  private(set) var contentLength: UInt64?
  /// The media type, as sent.
  private(set) var contentType: String?
  /// Whether `Accept-Ranges` names `bytes`.
  private(set) var acceptsByteRanges = false
  /// The entity tag, as sent, with its quotes (RFC 9110, section 8.8.3).
  private(set) var entityTag: String?
  /// When the body was last changed, as sent.
  private(set) var lastModified: String?
  /// Which part of the whole the body is.
  private(set) var contentRange: ContentRange?
  /// Where a redirect leads, as sent.
  private(set) var location: String?

  /// Bytes of a field's value that are kept; the sender is not trusted to be brief.
  private static let valueLimit = 2048

  /// Whether the body is the one that was asked for.
  var isSuccess: Bool { (200..<300).contains(status) }

  /// Whether there is no more to come but a refusal: an error, or a redirect to nowhere.
  var isRefusal: Bool {
    isComplete && (status >= 400 || (300..<400).contains(status) && location == nil)
  }

  /// Takes one line with its line end, as bytes: in a `String`, CR LF is one character, and the
  /// text may be in any encoding.
  mutating func consume(_ line: Span<UInt8>) {
    var end = line.count
    while end > 0, line[end - 1] == 0x0D || line[end - 1] == 0x0A { end -= 1 }
    if Self.starts(line, with: "HTTP/") || Self.starts(line, with: "ICY ") {
      self = HTTPResponse()
      status = Self.status(line, end)
    } else if isComplete {
      return  // A trailer after a chunked body, which must not change what the head said.
    } else if end == 0 {
      isComplete = true
    } else {
      field(line, end)
    }
  }

  private mutating func field(_ line: Span<UInt8>, _ end: Int) {
    guard let colon = (0..<end).first(where: { line[$0] == UInt8(ascii: ":") }) else { return }
    var start = colon + 1
    var end = end
    while start < end, Self.isBlank(line[start]) { start += 1 }
    while end > start, Self.isBlank(line[end - 1]) { end -= 1 }
    switch Self.text(line, 0..<min(colon, 64)).lowercased() {
    case "content-length":
      contentLength = UInt64(Self.text(line, start..<end))
    case "content-type":
      contentType = Self.text(line, start..<end).onOneLine
    case "accept-ranges":
      acceptsByteRanges = Self.text(line, start..<end).lowercased() == "bytes"
    case "etag":
      entityTag = Self.text(line, start..<end).onOneLine
    case "last-modified":
      lastModified = Self.text(line, start..<end).onOneLine
    case "content-range":
      contentRange = ContentRange(Self.text(line, start..<end))
    case "transfer-encoding":
      // RFC 9112, section 6.3: it overrides a Content-Length, also a later one.
      isTransferEncoded = true
    case "location":
      location = Self.text(line, start..<end)
    default:
      break
    }
    if isTransferEncoded { contentLength = nil }
  }

  private var isTransferEncoded = false

  /// The three digits after the first blank; 0 if there are none.
  private static func status(_ line: Span<UInt8>, _ end: Int) -> Int {
    guard let blank = (0..<end).first(where: { isBlank(line[$0]) }), end - blank > 3 else {
      return 0
    }
    return Int(text(line, (blank + 1)..<(blank + 4))) ?? 0
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func starts(_ line: Span<UInt8>, with prefix: StaticString) -> Bool {
    let prefix = Array(prefix.description.utf8)
    return line.count >= prefix.count && prefix.indices.allSatisfy { line[$0] == prefix[$0] }
  }

  private static func text(_ line: Span<UInt8>, _ range: Range<Int>) -> String {
    let bytes = range.prefix(valueLimit).map { line[$0] }
    return String(decoding: bytes, as: UTF8.self)
  }
}
