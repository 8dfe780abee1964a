// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  /// With a session manager of the test kit's.
  @Suite("in a session")
  struct SessionManager {
    /// Twelve seconds.
    static let long = Fixtures.path("mp3-cbr320-44100-2.mp3")
    static let other = Fixtures.path("mp3-tags-tail.mp3")
    static let id = "drawbar.nABCD"

    /// A session's folder, and a session manager that gives the program a place in it.
    final class Session: Sendable {
      let folder = TemporaryDirectory()
      let server: SessionManagerServer

      init(path: String? = nil, id: String = SessionManager.id) {
        server = SessionManagerServer(
          .open(path: path ?? folder.file("song/" + id), clientID: id))
      }

      deinit { server.stop() }

      /// What is saved.
      var state: String { String(decoding: contents(ofFile: file), as: UTF8.self) }

      var file: String { folder.file("song/\(SessionManager.id)/state.json") }

      /// The number in a member of what is saved.
      func number(_ name: String) -> Double? {
        let rest = state.split(separator: "\"\(name)\": ", maxSplits: 1).dropFirst().first
        return rest.flatMap { Double($0.prefix { "0123456789.-".contains($0) }) }
      }

      /// Has the program save, and waits for its answer.
      func save() -> OSCPacket? {
        let path = "/nsm/client/save"
        let before = server.answers(to: path).count
        server.send(OSCPacket(path))
        _ = eventually { server.answers(to: path).count > before }
        return server.answers(to: path).dropFirst(before).first
      }

      var hasOpened: Bool { !server.answers(to: "/nsm/client/open").isEmpty }

      static let saved = OSCPacket("/reply", [.string("/nsm/client/save"), .string("saved")])
    }

    static func clients(_ jack: JACKServer) -> Set<String> {
      let ports = (try? jack.ports()) ?? []
      return Set(ports.map { String($0.name.prefix { $0 != ":" }) }).subtracting(["system"])
    }

    /// Ends a program as a session manager does.
    static func end(_ program: Subprocess, errors: String = "") {
      program.signalGroup(SIGTERM)
      let end = Program.end(of: program)
      #expect(end.exit == .status(0) && end.seconds < 1, "\(end)")
      #expect(end.errors == errors)
    }

    @Test("announces itself, is called in JACK as it is told, and connects nothing")
    func announces() throws {
      try JACKServer.with { jack in
        let session = Session()
        let program = Program.start(
          ["play", "--buffer", "0.2", Self.long], with: session.server.environment)
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually(seconds: 10) { session.hasOpened }, "\(program.errors)")
        let pid = try #require(program.pid)
        #expect(
          session.server.messages.first
            == OSCPacket(
              "/nsm/server/announce",
              [
                .string("drawbar"), .string(":dirty:"), .string(Program.path), .integer(1),
                .integer(1), .integer(pid),
              ]))
        #expect(
          session.server.answers(to: "/nsm/client/open")
            == [OSCPacket("/reply", [.string("/nsm/client/open"), .string("new")])])
        #expect(Self.clients(jack) == [Self.id])
        #expect(try jack.ports().allSatisfy { $0.connections.isEmpty })
        #expect(unsafe access(session.file, F_OK) != 0)
        Self.end(program)
      }
    }

    @Test(
      "plays on where it was when it is started again, with or without its command",
      arguments: [[], ["play"], ["play", other]])
    func resumes(_ arguments: [String]) throws {
      try JACKServer.with { jack in
        let session = Session()
        let variables = session.server.environment
        let first = TerminalProgram(
          ["play", "--buffer", "0.2", "--ports", "3", Self.other, Self.long], with: variables)
        defer { first.signal(SIGKILL) }
        #expect(first.shows("Playing    0:00"), "\(first.output)")
        first.type(">")
        #expect(first.shows("[2/2]"), "\(first.output)")
        #expect(first.showsAnew("Playing    0:05") { first.type("\u{1B}[C") }, "\(first.output)")
        #expect(first.showsAnew("volume 95%  repeat one") { first.type("9L") })
        #expect(session.save() == Session.saved)
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
        #expect(session.save() == Session.saved)
        let next = try #require(session.number("positionSeconds"))
        #expect(next >= place && next < place + 3, "\(session.state)")
        second.signal(SIGTERM)
        #expect(second.end().exit == .status(0))
      }
    }

    @Test("is silent again where it was paused, and has its folder for a file's name")
    func paused() throws {
      try JACKServer.with { _ in
        let session = Session()
        let folder = TemporaryDirectory()
        _ = ReferenceDecoder.output("cp '\(Self.long)' '\(folder.file("a song.mp3"))'")
        let first = Subprocess(
          ["env", "-C", folder.path, Program.path, "play", "--start", "7", "a song.mp3"],
          environment: Program.environment.merging(session.server.environment) { $1 })
        defer { first.signalGroup(SIGKILL) }
        #expect(eventually(seconds: 10) { session.hasOpened }, "\(first.errors)")
        #expect(
          eventually {
            session.save() == Session.saved && (session.number("positionSeconds") ?? 0) > 7
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

    @Test("saves a seek that was made while it was paused, and what was added over the session bus")
    func pausedSeek() throws {
      try JACKServer.with { _ in
        let session = Session()
        let bus = try SessionBusServer()
        let variables = session.server.environment.merging(bus.environment) { $1 }
        let first = Program.start(["play", "--start", "2", Self.long], with: variables)
        defer { first.signalGroup(SIGKILL) }
        #expect(eventually(seconds: 10) { session.hasOpened }, "\(first.errors)")
        #expect(session.save() == Session.saved)
        #expect((session.number("positionSeconds") ?? 0) >= 2, "\(session.state)")
        _ = try bus.playerctl(["pause"])
        #expect(eventually { (try? bus.playerctl(["status"])) == "Paused" })
        #expect(session.save() == Session.saved)
        Self.end(first)

        let second = Program.start([], with: variables)
        defer { second.signalGroup(SIGKILL) }
        #expect(eventually { (try? bus.playerctl(["status"])) == "Paused" }, "\(second.errors)")
        #expect(
          eventually {
            _ = try? bus.playerctl(["position", "9"])
            return session.save() == Session.saved && session.number("positionSeconds") == 9
          }, "\(session.state)")
        #expect(session.state.contains("\"paused\": true"))
        _ = try bus.playerctl(["open", "file://" + Self.other])
        #expect(
          eventually { session.save() == Session.saved && session.number("track") == 1 },
          "\(session.state)")
        #expect(session.state.contains("{\"location\": \"file://\(Self.other)\"}"))
        Self.end(second)
      }
    }

    @Test("tells when something has changed that was not saved, and when it has been")
    func dirty() throws {
      try JACKServer.with { _ in
        let session = Session()
        func count(_ path: String) -> Int { session.server.messages("/nsm/client/" + path).count }
        let program = TerminalProgram(
          ["play", "--buffer", "0.2", Self.long], with: session.server.environment)
        defer { program.signal(SIGKILL) }
        #expect(eventually(seconds: 10) { count("is_dirty") == 1 }, "\(program.output)")
        #expect(session.save() == Session.saved)
        #expect(eventually { count("is_clean") == 1 })
        // A position changes by itself.
        #expect(program.shows("Playing    0:01"), "\(program.output)")
        #expect(count("is_dirty") == 1)
        program.type("m")
        #expect(eventually { count("is_dirty") == 2 })
        program.type("m")
        #expect(eventually { count("is_clean") == 2 })
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }

    @Test("goes on when it cannot save, and says so here and there")
    func unwritable() throws {
      try JACKServer.with { _ in
        let session = Session(path: "/proc/drawbar/" + Self.id)
        let program = Program.start(["play", Self.long], with: session.server.environment)
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually(seconds: 10) { session.hasOpened }, "\(program.errors)")
        let message = "cannot create /proc/drawbar: No such file or directory"
        #expect(
          session.save()
            == OSCPacket("/error", [.string("/nsm/client/save"), .integer(-1), .string(message)]))
        Self.end(program, errors: "drawbar: \(message)\n")
      }
    }

    @Test(
      "leaves a state alone that it cannot read, and ends with one line",
      arguments: ["", "{\"format\": \"drawbar ses", "{\"format\": \"mixer\"}", "\u{0}\u{1}"])
    func corrupt(_ text: String) throws {
      let session = Session()
      _ = ReferenceDecoder.output("mkdir -p '\(session.folder.file("song/" + Self.id))'")
      try session.folder.write(text, "song/\(Self.id)/state.json")
      try JACKServer.with { jack in
        for arguments in [[], ["play", Self.long], ["monitor"]] {
          let before = session.server.answers(to: "/nsm/client/open").count
          let program = Program.start(arguments, with: session.server.environment)
          let end = Program.end(of: program)
          Failures.expectOneLine(end, "corrupt", word: session.file, on: #_sourceLocation)
          #expect(eventually { session.server.answers(to: "/nsm/client/open").count > before })
          let answer = session.server.answers(to: "/nsm/client/open").last
          #expect(answer?.path == "/error" && answer?.arguments[1] == .integer(-9))
        }
        #expect(Self.clients(jack) == [])
      }
      #expect(session.state == text)
    }

    @Test("ends with one line where nothing was saved and nothing is named, or it is another's")
    func nothing() throws {
      try JACKServer.with { _ in
        for arguments in [[], ["play"]] {
          let session = Session()
          let end = Program.end(
            of: Program.start(arguments, with: session.server.environment))
          Failures.expectOneLine(end, "nothing", word: "nothing was saved", on: #_sourceLocation)
          #expect(eventually { session.hasOpened })
          let answer = session.server.answers(to: "/nsm/client/open").first
          #expect(answer?.path == "/error" && answer?.arguments[1] == .integer(-10))
        }
        let odd = Session(id: "a:b")
        let named = Program.end(
          of: Program.start(["play", Self.long], with: odd.server.environment))
        Failures.expectOneLine(named, "name", word: "'a:b' cannot be used", on: #_sourceLocation)
        #expect(eventually { odd.hasOpened })
        #expect(odd.server.answers(to: "/nsm/client/open").first?.arguments[1] == .integer(-1))
        let session = Session()
        let missing = session.folder.file("none.mp3")
        let end = Program.end(
          of: Program.start(["play", missing], with: session.server.environment))
        Failures.expectOneLine(end, "missing", word: "no such file", on: #_sourceLocation)
        #expect(eventually { session.hasOpened })
        #expect(session.server.answers(to: "/nsm/client/open").first?.path == "/error")
      }
      for arguments in [["play"], ["play", "--buffer", "1"]] {
        let result = Program.run(arguments)
        #expect(result.exit == .status(64))
        #expect(result.errors.hasPrefix("Error: Missing expected argument '<locations> ...'"))
      }
    }

    @Test("plays without one where the session manager refuses it, is not there, or is none")
    func refused() throws {
      try JACKServer.with { jack in
        let refusing = SessionManagerServer(.refuse(code: -2, message: "another\nversion"))
        defer { refusing.stop() }
        let gone = SessionManagerServer(.nothing)
        gone.stop()
        for (url, word) in [
          (refusing.url, "speaks another version of the protocol: another version"),
          (gone.url, "no session manager listens at \(gone.url)"),
          ("osc.tcp://127.0.0.1:9/", "leads to no session manager"),
        ] {
          let program = Program.start(
            ["play", "--buffer", "0.2", "--start", "11", Self.long], with: ["NSM_URL": url])
          defer { program.signalGroup(SIGKILL) }
          #expect(eventually(seconds: 3) { Self.clients(jack) == ["drawbar"] }, "\(program.errors)")
          let ports = try jack.ports()
          #expect(ports.allSatisfy { $0.connections.isEmpty })
          let end = Program.end(of: program)
          #expect(end.exit == .status(0))
          #expect(
            end.errors.hasPrefix("drawbar: warning: ") && end.errors.contains(word)
              && end.errors.hasSuffix("; going on without a session\n")
              && end.errors.split(separator: "\n").count == 1, "\(end.errors)")
        }
      }
    }

    @Test("plays without one after five seconds in which nothing was answered, but ends at once")
    func silent() throws {
      try JACKServer.with { jack in
        let server = SessionManagerServer(.nothing)
        defer { server.stop() }
        let waiting = Program.start(["play", Self.long], with: server.environment)
        defer { waiting.signalGroup(SIGKILL) }
        #expect(eventually { server.messages.count == 1 }, "\(waiting.errors)")
        Self.end(waiting)
        let start = monotonicSeconds()
        let program = Program.start(
          ["play", "--buffer", "0.2", Self.long], with: server.environment)
        defer { program.signalGroup(SIGKILL) }
        #expect(
          eventually(seconds: 10) { Self.clients(jack) == ["drawbar"] }, "\(program.errors)")
        let took = monotonicSeconds() - start
        #expect(took >= 5 && took < 7, "\(took)")
        Self.end(
          program,
          errors: "drawbar: warning: the session manager at \(server.url) (NSM_URL) did not answer "
            + "within 5.0 s; going on without a session\n")
      }
    }

    @Test("survives what is no message, and does nothing for another sender")
    func garbage() throws {
      try JACKServer.with { _ in
        let session = Session()
        let program = Program.start(["play", Self.long], with: session.server.environment)
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually(seconds: 10) { session.hasOpened }, "\(program.errors)")
        var generator = SplitMix(state: 5)
        for size in [0, 1, 7, 16, 400, 9000, 65_000] {
          session.server.send(
            bytes: (0..<size).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
        }
        session.server.send(bytes: Array("/nsm/client/save\0\0\0\0,sib\0\0\0\0".utf8))
        session.server.sendFromElsewhere(OSCPacket("/nsm/client/save"))
        session.server.send(OSCPacket("/nsm/client/open", [.integer(3)]))
        #expect(eventually { session.server.answers(to: "/nsm/client/open").count == 2 })
        #expect(unsafe access(session.file, F_OK) != 0)
        #expect(session.save() == Session.saved)
        Self.end(
          program,
          errors: "drawbar: warning: the session manager was refused a request: something is open: "
            + "start another instance\n")
      }
    }

    @Test("says that standard input cannot be saved")
    func standardInput() throws {
      try JACKServer.with { _ in
        let session = Session()
        let program = Subprocess(
          ["sh", "-c", "cat '\(Self.long)' | '\(Program.path)' play -"],
          environment: Program.environment.merging(session.server.environment) { $1 })
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually(seconds: 10) { session.hasOpened }, "\(program.errors)")
        let answer = session.save()
        #expect(answer?.path == "/error" && answer?.arguments[1] == .integer(-1))
        #expect(program.errors.contains("what came from standard input cannot be played again"))
        program.signalGroup(SIGTERM)
        program.wait(seconds: 5)
      }
    }

    @Test("monitors again as it did, and records nothing a second time")
    func monitor() throws {
      try JACKServer.with { jack in
        let session = Session()
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
        #expect(session.save() == Session.saved)
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
        #expect(session.save() == Session.saved)
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
}

extension String {
  /// Where a part begins.
  fileprivate func range(of part: String) -> Index? {
    indices.first { self[$0...].hasPrefix(part) }
  }
}
