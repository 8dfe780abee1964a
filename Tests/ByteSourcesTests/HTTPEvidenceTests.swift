// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import ByteSources

/// A server with its own way of sending parts.
struct PartServer: Sendable {
  var body: [UInt8]
  /// The server's `Accept-Ranges`; nil for none.
  var acceptRanges: String?
  /// The largest size of a part.
  var mostBytes = Int.max
  /// Whether its `Content-Range` states the total.
  var statesTotal = true
  /// The stated total; nil for the true one.
  var statedTotal: Int?
  var framing = ResponsePlan.Framing.contentLength
  /// The answer to a request for the whole.
  var whole: ResponsePlan

  init(_ body: [UInt8], acceptRanges: String? = nil) {
    self.body = body
    self.acceptRanges = acceptRanges
    whole = ResponsePlan(body: .bytes(body))
  }

  func plan(_ request: LoopbackHTTPServer.Request) -> ResponsePlan {
    let offer = acceptRanges.map { [(name: "Accept-Ranges", value: $0)] } ?? []
    guard let range = request.fields["range"], let first = Int(range.dropFirst(6).dropLast())
    else {
      var plan = whole
      plan.fields += offer
      return plan
    }
    let total = statesTotal ? "\(statedTotal ?? body.count)" : "*"
    guard first < body.count else {
      var plan = ResponsePlan.status(416, "Range Not Satisfiable")
      if statesTotal { plan.fields.append(("Content-Range", "bytes */\(total)")) }
      return plan
    }
    let end = min(body.count, first + min(mostBytes, body.count))
    return ResponsePlan(
      statusLine: "HTTP/1.1 206 Partial Content",
      fields: offer + [("Content-Range", "bytes \(first)-\(end - 1)/\(total)")],
      body: .bytes(Array(body[first..<end])), framing: framing)
  }
}

@Suite("The evidence of a server's answers")
final class HTTPEvidenceTests {
  private let server = LoopbackHTTPServer()
  private let body = Pattern.body(300_000)

  deinit {
    server.stop()
  }

  /// A truncated body without a length.
  private func broken(_ fields: [(name: String, value: String)] = []) -> ResponsePlan {
    ResponsePlan(
      fields: [("Content-Type", "audio/mpeg")] + fields, body: .bytes(body), framing: .chunked,
      fault: .finish(afterBytes: 100_000))
  }

  /// Bytes sent unchanged, without a head from the server.
  private func raw(_ text: some StringProtocol) -> ResponsePlan {
    ResponsePlan(statusLine: nil, body: .bytes(Array(text.utf8)), framing: .untilClose)
  }

  private func serve(_ path: String, _ parts: PartServer) {
    server.handle(path) { parts.plan($0) }
  }

  /// Whether the whole body is read without an error. A Boolean keeps the bytes out of the test's output.
  private func isWhole(_ path: String) -> Bool {
    let (bytes, error) = readAll(server.url(path), .eager)
    #expect(error == nil, "\(path)")
    return bytes == body
  }

