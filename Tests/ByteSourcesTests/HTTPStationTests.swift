// SPDX-License-Identifier: MIT

import ByteSources
import TestKit
import Testing

@Suite("A station over HTTP")
final class HTTPStationTests {
  let server = LoopbackHTTPServer()
  private let sound = Pattern.body(100_000)

  deinit {
    server.stop()
  }

  /// Sound with a title after every `interval` bytes. The titles are their numbers in base 36, so many
  /// have the same length.
  private func station(
    _ interval: Int = 8192, statusLine: String = "HTTP/1.0 200 OK",
    fault: ResponsePlan.Fault = .none, type: String = "audio/mpeg"
  ) -> ResponsePlan {
    var plan = ResponsePlan(
      statusLine: statusLine, fields: [("Content-Type", type), ("icy-name", "Sender")],
      body: .bytes(sound), framing: .untilClose, fault: fault)
    plan.metadata = ResponsePlan.Metadata(interval: interval) { index in
      Array("StreamTitle='\(String(index, radix: 36))';".utf8)
    }
    return plan
  }

  private var gone: ResponsePlan { .status(403, "Forbidden") }

  @Test(
    "delivers its sound alone, and its titles with their byte offsets",
    arguments: [1, 15, 16, 255, 4096, 16_000, 65_537, 99_999, 100_000, 100_001])
  func metadata(interval: Int) throws {
    for statusLine in ["HTTP/1.0 200 OK", "ICY 200 OK"] {
      server.serve(
        "/\(statusLine.utf8.count)", inOrder: [station(interval, statusLine: statusLine), gone])
      let source = try openByteSource(
        server.url("/\(statusLine.utf8.count)"), configuration: .eager)
      var bytes: [UInt8] = []
      var found: [StreamMetadata] = []
      while case let (answer, piece)? = try? source.read(1021), answer != .end {
        bytes += piece
        found += source.takeStreamMetadata()
      }
      #expect(bytes == sound)
      let places = stride(from: interval, through: sound.count, by: interval)
      // With short intervals, one read may bring more titles than are kept.
      let expected = places.enumerated().map { index, place in
        StreamMetadata(byteOffset: UInt64(place), title: String(index, radix: 36))
      }
      let isSame = interval >= 16 ? found == expected : Set(found).isSubset(of: expected)
      #expect(isSame && found.last == expected.last)
      #expect(source.information.station?.name == "Sender")
      #expect(server.requests.allSatisfy { $0.fields["icy-metadata"] == "1" })
    }
  }

  @Test("describes itself, in either encoding")
  func information() throws {
    var plan = station()
    plan.fields = [
      ("icy-name", "Ätherwelle"), ("icy-genre", "Jazz"), ("icy-description", "d\u{7}"),
      ("icy-url", "http://example.org"), ("icy-br", "128, 64"), ("icy-pub", "1"),
    ]
    server.serve("/a", plan)
    let source = try openByteSource(server.url("/a"))
    #expect(source.information.station == nil)
    _ = try source.read(1)
    var expected = StationInformation()
    expected.name = "Ätherwelle"
    expected.genre = "Jazz"
    expected.description = "d\\u{7}"
    expected.url = "http://example.org"
    expected.kilobitsPerSecond = 128
    #expect(source.information.station == expected)
    #expect(!source.information.isRepositionable && source.information.byteCount == nil)
  }

  @Test("is not asked for metadata if none are wanted")
  func unasked() throws {
    var configuration = ByteSourceConfiguration.eager
    configuration.requestsStreamMetadata = false
    server.serve("/a", inOrder: [station(), gone])
    #expect(readAll(server.url("/a"), configuration).bytes == sound)
    #expect(server.requests.allSatisfy { $0.fields["icy-metadata"] == nil })
  }

  @Test("that is lost is joined again, with a reported discontinuity; byte offsets continue")
  func lost() throws {
    // Cuts within sound, a length byte and a text; a block is 8192 bytes of sound and 17 of metadata.
    for (index, cut) in [80_000, 8193, 8200, 8192, 82_090].enumerated() {
      server.serve(
        "/\(index)",
        inOrder: [
          station(fault: .finish(afterBytes: UInt64(cut))), .status(404, "Not Found"), station(),
          gone,
        ])
      let source = try openByteSource(server.url("/\(index)"), configuration: .eager)
      let (stretches, error) = source.readStretches()
      let first = cut - cut / (8192 + 17) * 17 - max(0, cut % (8192 + 17) - 8192)
      #expect(stretches.map(\.count) == [first, sound.count])
      let isSame = stretches == [Array(sound[..<first]), sound]
      #expect(isSame)
      #expect(error?.reason == .status(403))
      let titles = source.takeStreamMetadata()
      let firstCount = cut / (8192 + 17)
      #expect(titles.count == firstCount + sound.count / 8192)
      #expect(titles.dropFirst(firstCount).first?.byteOffset == UInt64(first + 8192))
    }
    #expect(server.requests.allSatisfy { $0.fields["range"] == nil })
  }

  @Test("that returns in another format continues in it")
  func otherType() throws {
    server.serve(
      "/a",
      inOrder: [
        station(), station(type: "Audio/MPEG; charset=utf-8"), station(type: "audio/aac"), gone,
      ])
    let source = try openByteSource(server.url("/a"), configuration: .eager)
    let (stretches, error) = source.readStretches()
    let isSame = stretches == [sound, sound, sound]
    #expect(isSame)
    #expect(error?.reason == .status(403))
    #expect(source.information.contentType == "audio/aac")
    #expect(source.status.discontinuityCount == 2 && source.status.lostConnectionCount == 3)
  }

