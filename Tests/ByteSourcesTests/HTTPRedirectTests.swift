// SPDX-License-Identifier: MIT

import ByteSources
import TestKit
import Testing

@Suite("Redirects and cookies over HTTP")
final class HTTPRedirectTests {
  private let server = LoopbackHTTPServer()

  deinit {
    server.stop()
  }

  @Test("a redirect's own body is not waited for, whatever its length and whether it arrives")
  func longBody() {
    server.serve("/song", .body([1, 2, 3]))
    let endless = ResponsePlan.Body.generated(byteCount: .max, Pattern.bytes)
    let cases: [(ResponsePlan.Body, ResponsePlan.Framing, ResponsePlan.Fault)] = [
      (endless, .untilClose, .none), (endless, .chunked, .none),
      (endless, .announced(1 << 40), .none), (.bytes([1]), .announced(1 << 40), .none),
      (.bytes([1, 2]), .announced(5), .stall(afterBytes: 2)),
      (.bytes([1, 2]), .announced(5), .none), (.bytes([]), .contentLength, .none),
    ]
    for (index, (body, framing, fault)) in cases.enumerated() {
      var plan = ResponsePlan.redirect(to: "/song")
      (plan.body, plan.framing, plan.fault) = (body, framing, fault)
      server.serve("/\(index)", plan)
      #expect(readAll(server.url("/\(index)")).bytes == [1, 2, 3], "\(index)")
      #expect(server.bodyBytesSent("/\(index)") < 16 << 20)
    }
  }

  @Test("a bad Location is reported as the server's fault")
  func badLocation() {
    for location in ["http://[bad/", "http://host:99999/", "http://", "https://"] {
      server.serve("/a", .redirect(to: location))
      let error = readAll(server.url("/a")).error
      #expect(error?.reason == .badRedirect(location))
      #expect(error?.location == server.url("/a"))
      #expect(error?.description.contains("operator") == true)
      #expect(error?.description.contains("spelling") == false)
    }
  }

  @Test("a Location may be long, and written in any encoding")
  func oddLocation() {
    let long = "/song?" + String(repeating: "x", count: 6000)
    server.serve("/song", .body([1]))
    server.serve("/m%C3%BCsik", .body([2]))
    server.serve("/long", .redirect(to: long))
    server.serve("/letters", .redirect(to: "m\u{FC}sik"))
    #expect(readAll(server.url("/long")).bytes == [1])
    #expect(server.requests.last?.target == long)
    #expect(readAll(server.url("/letters")).bytes == [2])
  }

  @Test("a cookie set by a redirect is kept for the process, and sent only to its host")
  func cookies() {
    var first = ResponsePlan.redirect(to: "/cookie/2")
    first.fields.append(("Set-Cookie", "drawbar-test=1; Path=/cookie"))
    server.serve("/cookie/1", first)
    server.serve("/cookie/2", .body([2]))
    server.serve("/cookie/3", .body([3]))
    server.serve("/cookie/4", .redirect(to: "http://localhost:\(server.port)/cookie/3"))
    server.serve("/other", .body([4]))
    for path in ["/cookie/1", "/cookie/3", "/other", "/cookie/4"] {
      #expect(readAll(server.url(path)).error == nil)
    }
    #expect(
      server.requests.map { $0.fields["cookie"] }
        == [nil, "drawbar-test=1", "drawbar-test=1", nil, "drawbar-test=1", nil])
  }
}
