// SPDX-License-Identifier: MIT

import ByteSources
import Glibc
import TestKit
import Testing

@Suite("Requests over HTTP")
final class HTTPRequestTests {
  let server = LoopbackHTTPServer()

  deinit {
    server.stop()
  }

  @Test("a field has a token as name and a value of one line, and is not one of the request's own")
  func fields() {
    func field(_ line: String) -> [String]? { HTTPRequestField(line).map { [$0.name, $0.value] } }
    #expect(field("Referer: http://x/ y ") == ["Referer", "http://x/ y"])
    #expect(field("X-A:b:c") == ["X-A", "b:c"])
    #expect(field("X-Empty:") == ["X-Empty", ""])
    #expect(field("X: \tÄ\tö\t") == ["X", "Ä\tö"])
    for line in [
      "", "X", ":x", "X Y: z", "X : z", "X\r: z", "X: a\r\nHost: b", "X: a\nb", "X: \0",
      "X: \u{7F}",
      "Ä: x", "Range: bytes=0-", "host: x", "If-Range: x", "Content-Length: 0", "ICY-MetaData: 1",
      "Transfer-Encoding: chunked",
    ] { #expect(field(line) == nil, "\(line)") }
  }

  @Test("additional fields and the user agent are sent with every request for a body or its rest")
  func sent() throws {
    var configuration = ByteSourceConfiguration.eager
    configuration.userAgent = "Wecker/2"
    configuration.requestFields = try ["X-Empty:", "Referer: http://x/", "X-Two: a", "X-Two: b"]
      .map { try #require(HTTPRequestField($0)) }
    server.serve(
      "/a",
      ResponsePlan(
        body: .bytes(Pattern.body(1000)), ranges: .honoured, fault: .finish(afterBytes: 600)))
    #expect(readAll(server.url("/a"), configuration).bytes == Pattern.body(1000))
    #expect(server.requests.count == 2)
    for request in server.requests {
      #expect(request.fields["user-agent"] == "Wecker/2")
      #expect(request.fields["referer"] == "http://x/")
      #expect(request.fields["x-empty"] == "")
      #expect(request.fields["x-two"] == "b")
    }
  }

  @Test("passwords and cookies are sent to no other host; other fields are")
  func redirected() throws {
    let other = LoopbackHTTPServer()
    defer { other.stop() }
    server.serve("/a", .redirect(to: other.url("/b")))
    other.serve("/b", .body([1]))
    var configuration = ByteSourceConfiguration()
    configuration.requestFields = try ["Authorization: Bearer geheim", "Cookie: a=b", "X-A: b"]
      .map { try #require(HTTPRequestField($0)) }
    #expect(readAll(server.url("/a"), configuration).bytes == [1])
    #expect(server.requests.first?.fields["authorization"] == "Bearer geheim")
    #expect(server.requests.first?.fields["cookie"] == "a=b")
    let fields = try #require(other.requests.first).fields
    #expect(fields["authorization"] == nil && fields["cookie"] == nil && fields["x-a"] == "b")
  }

  @Test("a refused password is reported with the remedy, and without the password")
  func unauthorized() throws {
    server.serve("/a", .status(401, "Unauthorized"))
    var configuration = ByteSourceConfiguration()
    configuration.requestFields = try [#require(HTTPRequestField("X-Key: geheim"))]
    let error = readAll("http://nutzer:geheim@127.0.0.1:\(server.port)/a", configuration).error
    #expect(
      error?.description
        == "the server answered 401 Unauthorized for \(server.url("/a"));"
        + " give a user name and password in the URL, or correct them")
    #expect("\(String(reflecting: error))".contains("geheim") == false)
  }

  @Test("a proxy from the environment is used with its password, which no message contains")
  func proxy() async {
    await #expect(processExitsWith: .success) {
      let proxy = LoopbackHTTPServer()
      proxy.serve("http://radio.invalid/a", .body([5]))
      let credentials = "nutzer:geheim@127.0.0.1:\(proxy.port)"
      unsafe setenv("http_proxy", "http://\(credentials)", 1)
      #expect(readAll("http://radio.invalid/a").bytes == [5])
      // nutzer:geheim in Base64.
      #expect(
        proxy.requests.first?.fields["proxy-authorization"] == "Basic bnV0emVyOmdlaGVpbQ==")
      #expect(readAll("http://radio.invalid/none").error?.reason == .status(404))
      proxy.stop()
      let places = [
        credentials, "nutzer:geheim@proxy.invalid:1", "socks9://\(credentials)",
        "nutzer:geheim@127.0.0.1:99999", "nutzer:geheim@[", "http://nutzer:geheim@ /",
        "https://\(credentials)", "socks5://\(credentials)", "nutzer:geheim@",
      ]
      for place in places {
        unsafe setenv("http_proxy", place, 1)
        let (bytes, error) = readAll("http://radio.invalid/a")
        #expect(bytes.isEmpty)
        let text = "\(String(describing: error)) \(String(reflecting: error))"
        #expect(error != nil && !text.contains("geheim") && !text.contains("nutzer"), "\(text)")
      }
      unsafe setenv("no_proxy", "127.0.0.1", 1)
      let server = LoopbackHTTPServer()
      server.serve("/a", .body([6]))
      #expect(readAll(server.url("/a")).bytes == [6])
      server.stop()
    }
  }
}
