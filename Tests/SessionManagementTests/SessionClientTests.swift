// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import SessionManagement

@Suite("A client of a session manager")
struct SessionClientTests {
  private static let announcement = SessionAnnouncement(
    applicationName: "drawbar", executableName: "./a path/drawbar")
  private static let place = SessionLocation(
    path: "/s/song/drawbar.nABCD", displayName: "song", clientID: "drawbar.nABCD")
  private static let opens = SessionManagerServer.Answer.open(
    path: "/s/song/drawbar.nABCD", clientID: "drawbar.nABCD")

  private static func join(
    _ url: String, seconds: Double = 5
  ) throws(SessionFailure) -> (client: SessionClient, location: SessionLocation) {
    try SessionClient.join(
      SessionManagerURL(url), as: announcement, withinSeconds: seconds, isCancelled: { false })
  }

  private static func withClient(
    _ body: (SessionManagerServer, SessionClient) throws -> Void
  ) throws {
    let server = SessionManagerServer(opens)
    defer { server.stop() }
    let (client, place) = try join(server.url)
    #expect(place == Self.place)
    try body(server, client)
  }

  /// Waits for the next event.
  private static func next(_ client: SessionClient) -> SessionEvent? {
    var event: SessionEvent?
    _ = eventually {
      event = client.nextEvent()
      return event != nil
    }
    return event
  }

