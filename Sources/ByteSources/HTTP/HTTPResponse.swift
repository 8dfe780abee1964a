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
  /// Bytes of the whole body, when no part of it was there to be sent (`Content-Range: bytes */N`).
  private(set) var unsatisfiedTotal: UInt64?
  /// Where a redirect leads, as sent.
  private(set) var location: String?
  /// What a station says of itself; nil when there is no field of one.
  private(set) var station: StationInformation?
  /// Bytes of sound between two blocks of metadata, when the server sends such.
  private(set) var metadataInterval: Int?

  /// Bytes of a field's value that are kept; the sender is not trusted to be brief.
  private static let valueLimit = 2048

  /// Whether the body is the one that was asked for.
  var isSuccess: Bool { (200..<300).contains(status) }

  /// Whether there is no more to come but a refusal: an error, or a redirect to nowhere.
  var isRefusal: Bool {
    isComplete && (status >= 400 || (300..<400).contains(status) && location == nil)
  }

  /// Whether a part of the body can be asked for. A server that puts metadata between the sound counts
  /// bytes that are not of it.
  var isRepositionable: Bool { acceptsByteRanges && metadataInterval == nil }

  /// How the body can go on when its connection was lost.
  enum Continuation: Hashable {
    /// It is the sound of the moment: from another moment on.
    case live
    /// With the rest of it.
    case rest
    /// There is nothing to tell whether another answer goes on where this one ended, or begins anew.
    case none
  }

  /// How the body can go on. What says how long it is, or which version of something, is no live
  /// sound; where blocks of metadata lie between the sound, a count of bytes is no place in it.
  var continuation: Continuation {
    if metadataInterval != nil { return .live }
    if contentLength != nil { return .rest }
    if station != nil { return .live }
    if acceptsByteRanges || entityTag != nil || lastModified != nil { return .rest }
    return mayBeSound ? .live : .none
  }

  /// Whether the content type leaves open that the body is sound.
  private var mayBeSound: Bool {
    guard let type = contentType?.lowercased() else { return true }
    // Playlists are called audio, too.
    if ["mpegurl", "scpls"].contains(where: type.contains) { return false }
    return ["audio/", "video/", "application/ogg", "application/octet-stream"]
      .contains { type.hasPrefix($0) }
  }

  /// Takes one line with its line end, as bytes: in a `String`, CR LF is one character, and the
  /// text may be in any encoding.
  mutating func consume(_ line: Span<UInt8>) {
    var end = line.count
    while end > 0, line[end - 1] == 0x0D || line[end - 1] == 0x0A { end -= 1 }
    if Self.starts(line, with: "HTTP/") || Self.starts(line, with: "ICY ") {
      self = HTTPResponse()
      status = Self.status(line, end)
      // SHOUTcast's own protocol, which nothing but a station speaks.
      if Self.starts(line, with: "ICY ") { station = StationInformation() }
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
    let name = Self.text(line, 0..<min(colon, 64)).lowercased()
    if name.hasPrefix("icy-") { stationField(name, line, start..<end) }
    switch name {
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
      let text = Self.text(line, start..<end)
      contentRange = ContentRange(text)
      unsatisfiedTotal = ContentRange.unsatisfiedTotal(text)
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

  private mutating func stationField(_ name: String, _ line: Span<UInt8>, _ range: Range<Int>) {
    var station = station ?? StationInformation()
    let text = StationText.decode(range.prefix(Self.valueLimit).map { line[$0] })
    switch name {
    case "icy-name": station.name = text
    case "icy-genre": station.genre = text
    case "icy-description": station.description = text
    case "icy-url": station.url = text
    // Some servers write it once for what they announce and once for what they measured.
    case "icy-br": station.kilobitsPerSecond = Int(text.prefix { $0.isASCII && $0.isNumber })
    case "icy-metaint": metadataInterval = Int(text).flatMap { $0 > 0 ? $0 : nil }
    default: break
    }
    self.station = station
  }

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
