// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

/// Saved states, and the programs that resume them.
extension ProgramTests.SessionManager {
  @Test(
    "resumes its position when it is started again, with or without its command",
    arguments: [[], ["play"], ["play", other]])
  func resumes(_ arguments: [String]) throws {
    try JACKServer.with { jack in
      let session = TestSession()
      let variables = session.server.environment
      let first = TerminalProgram(
        ["play", "--buffer", "0.2", "--ports", "3", Self.other, Self.long], with: variables)
      defer { first.signal(SIGKILL) }
      #expect(first.shows("Playing    0:00"), "\(first.output)")
      first.type(">")
      #expect(first.shows("[2/2]"), "\(first.output)")
      #expect(first.showsAnew("Playing    0:05") { first.type("\u{1B}[C") }, "\(first.output)")
      #expect(first.showsAnew("volume 95%  repeat one") { first.type("9L") })
      #expect(session.save() == TestSession.saved)
      let place = try #require(session.number("positionSeconds"))
      #expect(place >= 5 && place < 8, "\(session.state)")
      #expect(session.number("track") == 1)
      #expect(session.state.contains("{\"location\": \"\(Self.other)\"}"))
      first.signal(SIGTERM)
      let end = first.end()
      #expect(end.exit == .status(0) && end.seconds < 1, "\(end)")

      let second = TerminalProgram(arguments, with: variables)
      defer { second.signal(SIGKILL) }
      #expect(second.shows("[2/2]"), "\(second.output)")
      #expect(second.shows("Playing    0:0\(Int(place))"), "\(second.output)")
      #expect(second.shows("volume 95%  repeat one"), "\(second.output)")
      #expect(!second.output.contains("[1/2]") && !second.output.contains("    0:00"))
      #expect(try jack.ports().contains { $0.name == "\(Self.id):out_3" })
      #expect(session.save() == TestSession.saved)
      let next = try #require(session.number("positionSeconds"))
      #expect(next >= place && next < place + 3, "\(session.state)")
      second.signal(SIGTERM)
      #expect(second.end().exit == .status(0))
    }
  }

  @Test("stays paused if it was paused, and saves a file name as a full path")
  func paused() throws {
    try JACKServer.with { _ in
      let session = TestSession()
      let folder = TemporaryDirectory()
      _ = ReferenceDecoder.output("cp '\(Self.long)' '\(folder.file("a song.mp3"))'")
      let first = Subprocess(
        ["env", "-C", folder.path, Program.path, "play", "--start", "7", "a song.mp3"],
        environment: Program.environment.merging(session.server.environment) { $1 })
      defer { first.signalGroup(SIGKILL) }
      #expect(eventually { session.hasOpened }, "\(first.errors)")
      #expect(
        eventually {
          session.save() == TestSession.saved && (session.number("positionSeconds") ?? 0) > 7
        }, "\(session.state)")
      #expect(
        session.state.contains("{\"location\": \"\(folder.file("a song.mp3"))\"}"))
      Self.end(first)
      let paused = session.state.split(separator: "\"paused\": false").joined(
        separator: "\"paused\": true")
      try session.folder.write(paused, "song/\(Self.id)/state.json")

