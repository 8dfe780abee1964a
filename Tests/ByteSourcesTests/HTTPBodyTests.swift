// SPDX-License-Identifier: MIT

import AudioModel
import ByteSources
import Glibc
import TestKit
import Testing

@Suite("A body over HTTP")
final class HTTPBodyTests {
  let server = LoopbackHTTPServer()

  deinit {
    server.stop()
  }

  @Test(
    "a body with a content length is read whole, in reads of any size",
    arguments: [1, 999, 1 << 20])
  func contentLength(pieceSize: Int) throws {
    let body = Pattern.body(pieceSize == 1 ? 20_000 : 1_000_000)
    server.serve("/a.mp3", .body(body))
    let source = try openByteSource(server.url("/a.mp3"))
    let (bytes, error) = source.readAll(pieceSize)
    #expect(error == nil)
    #expect(bytes == body)
    #expect(try source.read().answer == .end)
  }

  @Test("a chunked body, one ended by its connection, and SHOUTcast's are read whole")
  func framings() {
    let body = Pattern.body(300_000)
    server.serve("/chunked", ResponsePlan(body: .bytes(body), framing: .chunked))
    server.serve(
      "/http10",
      ResponsePlan(statusLine: "HTTP/1.0 200 OK", body: .bytes(body), framing: .untilClose))
    server.serve(
      "/icy",
      ResponsePlan(
        statusLine: "ICY 200 OK", fields: [("icy-name", "x"), ("content-type", "audio/mpeg")],
        body: .bytes(body), framing: .untilClose))
    for path in ["/chunked", "/http10", "/icy"] {
      let (bytes, error) = readAll(server.url(path), .once)
      // A station has no end: the end of its connection is a loss.
      let lost = ByteSourceError.Reason.interrupted(receivedBytes: 300_000, expectedBytes: nil)
      #expect(error?.reason == (path == "/icy" ? lost : nil), "\(path)")
      #expect(bytes == body, "\(path)")
    }
  }

  @Test("a file is served and read whole")
  func file() {
    let directory = TemporaryDirectory()
    let body = Pattern.body(200_000)
    server.serve("/f.mp3", .file(directory.file("f.mp3", body)))
    #expect(readAll(server.url("/f.mp3")).bytes == body)
  }

  @Test("nothing is sent before the first read, and then one plain GET")
  func request() throws {
    server.serve("/a b.mp3", .body([1]))
    server.handle("/a%20b.mp3") { _ in .body([1]) }
    let source = try openByteSource(server.url("/a b.mp3?x=1"))
    #expect(server.openConnectionCount == 0)
    #expect(try source.read().bytes == [1])
    let request = try #require(server.requests.first)
    #expect(server.requests.count == 1)
    #expect((request.method, request.target) == ("GET", "/a%20b.mp3?x=1"))
    #expect(
      request.fields
        == [
          "host": "127.0.0.1:\(server.port)", "user-agent": "Drawbar/0.1.0", "accept": "*/*",
          "icy-metadata": "1",
        ])
  }

  @Test("the server's information is known once bytes have been read, not before")
  func information() throws {
    server.serve(
      "/x",
      ResponsePlan(
        fields: [("Content-Type", "audio/x-wav"), ("Accept-Ranges", "bytes")],
        body: .bytes([1, 2, 3])))
    let source = try openByteSource(server.url("/x"))
    var expected = ByteSourceInformation(name: server.url("/x"))
    #expect(source.information == expected)
    _ = try source.read()
    expected.byteCount = 3
    expected.contentType = "audio/x-wav"
    expected.isRepositionable = true
    expected.fileTypeHint = .wave
    #expect(source.information == expected)
  }

  @Test("HTML is delivered unchanged: only its bytes can show that it is not sound")
  func html() throws {
    let html = Array("<!DOCTYPE html>".utf8)
    server.serve("/a", .body(html, type: "text/html"))
    let source = try openByteSource(server.url("/a"))
    #expect(source.readAll().bytes == html)
    #expect(source.information.contentType == "text/html")
    #expect(source.information.fileTypeHint == nil)
  }

  @Test("redirects are followed, absolute and relative, and the last answer counts")
  func redirects() throws {
    let other = LoopbackHTTPServer()
    defer { other.stop() }
    server.serve("/1", .redirect(to: other.url("/d/2"), status: 301))
    other.serve("/d/2", .redirect(to: "3", status: 307))
    other.serve("/d/3", .redirect(to: "/4?q"))
    other.serve(
      "/4", ResponsePlan(body: .bytes([7]), framing: .chunked))
    let source = try openByteSource(server.url("/1"))
    #expect(source.readAll().bytes == [7])
    #expect(source.information.byteCount == nil)
    #expect(source.information.name == server.url("/1"))
    #expect(other.requests.map(\.target) == ["/d/2", "/d/3", "/4?q"])
  }

  @Test("credentials in the URL are sent to its server, and to no other, and never shown")
  func credentials() throws {
    let other = LoopbackHTTPServer()
    defer { other.stop() }
    server.serve("/1", .redirect(to: other.url("/2")))
    other.serve("/2", .status(403, "Forbidden"))
    let source = try openByteSource("http://user:hunter2%21@127.0.0.1:\(server.port)/1")
    #expect(source.information.name == server.url("/1"))
    let error = source.readAll().error
    // user:hunter2! in Base64 (RFC 7617).
    #expect(server.requests.first?.fields["authorization"] == "Basic dXNlcjpodW50ZXIyIQ==")
    #expect(other.requests.count == 1)
    #expect(other.requests.first?.fields["authorization"] == nil)
    #expect(
      error == ByteSourceError(.status(403), at: other.url("/2"), redirectedFrom: server.url("/1")))
    #expect(error?.description.contains("hunter2") == false)
    #expect(error?.description.contains("user") == false)
  }

  @Test("a proxy from the environment is used, and named if it does not answer")
  func proxy() async {
    await #expect(processExitsWith: .success) {
      let proxy = LoopbackHTTPServer()
      proxy.handle("http://radio.invalid/a") { _ in .body([5]) }
      unsafe setenv("http_proxy", proxy.url(""), 1)
      #expect(readAll("http://radio.invalid/a").bytes == [5])
      proxy.stop()
      let error = readAll("http://radio.invalid/a").error
      #expect(error?.description.contains("proxy in http_proxy") == true)
    }
  }
}
