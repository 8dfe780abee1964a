// SPDX-License-Identifier: MIT

import ByteSources
import Glibc
import TestKit
import Testing

@Suite("Failures over HTTP")
final class HTTPFailureTests {
  let server = LoopbackHTTPServer()

  deinit {
    server.stop()
  }

  private var host: String { "127.0.0.1" }

  /// A configuration with every time limit at 0.2 s, and without retries.
  private var impatient: ByteSourceConfiguration {
    var configuration = ByteSourceConfiguration.once
    configuration.connectTimeoutNanoseconds = 200 * millisecond
    configuration.answerTimeoutNanoseconds = 200 * millisecond
    configuration.stallTimeoutNanoseconds = 200 * millisecond
    return configuration
  }

  @Test(
    "an error status is reported, and nothing of its body is delivered",
    arguments: [400, 401, 404, 503])
  func status(status: Int) throws {
    server.serve("/a.mp3", .status(status, "No"))
    let source = try openByteSource(server.url("/a.mp3"))
    for _ in 0..<2 {
      #expect(throws: ByteSourceError(.status(status), at: server.url("/a.mp3"))) {
        try source.read()
      }
    }
  }

  @Test("an error status does not wait for its body")
  func statusWithoutBody() {
    var plan = ResponsePlan.status(404, "Not Found")
    plan.fault = .stall(afterBytes: 0)
    server.serve("/a", plan)
    let time = duration { #expect(failure(server.url("/a")) == .status(404)) }
    #expect(time < 3 * second)
  }

  @Test("a redirect to nowhere is an error status")
  func redirectToNowhere() {
    server.serve("/a", ResponsePlan(statusLine: "HTTP/1.1 302 Found", body: .bytes([1, 2])))
    #expect(failure(server.url("/a")) == .status(302))
  }

  @Test("a redirect loop ends at the limit")
  func redirectLoop() {
    server.serve("/a", .redirect(to: "/a"))
    #expect(failure(server.url("/a")) == .tooManyRedirects(limit: 5))
    #expect(server.requests.count == 6)
  }

  @Test(
    "a redirect keeps to http and https", arguments: ["file:///etc/passwd", "ftp://127.0.0.1/a"])
  func redirectScheme(target: String) {
    server.serve("/a", .redirect(to: target))
    let (bytes, error) = readAll(server.url("/a"))
    #expect(bytes.isEmpty)
    let scheme = String(target.prefix { $0 != ":" })
    #expect(
      error
        == ByteSourceError(
          .unsupportedScheme(scheme), at: target, redirectedFrom: server.url("/a")))
    #expect(error?.description.hasPrefix("redirect to \(target) refused") == true)
  }

  @Test("a refused connection is reported with host and port")
  func refused() {
    let closed = LoopbackHTTPServer()
    closed.stop()
    #expect(failure(closed.url("/a")) == .connectionRefused(host: host, port: closed.port))
  }

  @Test("a refused connection after a redirect is reported with the second host and port")
  func refusedAfterRedirect() {
    let closed = LoopbackHTTPServer()
    closed.stop()
    server.serve("/a", .redirect(to: closed.url("/b")))
    #expect(
      readAll(server.url("/a")).error
        == ByteSourceError(
          .connectionRefused(host: host, port: closed.port), at: closed.url("/b"),
          redirectedFrom: server.url("/a")))
  }

  @Test("an unknown host is reported by its name")
  func unknownHost() {
    // RFC 6761, section 6.4: no name that ends in .invalid has an address.
    let time = duration {
      let reason = failure("http://drawbar.invalid/a")
      let isTold =
        switch reason {
        case .unknownHost("drawbar.invalid"): true
        // On a machine whose name server does not answer at all.
        case .timedOut(.address, host: "drawbar.invalid", port: 80, _): true
        default: false
        }
      #expect(isTold, "\(String(describing: reason))")
    }
    #expect(time < 5 * second)
  }

  @Test("a connection that is not established is given up in time")
  func connectTimeout() throws {
    // A listener with a full queue that never accepts: further attempts get no answer at all.
    let busy = try FullListener()
    let url = "http://\(host):\(busy.port)/a"
    let time = duration {
      #expect(
        failure(url, impatient)
          == .timedOut(.connection, host: host, port: busy.port, nanoseconds: 200 * millisecond))
    }
    #expect(time >= 200 * millisecond && time < 3 * second)
  }

  @Test("a missing answer is given up in time")
  func answerTimeout() {
    server.serve("/a", .silence)
    let time = duration {
      #expect(
        failure(server.url("/a"), impatient)
          == .timedOut(.answer, host: host, port: server.port, nanoseconds: 200 * millisecond))
    }
    #expect(time >= 200 * millisecond && time < 3 * second)
  }

  @Test("a head that is too slow to end is given up, a slow one is read")
  func slowHead() {
    var plan = ResponsePlan.body([1])
    plan.fields += (0..<100).map { ("X-\($0)", "a") }
    plan.headBytesPerSecond = 1000
    server.serve("/slow", plan)
    let time = duration {
      #expect(
        failure(server.url("/slow"), impatient)
          == .timedOut(.answer, host: host, port: server.port, nanoseconds: 200 * millisecond))
    }
    #expect(time >= 200 * millisecond && time < second)
    plan.headBytesPerSecond = 5000
    server.serve("/fast", plan)
    #expect(readAll(server.url("/fast")).bytes == [1])
  }

  @Test("an answer after the connection's time limit, but within its own, is read")
  func lateAnswer() {
    server.serve("/a", ResponsePlan(body: .bytes([1]), delayNanoseconds: 300 * millisecond))
    var configuration = impatient
    configuration.answerTimeoutNanoseconds = 10 * second
    #expect(readAll(server.url("/a"), configuration).bytes == [1])
  }

  @Test("a stalled body is given up in time, after all its bytes were read")
  func stall() {
    server.serve(
      "/a", ResponsePlan(body: .bytes(Pattern.body(50_000)), fault: .stall(afterBytes: 20_000)))
    let (bytes, error) = readAll(server.url("/a"), impatient)
    #expect(bytes == Pattern.body(20_000))
    #expect(
      error?.reason
        == .timedOut(
          .nextByte(receivedBytes: 20_000), host: host, port: server.port,
          nanoseconds: 200 * millisecond))
    #expect(error?.description.contains("silent for 0.2 s after 20000 bytes") == true)
  }

  @Test("a body that ends too early is reported with its received and announced bytes")
  func finish() {
    server.serve(
      "/a", ResponsePlan(body: .bytes(Pattern.body(50_000)), fault: .finish(afterBytes: 20_000)))
    server.serve(
      "/chunked",
      ResponsePlan(
        body: .bytes(Pattern.body(50_000)), framing: .chunked, fault: .finish(afterBytes: 20_000)))
    for (path, expected) in [("/a", UInt64(50_000)), ("/chunked", nil)] {
      let (bytes, error) = readAll(server.url(path), .once)
      #expect(bytes == Pattern.body(20_000), "\(path)")
      #expect(
        error?.reason == .interrupted(receivedBytes: 20_000, expectedBytes: expected), "\(path)")
    }
  }

  @Test("a reset connection is reported with its received and announced bytes")
  func reset() throws {
    // The reset may overtake bytes in flight, so the expected count is the reader's.
    server.serve(
      "/a", ResponsePlan(body: .bytes(Pattern.body(50_000)), fault: .reset(afterBytes: 20_000)))
    let (bytes, error) = readAll(server.url("/a"), .once)
    #expect(bytes == Pattern.body(bytes.count))
    #expect(bytes.count <= 20_000)
    #expect(
      error?.reason
        == .interrupted(
          receivedBytes: UInt64(bytes.count),
          expectedBytes: error?.reason == .interrupted(receivedBytes: 0, expectedBytes: nil)
            ? nil : 50_000))
  }

  @Test("an answer that is not HTTP, and a missing answer, are reported")
  func noHTTP() {
    server.serve(
      "/garbage",
      ResponsePlan(
        statusLine: nil, body: .bytes(Array("SSH-2.0-x\r\n\r\n".utf8)), framing: .untilClose))
    server.serve("/nothing", ResponsePlan(statusLine: nil, framing: .untilClose))
    for path in ["/garbage", "/nothing"] {
      #expect(failure(server.url(path)) == .badResponse(host: host, port: server.port), "\(path)")
    }
  }

  @Test("an empty body is reported")
  func empty() {
    server.serve("/a", .body([]))
    server.serve("/b", ResponsePlan(statusLine: "HTTP/1.1 204 No Content", framing: .untilClose))
    for path in ["/a", "/b"] { #expect(failure(server.url(path)) == .empty) }
  }

  @Test("an endless head is refused")
  func endlessHead() {
    let field = (name: "X-Filler", value: String(repeating: "x", count: 8000))
    server.serve("/a", ResponsePlan(fields: Array(repeating: field, count: 100)))
    guard case .transfer = failure(server.url("/a")) else {
      Issue.record("800 kB of fields were accepted")
      return
    }
  }

  @Test("TLS to a port that speaks plain HTTP is reported")
  func plainPort() {
    let reason = failure("https://\(host):\(server.port)/a", impatient)
    let isTold =
      switch reason {
      case .insecureConnection(host: host, port: server.port, _): true
      // The server takes the TLS bytes for a request and waits for more.
      case .timedOut(.connection, host: host, port: server.port, _): true
      default: false
      }
    #expect(isTold, "\(String(describing: reason))")
  }

  @Test("an untrusted certificate is refused", .enabled(if: TLSServer.isAvailable))
  func selfSigned() throws {
    let tls = try #require(TLSServer())
    defer { tls.stop() }
    let error = readAll("https://\(host):\(tls.port)/").error
    guard case .insecureConnection(host, tls.port, let explanation) = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(explanation.contains("certificate"))
  }
}
