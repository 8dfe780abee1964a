// SPDX-License-Identifier: MIT

import Testing

@testable import SessionManagement

@Suite("A session manager's URL")
struct SessionManagerURLTests {
  @Test("has a host and a port", arguments: ["osc.udp://studio:11287/", "osc.udp://studio:11287"])
  func plain(_ text: String) throws {
    let url = try SessionManagerURL(text)
    #expect(url.host == "studio" && url.port == 11287 && url.text == text)
  }

  @Test("may have an address as its host")
  func addresses() throws {
    #expect(try SessionManagerURL("osc.udp://127.0.0.1:1/").host == "127.0.0.1")
    #expect(try SessionManagerURL("osc.udp://[::1]:1/").host == "::1")
  }

  @Test(
    "is refused if it is invalid",
    arguments: [
      "", "studio:11287", "osc.tcp://studio:11287/", "osc.unix:///socket", "osc.udp://studio/",
      "osc.udp://:11287/", "osc.udp://studio:0/", "osc.udp://studio:65536/",
      "osc.udp://studio:-1/", "osc.udp://studio:+1/", "osc.udp://studio:1 2/",
      "osc.udp://studio:11287\n/", "osc.udp://" + String(repeating: "a", count: 600) + ":1/",
    ])
  func refused(_ text: String) {
    #expect(throws: SessionFailure.invalidURL(text)) { try SessionManagerURL(text) }
  }

  @Test("identifies its messages by port and address, with all loopback addresses equal")
  func peers() throws {
    let here = try SessionPeer(try SessionManagerURL("osc.udp://127.0.1.1:9000/"))
    #expect(here == SessionPeer(host: "127.0.1.1", port: 9000))
    #expect(here.sent(fromHost: "127.0.0.1", port: "9000"))
    #expect(!here.sent(fromHost: "127.0.0.1", port: "9001"))
    #expect(!here.sent(fromHost: "192.0.2.1", port: "9000"))
    let there = SessionPeer(host: "192.0.2.1", port: 9000)
    #expect(there.sent(fromHost: "192.0.2.1", port: "9000"))
    #expect(there.sent(fromHost: "::ffff:192.0.2.1", port: "9000"))
    #expect(!there.sent(fromHost: "192.0.2.2", port: "9000"))
    #expect(!there.sent(fromHost: "127.0.0.1", port: "9000"))
  }
}
