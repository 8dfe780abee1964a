// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  /// Tests with the test kit's session manager.
  @Suite("in a session")
  struct SessionManager {
    /// Twelve seconds of sound.
    static let long = Fixtures.path("mp3-cbr320-44100-2.mp3")
    static let other = Fixtures.path("mp3-tags-tail.mp3")
    static let id = "drawbar.nABCD"

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

    @Test("announces itself, takes the assigned JACK client name, and connects nothing")
    func announces() throws {
      try JACKServer.with { jack in
        let session = TestSession()
        let program = Program.start(
          ["play", "--buffer", "0.2", Self.long], with: session.server.environment)
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually { session.hasOpened }, "\(program.errors)")
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

    @Test("announces unsaved changes, and their end")
    func dirty() throws {
      try JACKServer.with { _ in
        let session = TestSession()
        func count(_ path: String) -> Int { session.server.messages("/nsm/client/" + path).count }
        let program = TerminalProgram(
          ["play", "--buffer", "0.2", Self.long], with: session.server.environment)
        defer { program.signal(SIGKILL) }
        #expect(eventually { count("is_dirty") == 1 }, "\(program.output)")
        #expect(session.save() == TestSession.saved)
        #expect(eventually { count("is_clean") == 1 })
        // A position that moves by playback is not an unsaved change.
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

    @Test("continues when it cannot save, and reports it to the terminal and the session manager")
    func unwritable() throws {
      try JACKServer.with { _ in
        let session = TestSession(path: "/proc/drawbar/" + Self.id)
        let program = Program.start(["play", Self.long], with: session.server.environment)
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually { session.hasOpened }, "\(program.errors)")
        let message = "cannot create /proc/drawbar: No such file or directory"
        #expect(
          session.save()
            == OSCPacket("/error", [.string("/nsm/client/save"), .integer(-1), .string(message)]))
        Self.end(program, errors: "drawbar: \(message)\n")
      }
    }

    @Test(
      "does not change a state that it cannot read, and ends with one line",
      arguments: ["", "{\"format\": \"drawbar ses", "{\"format\": \"mixer\"}", "\u{0}\u{1}"])
    func corrupt(_ text: String) throws {
      let session = TestSession()
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

    @Test("ends with one line if nothing was saved or named, or the ID or file cannot be used")
    func nothing() throws {
      try JACKServer.with { _ in
        for arguments in [[], ["play"]] {
          let session = TestSession()
          let end = Program.end(
            of: Program.start(arguments, with: session.server.environment))
          Failures.expectOneLine(end, "nothing", word: "nothing was saved", on: #_sourceLocation)
          #expect(eventually { session.hasOpened })
          let answer = session.server.answers(to: "/nsm/client/open").first
          #expect(answer?.path == "/error" && answer?.arguments[1] == .integer(-10))
        }
        let odd = TestSession(id: "a:b")
        let named = Program.end(
          of: Program.start(["play", Self.long], with: odd.server.environment))
        Failures.expectOneLine(named, "name", word: "'a:b' cannot be used", on: #_sourceLocation)
        #expect(eventually { odd.hasOpened })
        #expect(odd.server.answers(to: "/nsm/client/open").first?.arguments[1] == .integer(-1))
        let session = TestSession()
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

    @Test("plays without a session if the manager refuses it, does not run, or is none")
    func refused() throws {
      try JACKServer.with { jack in
        let refusing = SessionManagerServer(.refuse(code: -2, message: "another\nversion"))
        defer { refusing.stop() }
        let gone = SessionManagerServer(.nothing)
        gone.stop()
        for (url, word) in [
          (refusing.url, #"speaks another version of the protocol: another\u{a}version"#),
          (gone.url, "no session manager listens at \(gone.url)"),
          ("osc.tcp://127.0.0.1:9/", "leads to no session manager"),
        ] {
          let program = Program.start(
            ["play", "--buffer", "0.2", Self.long], with: ["NSM_URL": url])
          defer { program.signalGroup(SIGKILL) }
          #expect(eventually { Self.clients(jack) == ["drawbar"] }, "\(program.errors)")
          let ports = try jack.ports()
          #expect(ports.allSatisfy { $0.connections.isEmpty })
          program.signalGroup(SIGTERM)
          let end = Program.end(of: program)
          #expect(end.exit == .status(0))
          #expect(
            end.errors.hasPrefix("drawbar: warning: ") && end.errors.contains(word)
              && end.errors.hasSuffix("; going on without a session\n")
              && end.errors.split(separator: "\n").count == 1, "\(end.errors)")
        }
      }
    }

    @Test("plays without a session after five seconds of no answer, but ends at once by a signal")
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
          eventually { Self.clients(jack) == ["drawbar"] }, "\(program.errors)")
        let took = monotonicSeconds() - start
        #expect(took >= 5 && took < 7, "\(took)")
        Self.end(
          program,
          errors: "drawbar: warning: the session manager at \(server.url) (NSM_URL) did not answer "
            + "within 5.0 s; going on without a session\n")
      }
    }

    @Test("survives invalid messages, and ignores other senders")
    func garbage() throws {
      try JACKServer.with { _ in
        let session = TestSession()
        let program = Program.start(["play", Self.long], with: session.server.environment)
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually { session.hasOpened }, "\(program.errors)")
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
        #expect(session.save() == TestSession.saved)
        Self.end(
          program,
          errors: "drawbar: warning: the session manager was refused a request: something is open: "
            + "start another instance\n")
      }
    }

    @Test("reports that standard input cannot be saved")
    func standardInput() throws {
      try JACKServer.with { _ in
        let session = TestSession()
        let program = Subprocess(
          ["sh", "-c", "cat '\(Self.long)' | '\(Program.path)' play -"],
          environment: Program.environment.merging(session.server.environment) { $1 })
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually { session.hasOpened }, "\(program.errors)")
        let answer = session.save()
        #expect(answer?.path == "/error" && answer?.arguments[1] == .integer(-1))
        let message = "what came from standard input cannot be played again"
        #expect(eventually { program.errors.contains(message) }, "\(program.errors)")
        program.signalGroup(SIGTERM)
        program.wait(seconds: 5)
      }
    }

  }
}