  @Test("announces its name, capabilities, executable, protocol version and process ID")
  func announces() throws {
    try Self.withClient { server, _ in
      #expect(
        server.messages == [
          OSCPacket(
            "/nsm/server/announce",
            [
              .string("drawbar"), .string(":dirty:"), .string("./a path/drawbar"), .integer(1),
              .integer(1), .integer(getpid()),
            ])
        ])
    }
  }

  @Test("answers requests, and announces each change once")
  func answers() throws {
    try Self.withClient { server, client in
      client.answer(.open, "new")
      client.tell(isDirty: false)
      client.tell(isDirty: true)
      client.tell(isDirty: true)
      server.send(OSCPacket("/nsm/client/save"))
      #expect(Self.next(client) == .save)
      client.refuse(.save, SessionRefusal(.general, "the disk is full"))
      client.tell(isDirty: false)
      server.send(OSCPacket("/nsm/client/session_is_loaded"))
      #expect(Self.next(client) == .sessionIsLoaded)
      let expected = [
        OSCPacket("/reply", [.string("/nsm/client/open"), .string("new")]),
        OSCPacket("/nsm/client/is_dirty"),
        OSCPacket(
          "/error",
          [.string("/nsm/client/save"), .integer(-1), .string("the disk is full")]),
        OSCPacket("/nsm/client/is_clean"),
      ]
      #expect(eventually { server.messages.count > expected.count })
      #expect(Array(server.messages.dropFirst()) == expected)
    }
  }

  @Test("gives up after its time limit without an answer, and at once when cancelled")
  func silence() {
    let server = SessionManagerServer(.nothing)
    defer { server.stop() }
    let start = TestKit.monotonicSeconds()
    #expect(throws: SessionFailure.noAnswer(server.url, seconds: 0.3)) {
      _ = try Self.join(server.url, seconds: 0.3)
    }
    let took = TestKit.monotonicSeconds() - start
    #expect(took >= 0.3 && took < 5, "\(took)")
    #expect(throws: SessionFailure.cancelled) {
      _ = try SessionClient.join(
        SessionManagerURL(server.url), as: Self.announcement, withinSeconds: 60,
        isCancelled: { true })
    }
  }

  @Test("detects a missing or refusing session manager at once")
  func refusal() throws {
    let gone = SessionManagerServer(.nothing)
    gone.stop()
    let start = TestKit.monotonicSeconds()
    #expect(throws: SessionFailure.nobodyListens(gone.url)) { _ = try Self.join(gone.url) }
    let server = SessionManagerServer(.refuse(code: -2, message: "API 2 is spoken here"))
    defer { server.stop() }
    let refused = #expect(throws: SessionFailure.self) { _ = try Self.join(server.url) }
    #expect(refused == .refused(code: -2, message: "API 2 is spoken here"))
    #expect(
      refused.map { "\($0)" }
        == "the session manager speaks another version of the protocol: API 2 is spoken here")
    let relative = SessionManagerServer(.open(path: "song/a", clientID: "a"))
    defer { relative.stop() }
    #expect(
      throws: SessionFailure.unusablePath("not an absolute path of at most 4000 bytes")
    ) { _ = try Self.join(relative.url) }
    #expect(eventually { relative.answers(to: "/nsm/client/open").count == 1 })
    // An invalid name is refused without a name server.
    #expect(throws: SessionFailure.unknownHost("drawbar..invalid")) {
      _ = try Self.join("osc.udp://drawbar..invalid:9000/")
    }
    #expect(TestKit.monotonicSeconds() - start < 5)
  }

  @Test("ignores requests from any other sender than the session manager")
  func otherSender() throws {
    try Self.withClient { server, client in
      server.sendFromElsewhere(OSCPacket("/nsm/client/save"))
      server.send(OSCPacket("/nsm/client/session_is_loaded"))
      #expect(Self.next(client) == .sessionIsLoaded)
      #expect(client.nextEvent() == nil)
    }
  }

  @Test("refuses an invalid open, and a second one")
  func badOpen() throws {
    try Self.withClient { server, client in
      let path = "/nsm/client/open"
      let text = OSCPacket.Argument.string("/s/other")
      for arguments in [[text, text, text], [.integer(1)]] {
        server.send(OSCPacket(path, arguments))
        let event = try #require(Self.next(client))
        guard case .invalid(.open, let refusal) = event else {
          Issue.record("\(event)")
          continue
        }
        #expect(refusal.code == .notNow)
      }
      #expect(eventually { server.answers(to: path).count == 2 })
      #expect(
        server.answers(to: path).allSatisfy {
          $0.path == "/error" && $0.arguments[1] == .integer(-8)
        }
      )
    }
  }

  @Test("survives any packet from the session manager's own address")
  func garbage() throws {
    try Self.withClient { server, client in
      var generator = SplitMix(state: 11)
      func random(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      }
      let save = OSCPacket("/nsm/client/save").bytes
      let open = OSCPacket(
        "/nsm/client/open", [.string("/a"), .string("b"), .string("c"), .integer(7)]
      ).bytes
      // Nested bundles as deep as fit in a datagram, and a bundle for a time in the far future.
      var nested = save
      while nested.count < 60_000 {
        let size = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: nested.count >> $0) }
        nested = Array("#bundle\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 1] + size + nested
      }
      let later =
        Array("#bundle\0".utf8) + [0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(open.count)] + open
      var packets: [[UInt8]] = [
        [], [0], Array("/".utf8), Array("/nsm/client/save".utf8), Array("#bundle\0".utf8), nested,
        later, random(65_000), [UInt8](repeating: 0x2F, count: 65_000),
        Array("/nsm/client/open\0\0\0\0,sss\0\0\0\0/a\0\0".utf8),
        Array("/nsm/client/open\0\0\0\0,s\0\0".utf8) + [0xFF, 0xFE, 0x80, 0],
        Array("/nsm/client/open\0\0\0\0,b\0\0".utf8) + [0x7F, 0xFF, 0xFF, 0xFF],
        Array("/nsm/client/open\0\0\0\0,".utf8) + [UInt8](repeating: 0x5B, count: 400),
      ]
      for _ in 0..<300 { packets.append(random(Int(generator.next() % 400))) }
      for whole in [save, open] {
        for count in 0..<whole.count { packets.append(Array(whole[..<count])) }
        for _ in 0..<300 {
          var damaged = whole
          damaged[Int(generator.next() % UInt64(whole.count))] = random(1)[0]
          packets.append(damaged)
        }
      }
      for packet in packets {
        server.send(bytes: packet)
        while client.nextEvent() != nil {}
      }
      // Damaged packets may still be valid saves, so only the last one counts.
      server.send(OSCPacket("/nsm/client/session_is_loaded"))
      #expect(Self.next(client) == .sessionIsLoaded)
      client.answer(.save, "alive")
      #expect(
        eventually {
          server.messages.last
            == OSCPacket("/reply", [.string("/nsm/client/save"), .string("alive")])
        })
    }
  }
}
