// SPDX-License-Identifier: MIT

import AudioModel

/// The head of a response, gathered line by line; the last one, if redirects or interim answers come before it.
/// A value without I/O.
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
  /// The server's offer of parts, by `Accept-Ranges`.
  private(set) var rangeOffer = RangeOffer.unstated
  /// The entity tag, as sent, with its quotes (RFC 9110, section 8.8.3).
  private(set) var entityTag: String?
  /// The date of the body's last change, as sent.
  private(set) var lastModified: String?
  /// The part of the whole body that this body is.
  private(set) var contentRange: ContentRange?
  /// Bytes of the whole body, if the server cannot send the requested part (`Content-Range: bytes */N`).
  private(set) var unsatisfiedTotal: UInt64?
  /// The target of a redirect, as sent.
  private(set) var location: String?
  /// The station's information; nil if there is no field of a station.
  private(set) var station: StationInformation?
  /// Bytes of sound between two blocks of metadata, if the server sends these.
  private(set) var metadataInterval: Int?

  /// The most bytes kept of a field's value; a server may send very long ones.
  private static let valueLimit = 2048

  /// The field that names a coding of the body that was not requested; nil for an uncoded body.
  private(set) var foreignCoding: String?

  /// The offers of `Accept-Ranges` (RFC 9110, section 14.3).
  enum RangeOffer: Hashable {
    /// `bytes`: parts can be requested.
    case offered
    /// No field, or a value that names neither: only a request can show it.
    case unstated
    /// `none`.
    case refused
  }

  /// Whether `Accept-Ranges` names `bytes`.
  var acceptsByteRanges: Bool { rangeOffer == .offered }

  /// Whether the status is a success.
  var isSuccess: Bool { (200..<300).contains(status) }

  /// Whether the head is complete and redirects.
  var isRedirect: Bool { isComplete && (300..<400).contains(status) && location != nil }

  /// Whether the body is so short that reading it costs less than another connection.
  var hasShortBody: Bool { contentLength.map { $0 <= 16 << 10 } ?? false }

  /// Whether another answer follows, by its status: interim answers, but not a switch to another protocol.
  private var isInterim: Bool { (100..<200).contains(status) && status != 101 }

  /// Whether the answer is a refusal: an error, a switch to another protocol, or a redirect without a target.
  var isRefusal: Bool {
    isComplete && status > 0 && !isSuccess && !isInterim && !isRedirect
  }

  /// Bytes of the whole body, if announced; a part announces the total.
  var bodyLength: UInt64? { status == 206 ? contentRange?.total : contentLength }

  /// Whether the body begins behind the whole body's first byte, as far as known. Live sound has no first byte.
  var isLaterPart: Bool {
    guard status == 206 else { return false }
    return contentRange.map { $0.first > 0 } ?? (station == nil)
  }

  /// Whether a part of the body can be requested: the server offers parts, or does not deny them for a body of
  /// known length. With metadata between the sound, byte offsets are not those of the sound.
  var isRepositionable: Bool {
    guard metadataInterval == nil else { return false }
    switch rangeOffer {
    case .offered: return true
    case .unstated: return bodyLength != nil
    case .refused: return false
    }
  }

  /// The ways in which the body can continue after its connection was lost.
  enum Continuation: Hashable {
    /// With the sound of the moment: the body is live.
    case live
    /// With the rest of the body.
    case rest
    /// None: another answer might continue where this one ended, or begin anew.
    case none
  }

  /// The way in which the body can continue. Only a station's fields or server make it live: a song may lack a
  /// length and a version, and must not begin anew. With metadata between the sound, a byte offset is not a
  /// position in the sound.
  var continuation: Continuation {
    if metadataInterval != nil { return .live }
    if bodyLength != nil { return .rest }
    if station != nil || isOfStationServer { return .live }
    if acceptsByteRanges || entityTag != nil || lastModified != nil { return .rest }
    return mayBeSound ? .rest : .none
  }

  /// The content type without its parameters, in lower case.
  var mediaType: String? {
    contentType.map { type in
      String(type.lowercased().prefix { $0 != ";" && $0 != " " && $0 != "\t" })
    }
  }

  /// Whether the body may be sound, by its content type.
  var mayBeSound: Bool {
    guard let type = contentType?.lowercased() else { return true }
    // Playlist types may begin with `audio/`, too.
    if ["mpegurl", "scpls"].contains(where: type.contains) { return false }
    return ["audio/", "video/", "application/ogg", "application/octet-stream"]
      .contains { type.hasPrefix($0) }
  }

  /// Takes one line with its line end, as bytes: in a `String`, CR LF is one character, and the text may be in
  /// any encoding.
  mutating func consume(_ line: Span<UInt8>) {
    var end = line.count
    while end > 0, line[end - 1] == 0x0D || line[end - 1] == 0x0A { end -= 1 }
    if Self.starts(line, with: "HTTP/") || Self.starts(line, with: "ICY ") {
      self = HTTPResponse()
      status = Self.status(line, end)
      // SHOUTcast's own protocol, which only stations use.
      if Self.starts(line, with: "ICY ") { station = StationInformation() }
    } else if isComplete {
      return  // A trailer after a chunked body must not change the head.
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
    if name.hasPrefix("icy-") || name.hasPrefix("ice-") { stationField(name, line, start..<end) }
    switch name {
    case "content-length":
      contentLength = UInt64(Self.text(line, start..<end))
    case "content-type":
      contentType = Self.text(line, start..<end).onOneLine
    case "accept-ranges":
      let units = Self.list(Self.text(line, start..<end))
      rangeOffer =
        units.contains("bytes") ? .offered : units == ["none"] ? .refused : rangeOffer
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
      let text = Self.text(line, start..<end)
      if Self.list(text).contains(where: { !["chunked", "identity"].contains($0) }) {
        foreignCoding = "Transfer-Encoding: \(text.onOneLine)"
      }
    case "content-encoding":
      let text = Self.text(line, start..<end)
      if Self.list(text).contains(where: Self.compressions.contains) {
        foreignCoding = "Content-Encoding: \(text.onOneLine)"
      }
    case "server":
      let server = Self.text(line, start..<end).lowercased()
      isOfStationServer = ["icecast", "shoutcast"].contains { server.hasPrefix($0) }
    case "location":
      location = Self.reference(line, start..<min(end, start + 16 * Self.valueLimit))
    default:
      break
    }
    if isTransferEncoded { contentLength = nil }
  }

  private var isTransferEncoded = false
  /// Whether the server's name is that of a station server, which has no other bodies without a length.
  private var isOfStationServer = false

  /// The content codings that change the bytes (RFC 9110, section 8.4.1, and its registry). Stations send other
  /// values there that mean nothing.
  private static let compressions: Set<String> = [
    "br", "compress", "deflate", "gzip", "x-compress", "x-gzip", "zstd",
  ]

  /// Returns a list's elements in lower case, without parameters.
  private static func list(_ text: String) -> [String] {
    text.lowercased().split(separator: ",").map { element in
      String(element.drop { $0 == " " || $0 == "\t" }.prefix { !" \t;".contains($0) })
    }
  }

  private mutating func stationField(_ name: String, _ line: Span<UInt8>, _ range: Range<Int>) {
    var station = station ?? StationInformation()
    let text = StationText.decode(range.prefix(Self.valueLimit).map { line[$0] })
    switch name.dropFirst("icy-".count) {
    case "name": station.name = text
    case "genre": station.genre = text
    case "description": station.description = text
    case "url": station.url = text
    // Some servers state two values: the announced rate and the measured one.
    case "br": station.kilobitsPerSecond = Int(text.prefix { $0.isASCII && $0.isNumber })
    case "metaint": metadataInterval = Int(text).flatMap { $0 > 0 ? $0 : nil }
    default: break
    }
    self.station = station
  }

  /// Returns the three digits after the first blank; 0 if there are none.
  private static func status(_ line: Span<UInt8>, _ end: Int) -> Int {
    guard let blank = (0..<end).first(where: { isBlank(line[$0]) }), end - blank > 3 else {
      return 0
    }
    let digits = ((blank + 1)..<(blank + 4)).map { line[$0] }
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func starts(_ line: Span<UInt8>, with prefix: StaticString) -> Bool {
    let prefix = Array(prefix.description.utf8)
    return line.count >= prefix.count && prefix.indices.allSatisfy { line[$0] == prefix[$0] }
  }

  /// Returns a URL in which bytes outside ASCII, of any encoding, are percent-encoded.
  private static func reference(_ line: Span<UInt8>, _ range: Range<Int>) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    let bytes = range.flatMap { index -> [UInt8] in
      let byte = line[index]
      return byte < 0x80 ? [byte] : [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func text(_ line: Span<UInt8>, _ range: Range<Int>) -> String {
    let bytes = range.prefix(valueLimit).map { line[$0] }
    return String(decoding: bytes, as: UTF8.self)
  }
}
