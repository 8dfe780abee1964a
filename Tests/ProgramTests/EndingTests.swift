// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("ends")
  struct Endings {
    /// Twelve seconds of sound, longer than any of these tests.
    static let long = Fixtures.path("mp3-cbr320-44100-2.mp3")
    static let play = ["play", "--connect", "none", "--buffer", "0.2"]

    static func isPresent(_ jack: JACKServer) -> Bool {
      (try? jack.ports().contains { $0.name.hasPrefix("drawbar") }) == true
    }

    @Test("within a second of Ctrl-C or SIGTERM while playing", arguments: [SIGINT, SIGTERM])
    func signalled(_ signal: Int32) throws {
      try JACKServer.with { jack in
        let program = TerminalProgram(Self.play + [Self.long])
        #expect(program.shows("Playing    0:01"), "\(program.output)")
        if signal == SIGINT { program.type("\u{3}") } else { program.signal(signal) }
        let end = program.end()
        #expect(end.exit == .status(0) && end.seconds < 1, "\(end) \(program.output)")
        #expect(!Self.isPresent(jack))
      }
    }

    @Test("within a second of a signal while it has no terminal", arguments: [SIGINT, SIGTERM])
    func withoutTerminal(_ signal: Int32) throws {
      try JACKServer.with { jack in
        let program = Program.start(Self.play + [Self.long])
        #expect(eventually { Self.isPresent(jack) }, "\(program.errors)")
        program.signalGroup(signal)
        let result = Program.end(of: program)
        #expect(result.exit == .status(0) && result.seconds < 1, "\(result)")
        #expect(result.output == "" && result.errors == "" && !result.hasLeftSomething)
      }
    }

    @Test(
      "within a second of a signal while the source sends nothing, before the first byte and after",
      arguments: [0, 20000] as [UInt64])
    func stalled(afterBytes: UInt64) throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      var plan = ResponsePlan.file(Self.long)
      plan.fault = .stall(afterBytes: afterBytes)
      web.serve("/stalled", plan)
      try JACKServer.with { _ in
        let program = TerminalProgram(
          ["play", "--connect", "none", "--buffer", "3", web.url("/stalled")])
        #expect(program.shows(afterBytes == 0 ? "Opening" : "Buffering"), "\(program.output)")
        #expect(eventually { web.bodyBytesSent("/stalled") == afterBytes })
        program.signal(SIGINT)
        let end = program.end()
        #expect(end.exit == .status(0) && end.seconds < 1, "\(end) \(program.output)")
      }
    }

    @Test(
      "within a second of a signal while it reads up to the requested start",
      arguments: [SIGINT, SIGTERM])
    func onTheWay(_ signal: Int32) throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      var plan = ResponsePlan.file(Self.long)
      plan.fault = .stall(afterBytes: 20000)
      web.serve("/stalled", plan)
      try JACKServer.with { _ in
        let program = Program.start(Self.play + ["--start", "5", web.url("/stalled")])
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually { web.bodyBytesSent("/stalled") == 20000 })
        program.signalGroup(signal)
        let result = Program.end(of: program, seconds: 5)
        #expect(result.exit == .status(0) && result.seconds < 1, "\(result)")
        #expect(result.output == "" && result.errors == "")
      }
    }

    @Test("not when the terminal hangs up if it was started to ignore that, as by nohup")
    func ignoredHangUp() throws {
      try JACKServer.with { jack in
        let program = Subprocess(
          ["sh", "-c", "trap '' HUP; exec \"$@\"", "sh", Program.path] + Self.play + [Self.long],
          environment: Program.environment)
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually { Self.isPresent(jack) }, "\(program.errors)")
        program.signalGroup(SIGHUP)
        #expect(program.wait(seconds: 0.5) == nil)
        #expect(Self.isPresent(jack))
        program.signalGroup(SIGTERM)
        #expect(Program.end(of: program).exit == .status(0))
      }
    }

    @Test("within a second of a signal while a server does not answer at all")
    func silentServer() throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      web.serve("/silent", .silence)
      try JACKServer.with { _ in
        let program = Program.start(Self.play + [web.url("/silent")])
        #expect(eventually { web.requests.count == 1 })
        program.signalGroup(SIGINT)
        let result = Program.end(of: program, seconds: 5)
        #expect(result.exit == .status(0) && result.seconds < 1, "\(result)")
      }
    }

    @Test("within a second of q while it waits for a lost station")
    func awaitedStation() throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      var plan = ResponsePlan.file(Self.long)
      plan.framing = .untilClose
      plan.fields.append(("icy-name", "Sender"))
      plan.fault = .finish(afterBytes: 200_000)
      // The server asks for a pause longer than the test.
      web.serve("/radio", inOrder: [plan, .unavailable(retryAfter: "30")])
      try JACKServer.with { jack in
        let program = TerminalProgram(Self.play + [web.url("/radio")])
        defer { program.signal(SIGKILL) }
        #expect(eventually { web.requests.count == 2 }, "\(program.output)")
        #expect(program.shows("0:01"), "\(program.output)")
        program.type("q")
        let end = program.end()
        #expect(end.exit == .status(0) && end.seconds < 1, "\(end) \(program.output)")
        #expect(!Self.isPresent(jack))
      }
    }

    @Test("within a second of a signal while the JACK server is stopped")
    func frozenServer() throws {
      try JACKServer.with { jack in
        let program = TerminalProgram(Self.play + [Self.long])
        #expect(program.shows("Playing    0:01"), "\(program.output)")
        jack.freeze()
        defer { jack.thaw() }
        program.signal(SIGINT)
        let end = program.end()
        #expect(end.exit == .status(0) && end.seconds < 1, "\(end) \(program.output)")
      }
    }

    @Test(
      "within a second of a signal while it waits to be accepted by a stopped JACK server",
      arguments: [
        play + [long], ["monitor"], ["latency", "--to", "system", "--from", "system"],
      ])
    func unansweredOpen(_ command: [String]) throws {
      try JACKServer.with { jack in
        jack.freeze()
        defer { jack.thaw() }
        let program = Program.start(command)
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually { Self.blocksSIGINT(program.pid) })
        program.signalGroup(SIGINT)
        let result = Program.end(of: program)
        #expect(result.exit == .status(0) && result.seconds < 1, "\(result)")
        #expect(result.output == "" && result.errors == "")
      }
    }

    /// Whether a program has blocked SIGINT in order to read it when ready (proc(5), `SigBlk`).
    private static func blocksSIGINT(_ pid: pid_t?) -> Bool {
      guard let pid else { return false }
      let status = String(decoding: contents(ofFile: "/proc/\(pid)/status"), as: UTF8.self)
      let line = status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
      let mask = line.flatMap { UInt64($0.dropFirst(7).drop { $0 == "\t" }, radix: 16) } ?? 0
      return mask >> UInt64(SIGINT - 1) & 1 == 1
    }

    @Test(
      "with one line and exit code 1 when the JACK server dies, unless it is to wait for it",
      arguments: [true, false])
    func lostServer(isKilled: Bool) throws {
      try JACKServer.with { jack in
        let program = Program.start(Self.play + ["--no-reattach", Self.long])
        #expect(eventually { Self.isPresent(jack) }, "\(program.errors)")
        let start = monotonicSeconds()
        if isKilled { jack.kill() } else { jack.end() }
        let result = Program.end(of: program, since: start)
        Failures.expectOneLine(result, "play", word: JACKServer.name, on: #_sourceLocation)
        #expect(result.seconds < 2 && result.output == "")
      }
    }

    @Test("at q, pauses at space, skips at >, and leaves the terminal as it was")
    func keys() throws {
      try JACKServer.with { _ in
        let program = TerminalProgram(Self.play + [Self.long, Self.long])
        let modes = program.originalModes
        #expect(program.shows("Playing    0:01"), "\(program.output)")
        #expect(program.showsAnew("Paused") { program.type(" ") })
        #expect(program.showsAnew("Playing") { program.type(" ") })
        #expect(program.showsAnew("[2/2]") { program.type(">") })
        #expect(program.showsAnew("Playing    0:00") {})
        #expect(program.localModes & tcflag_t(ECHO) == 0)
        #expect(program.showsAnew("Playing    0:05") { program.type("\u{1B}[C") })
        #expect(program.showsAnew("Playing    0:00") { program.type("\u{1B}[D\u{1B}[D") })
        #expect(program.showsAnew("muted") { program.type("m") })
        #expect(program.showsAnew("[1/2]") { program.type("<") })
        #expect(program.showsAnew("repeat all") { program.type("LL") })
        #expect(program.showsAnew("previous, next track") { program.type("?") })
        program.type("q")
        let end = program.end()
        #expect(end.exit == .status(0) && end.seconds < 1, "\(end) \(program.output)")
        #expect(program.localModes == modes && modes & tcflag_t(ECHO) != 0)
      }
    }

    @Test(
      "at once by a signal, and leaves the terminal as it was",
      arguments: [SIGQUIT, SIGUSR1, SIGALRM])
    func atOnce(_ signal: Int32) throws {
      try JACKServer.with { _ in
        for command in [Self.play + [Self.long], ["monitor", "--from", "none", "--to", "none"]] {
          let program = TerminalProgram(command)
          let modes = program.originalModes
          #expect(eventually { program.localModes & tcflag_t(ECHO) == 0 }, "\(program.output)")
          try JACKServer.holdingMetadata {
            #expect(program.shows("JACK "), "\(program.output)")
            if signal == SIGQUIT { program.type("\u{1C}") } else { program.signal(signal) }
            #expect(program.end().exit == .signal(signal))
          }
          #expect(program.localModes == modes && modes & tcflag_t(ICANON | ECHO) != 0)
        }
      }
    }

    @Test("by itself after the last frame, and by > on the last track")
    func byItself() throws {
      try JACKServer.with { jack in
        let short = Program.run(Self.play + [Fixtures.path("mp3-short-44100-2.mp3")])
        #expect(short.exit == .status(0) && short.seconds < 3, "\(short)")
        #expect(!Self.isPresent(jack))
        let program = TerminalProgram(Self.play + [Self.long])
        #expect(program.shows("Playing    0:01"), "\(program.output)")
        program.type(">")
        let end = program.end()
        #expect(end.exit == .status(0) && end.seconds < 1, "\(end) \(program.output)")
      }
    }
  }
}