  @Test("a connection that ends within an answer's head is a loss, not the end of the body")
  func cutHead() {
    let head =
      "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Range: bytes 100000-299999/300000\r\n"
      + "Content-Length: 200000\r\n\r\n"
    for cut in stride(from: 1, to: head.utf8.count, by: 3) {
      let good = ResponsePlan(fields: [("ETag", "\"v1\"")], body: .bytes(body), ranges: .honoured)
      server.serve(
        "/\(cut)", inOrder: [broken([("ETag", "\"v1\"")]), raw(head.prefix(cut)), good])
      #expect(isWhole("/\(cut)"), "\(cut)")
    }
    server.serve("/first", raw("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\n"))
    #expect(
      failure(server.url("/first")) == .badResponse(host: "127.0.0.1", port: server.port))
  }

  @Test("a part that is shorter than requested is followed by the next one")
  func shortParts() throws {
    for statesTotal in [true, false] {
      for framing in [ResponsePlan.Framing.contentLength, .chunked] {
        var parts = PartServer(body)
        parts.whole = broken()
        parts.mostBytes = 70_000
        parts.statesTotal = statesTotal
        parts.framing = framing
        serve("/a", parts)
        #expect(isWhole("/a"))
      }
    }
    var parts = PartServer(body, acceptRanges: "bytes")
    parts.mostBytes = 70_000
    serve("/b", parts)
    let source = try openByteSource(server.url("/b"), configuration: .once)
    _ = try source.read(10)
    try source.reposition(to: 50_000)
    #expect(source.readAll().bytes.elementsEqual(body[50_000...]))
    // Consecutive parts are not losses.
    #expect(source.status.reconnectionCount == 0 && source.status.lostConnectionCount == 0)
  }

  @Test("a part that is longer than stated is cut at the stated length")
  func longPart() {
    var parts = PartServer(body)
    parts.whole = broken()
    let shorter = parts
    server.handle("/a") { [body] request in
      var plan = shorter.plan(request)
      guard request.fields["range"] == "bytes=100000-" else { return plan }
      plan.fields = [("Content-Range", "bytes 100000-149999/300000")]
      plan.body = .bytes(Array(body[100_000..<150_000]) + [UInt8](repeating: 9, count: 1000))
      plan.framing = .chunked
      return plan
    }
    #expect(isWhole("/a"))
  }

  @Test("an unrequested part is the body only if it begins with the first byte")
  func uninvited() {
    func part(_ contentRange: String?, _ range: Range<Int>) -> ResponsePlan {
      ResponsePlan(
        statusLine: "HTTP/1.1 206 Partial Content",
        fields: contentRange.map { [("Content-Range", $0)] } ?? [],
        body: .bytes(Array(body[range])))
    }
    for (index, plan) in [
      part("bytes 100000-299999/300000", 100_000..<300_000), part(nil, 0..<300_000),
      part("bytes 1-9/*", 1..<10), part("parts 0-9/10", 0..<10),
    ].enumerated() {
      server.serve("/\(index)", plan)
      #expect(failure(server.url("/\(index)")) == .wrongRange(byteOffset: 0), "\(index)")
    }
    var parts = PartServer(body)
    for (path, plan) in [
      ("/all", part("bytes 0-299999/300000", 0..<300_000)),
      ("/start", part("bytes 0-99999/300000", 0..<100_000)),
      ("/open", part("bytes 0-99999/*", 0..<100_000)),
    ] {
      parts.whole = plan
      serve(path, parts)
      #expect(isWhole(path))
    }
  }

  @Test("a song without length and version is read once: by a part, or with a reported loss")
  func unknownLength() throws {
    var parts = PartServer(body)
    parts.whole = broken()
    serve("/parts", parts)
    #expect(isWhole("/parts"))
    for type in ["audio/mpeg", "application/octet-stream", "audio/ogg"] {
      var plan = broken()
      plan.fields = [("Content-Type", type)]
      server.serve("/whole", plan)
      let source = try openByteSource(server.url("/whole"), configuration: .eager)
      let (stretches, error) = source.readStretches()
      #expect(stretches.map(\.count) == [100_000])
      #expect(error?.reason == .notResumable(receivedBytes: 100_000, expectedBytes: nil))
      #expect(source.status.lostConnectionCount == 1 && source.status.discontinuityCount == 0)
    }
    server.serve("/gone", inOrder: [broken(), .status(204, "No Content")])
    #expect(readAll(server.url("/gone"), .eager).error != nil)
  }

  @Test("a station server's name or a station's field makes a body without length live")
  func stationEvidence() throws {
    for field in [("Server", "Icecast 2.4.4"), ("ice-audio-info", "bitrate=128"), ("icy-br", "64")]
    {
      server.serve("/a", inOrder: [broken([field]), broken([field]), .status(403, "Forbidden")])
      let source = try openByteSource(server.url("/a"), configuration: .eager)
      #expect(source.readStretches().stretches.map(\.count) == [100_000, 100_000])
      #expect(source.status.lostConnectionCount == 2 && source.status.discontinuityCount == 1)
    }
  }

  @Test(
    "a server that sends parts is asked for them, whatever its Accept-Ranges",
    arguments: [nil, "byte", "Bytes, items", "yes", ""])
  func unsaid(_ acceptRanges: String?) throws {
    serve("/a", PartServer(body, acceptRanges: acceptRanges))
    let source = try openByteSource(server.url("/a"))
    _ = try source.read(10)
    #expect(source.information.isRepositionable)
    for offset in [200_000, 5, 299_999] {
      try source.reposition(to: UInt64(offset))
      let bytes = try source.read(10).bytes
      #expect(bytes.elementsEqual(body[offset..<min(offset + 10, body.count)]))
      #expect(source.information.reach == .direct)
    }
    #expect(server.requests.count == 4)
  }

  @Test("a server that sends the whole instead is read up to the byte, and ahead without a request")
  func wholeOnTrial() throws {
    server.serve("/a", ResponsePlan(body: .bytes(body)))
    let source = try openByteSource(server.url("/a"))
    _ = try source.read(10)
    #expect(source.information.reach == .untried)
    for (offset, requests) in [(200_000, 2), (250_000, 2), (100, 3), (100, 4), (299_999, 4)] {
      try source.reposition(to: UInt64(offset))
      let bytes = try source.read(50).bytes
      #expect(bytes.elementsEqual(body[offset..<min(offset + 50, body.count)]), "\(offset)")
      #expect(source.information.reach == .byReading)
      #expect(server.requests.count == requests, "\(offset)")
    }
    try source.reposition(to: 300_000)
    #expect(source.readAll().error?.reason == .noSuchByte(byteOffset: 300_000))
    server.serve(
      "/none", ResponsePlan(fields: [("Accept-Ranges", "none")], body: .bytes(body)))
    let other = try openByteSource(server.url("/none"))
    _ = try other.read(10)
    #expect(!other.information.isRepositionable)
  }

  @Test(
    "a server that refuses a request for the whole is asked for the part from the first byte on")
  func onlyParts() throws {
    for status in [400, 416] {
      var parts = PartServer(body)
      parts.whole = .status(status, "No")
      parts.mostBytes = 100_000
      serve("/\(status)", parts)
      #expect(isWhole("/\(status)"))
    }
    server.serve("/never", .status(400, "Bad Request"))
    #expect(failure(server.url("/never")) == .status(400))
    #expect(server.requests.count { $0.target == "/never" } == 2)
  }

  @Test("an unrequested coding and another protocol are refused by name and at once")
  func codings() {
    let cases: [(String, String, Bool)] = [
      ("Transfer-Encoding", "gzip, chunked", true), ("Transfer-Encoding", "deflate", true),
      ("Content-Encoding", "gzip", true), ("Content-Encoding", "BR", true),
      ("Content-Encoding", "none", false), ("Content-Encoding", "identity", false),
    ]
    for (name, value, isRefused) in cases {
      server.serve(
        "/a",
        ResponsePlan(
          fields: [(name, value)], body: .bytes([1]), framing: .untilClose,
          fault: isRefused ? .stall(afterBytes: 0) : .none))
      let (bytes, error) = readAll(server.url("/a"))
      #expect(bytes == (isRefused ? [] : [1]), "\(value)")
      #expect(error?.reason == (isRefused ? .foreignCoding("\(name): \(value)") : nil), "\(value)")
      if isRefused { #expect(error?.description.contains(value) == true) }
    }
    for (index, line) in ["101 Switching Protocols", "300 Multiple Choices"].enumerated() {
      let plan = ResponsePlan(
        statusLine: "HTTP/1.1 \(line)", fields: [("Upgrade", "websocket")], body: .bytes([1]),
        framing: .untilClose, fault: .stall(afterBytes: 1))
      server.serve("/\(index)", plan)
      #expect(failure(server.url("/\(index)")) == .status(index == 0 ? 101 : 300))
    }
  }

  @Test("a page is recognised by its first bytes, and no other bytes are mistaken for one")
  func pages() {
    func isPage(_ text: String) -> Bool { MarkupProbe.isPage(Array(text.utf8).span) }
    for page in ["<!DOCTYPE html>", "\u{FEFF}\r\n <HTML>", "<?xml version", "<!-- x -->"] {
      #expect(isPage(page))
    }
    for other in ["", "<", "<!", "<a>", "OggS", "html", "< html", " \t"] { #expect(!isPage(other)) }
  }
}