      let second = TerminalProgram([], with: session.server.environment)
      defer { second.signal(SIGKILL) }
      #expect(second.shows("Paused     0:07"), "\(second.output)")
      #expect(!second.output.contains("Playing"))
      #expect(second.showsAnew("Playing    0:08") { second.type(" ") }, "\(second.output)")
      second.type("q")
      #expect(second.end().exit == .status(0))
    }
  }

  @Test("saves a seek made while paused, and tracks added over the session bus")
  func pausedSeek() throws {
    try JACKServer.with { _ in
      let session = TestSession()
      let bus = try SessionBusServer()
      let variables = session.server.environment.merging(bus.environment) { $1 }
      let first = Program.start(["play", "--start", "2", Self.long], with: variables)
      defer { first.signalGroup(SIGKILL) }
      #expect(eventually { session.hasOpened }, "\(first.errors)")
      #expect(session.save() == TestSession.saved)
      #expect((session.number("positionSeconds") ?? 0) >= 2, "\(session.state)")
      _ = try bus.playerctl(["pause"])
      #expect(eventually { (try? bus.playerctl(["status"])) == "Paused" })
      #expect(session.save() == TestSession.saved)
      Self.end(first)

      let second = Program.start([], with: variables)
      defer { second.signalGroup(SIGKILL) }
      #expect(eventually { (try? bus.playerctl(["status"])) == "Paused" }, "\(second.errors)")
      #expect(
        eventually {
          _ = try? bus.playerctl(["position", "9"])
          return session.save() == TestSession.saved && session.number("positionSeconds") == 9
        }, "\(session.state)")
      #expect(session.state.contains("\"paused\": true"))
      _ = try bus.playerctl(["open", "file://" + Self.other])
      #expect(
        eventually { session.save() == TestSession.saved && session.number("track") == 1 },
        "\(session.state)")
      #expect(session.state.contains("{\"location\": \"file://\(Self.other)\"}"))
      Self.end(second)
    }
  }

  @Test("monitors again as before, and does not record again")
  func monitor() throws {
    try JACKServer.with { jack in
      let session = TestSession()
      let take = session.folder.file("take.wav")
      let first = TerminalProgram(
        [
          "monitor", "--inputs", "1", "--gain=-6", "--route", "1:2:-3", "--pan", "25",
          "--invert", "1", "--high-pass", "80", "--limit=-1", "--with", Self.long, "--record",
          take,
        ], with: session.server.environment)
      defer { first.signal(SIGKILL) }
      #expect(first.shows("with 0:01"), "\(first.output)")
      #expect(first.showsAnew("muted") { first.type("9m") }, "\(first.output)")
      #expect(session.save() == TestSession.saved)
      for part in [
        "\"command\": \"monitor\"", "\"gainDecibels\": -7,", "\"muted\": true",
        "\"pan\": 25", "\"inverted\": [\n    1\n  ]", "\"highPassHertz\": 80",
        "\"limitDecibels\": -1", "\"matrix\": [\n    [null],\n    [-3]\n  ]",
        "\"with\": {\"tracks\": [{\"location\": \"\(Self.long)\"}], \"track\": 0",
      ] {
        #expect(session.state.contains(part), "\(session.state)")
      }
      first.signal(SIGTERM)
      #expect(first.end().exit == .status(0))
      let recorded = contents(ofFile: take)
      #expect(recorded.count > 1000)

      let second = TerminalProgram([], with: session.server.environment)
      defer { second.signal(SIGKILL) }
      #expect(second.shows("muted"), "\(second.output)")
      #expect(second.shows("with 0:02"), "\(second.output)")
      #expect(!second.output.contains("with 0:00"))
      #expect(second.showsAnew("gain -7.0 dB") { second.type("m") }, "\(second.output)")
      let names = try jack.ports().map(\.name).filter { $0.hasPrefix(Self.id) }
      #expect(names == ["out_1", "out_2", "in_1"].map { "\(Self.id):\($0)" })
      #expect(try jack.ports().allSatisfy { $0.connections.isEmpty })
      let before = session.state
      #expect(second.showsAnew("muted") { second.type("m") })
      #expect(session.save() == TestSession.saved)
      func settings(_ state: String) -> Substring {
        state[..<(state.range(of: "\"with\"") ?? state.endIndex)]
      }
      #expect(settings(session.state) == settings(before))
      second.signal(SIGTERM)
      let end = second.end()
      #expect(end.exit == .status(0) && end.seconds < 1, "\(end)")
      #expect(contents(ofFile: take) == recorded)
    }
  }
}

extension String {
  /// The index at which a part begins.
  fileprivate func range(of part: String) -> Index? {
    indices.first { self[$0...].hasPrefix(part) }
  }
}