  @Test("that temporarily answers with nothing or with a page is waited for")
  func outage() throws {
    let page = Array("<!DOCTYPE html><html>Log in</html>".utf8)
    var endless = ResponsePlan.body(page, type: "text/html; charset=utf-8")
    endless.framing = .untilClose
    endless.fault = .stall(afterBytes: 30)
    let answers: [ResponsePlan] = [
      ResponsePlan(statusLine: "HTTP/1.1 204 No Content", framing: .untilClose),
      .body([]), ResponsePlan(fields: [("icy-name", "x")], framing: .untilClose),
      .body(page, type: "text/html"), .body(page), endless,
      .body(Array("{}".utf8), type: "application/json"),
      ResponsePlan(fields: [("Content-Type", "audio/mpeg")], framing: .chunked),
      .status(502, "Bad Gateway"), .redirect(to: "/portal"),
      ResponsePlan(
        statusLine: nil, body: .bytes(Array("HTTP/1.0 200 OK\r\nicy-na".utf8)),
        framing: .untilClose),
    ]
    server.serve("/portal", .body(page, type: "text/html"))
    for (index, answer) in answers.enumerated() {
      server.serve("/\(index)", inOrder: [station(), answer, station(), gone])
      let source = try openByteSource(server.url("/\(index)"), configuration: .eager)
      let (stretches, error) = source.readStretches()
      let isSame = stretches == [sound, sound]
      #expect(isSame, "\(index)")
      #expect(error?.reason == .status(403), "\(index)")
    }
    server.serve("/a", inOrder: [station(), .body(page, type: "text/html")])
    let (stretches, error) = try openByteSource(server.url("/a"), configuration: .eager)
      .readStretches()
    let isSame = stretches == [sound]
    #expect(isSame)
    #expect(error?.reason == .noSound(contentType: "text/html"))
    #expect(error?.failedReconnections == 5)
  }

  @Test("does not include a truncated document")
  func document() throws {
    server.serve(
      "/list",
      ResponsePlan(
        fields: [("Content-Type", "audio/x-mpegurl")], body: .bytes(sound), framing: .chunked,
        fault: .finish(afterBytes: 80_000)))
    let list = try openByteSource(server.url("/list"), configuration: .eager).readStretches()
    #expect(list.stretches == [Array(sound[..<80_000])])
    #expect(list.error?.reason == .interrupted(receivedBytes: 80_000, expectedBytes: nil))
  }

  @Test("that sends little and disconnects is given up")
  func flapping() throws {
    var plan = station()
    plan.body = .bytes(Array(sound[..<1000]))
    server.serve("/a", plan)
    let (stretches, error) = try openByteSource(server.url("/a"), configuration: .eager)
      .readStretches()
    #expect(stretches == Array(repeating: Array(sound[..<1000]), count: 6))
    #expect(error?.reason == .interrupted(receivedBytes: 6000, expectedBytes: nil))
    #expect(error?.failedReconnections == 5)
  }

  @Test("that is a list of segments is refused by name; a plain list is read")
  func liveStreaming() throws {
    let hls = "#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:4,\na.ts\n"
    let plain = "#EXTM3U\n#EXTINF:4,T\na.mp3\n"
    let type = "application/vnd.apple.mpegurl"
    let cases: [(String, String, String, Bool)] = [
      ("/a", type, hls, true), ("/b.m3u8", "text/plain", hls, true),
      ("/c.M3U8", "application/octet-stream", "\u{FEFF}" + hls, true),
      ("/d", "audio/x-mpegurl", plain + "#EXT-X-ENDLIST\r\n", true),
      ("/e", type, plain, false), ("/f.m3u8", type, "", false),
      ("/g.txt", "text/plain", hls, false),
      ("/h.m3u8", type, "\n" + hls, false), ("/i.m3u8", type, "#EXTM3U #EXT-X-", false),
    ]
    for (path, type, text, isRefused) in cases {
      server.serve(path, .body(Array(text.utf8), type: type))
      let source = try openByteSource(server.url(path))
      let (bytes, error) = source.readAll(1)
      #expect(bytes == (isRefused ? [] : Array(text.utf8)), "\(path)")
      #expect(
        error?.reason == (isRefused ? .liveStreamingPlaylist : text.isEmpty ? .empty : nil),
        "\(path)")
      #expect(error?.description.contains("HLS") ?? false == isRefused)
    }
  }

  @Test("that may be a list, and stalls after a few bytes, delivers these bytes")
  func silentList() throws {
    var plan = ResponsePlan.body(Array("#EXTM3U\na.mp3\n".utf8), type: "audio/mpegurl")
    plan.fault = .stall(afterBytes: 10)
    server.serve("/a", plan)
    var configuration = ByteSourceConfiguration.once
    configuration.stallTimeoutNanoseconds = 100 * millisecond
    let (bytes, error) = readAll(server.url("/a"), configuration)
    #expect(bytes == Array("#EXTM3U\na.".utf8))
    guard case .timedOut(.nextByte(receivedBytes: 10), _, _, _) = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
