// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("while the JACK server comes and goes")
  struct ServerReturns {
    static let waiting = "Waiting for the JACK server"

    /// The returned server's rate and period.
    private static func options(_ rate: Int, _ period: Int) -> JACKServer.Options {
      var options = JACKServer.Options()
      (options.sampleRate, options.period) = (rate, period)
      return options
    }

    static func connections(_ jack: some JACKTools) -> [String: [String]] {
      let ours = (try? jack.ports().filter { $0.name.hasPrefix("drawbar:") }) ?? []
      return Dictionary(uniqueKeysWithValues: ours.map { ($0.name, $0.connections.sorted()) })
    }

    /// Seconds of the track in a status line such as `Playing    0:07 / 0:12  …`.
    static func seconds(in line: String) -> Int? {
      // The word before the slash.
      let words = line.split(separator: " ")
      guard let slash = words.firstIndex(of: "/"), slash > 0 else { return nil }
      let parts = words[slash - 1].split(separator: ":")
      guard parts.count == 2, let minutes = Int(parts[0]), let seconds = Int(parts[1]) else {
        return nil
      }
      return minutes * 60 + seconds
    }

    @Test("calls libjack no more for a server that ended while its client was opened and started")
    func endMeanwhile() throws {
      let semaphore = "/dev/shm/jack_sem.\(getuid())_\(JACKServer.name)_drawbar"
      for milliseconds in 0..<10 {
        try JACKServer.with { server in
          unsafe unlink(semaphore)
          let program = Program.start(
            ["play", "--connect", "none", "--no-mpris", Fixtures.path("mp3-cbr320-44100-2.mp3")])
          defer {
            program.signalGroup(SIGKILL)
            program.wait(seconds: 5)
          }
          let isOpen = eventually { unsafe access(semaphore, F_OK) == 0 }
          #expect(isOpen, "\(program.errors)")
          // End the server a little later in the client's start each time.
          usleep(UInt32(milliseconds) * 1000)
          server.end()
          // A server that was ended by SIGPIPE, because a client ended, leaves its store.
          guard server.hasEndedProperly else { return }
          let isMade = eventually(seconds: 0.25) { JACKServer.hasMetadataStore }
          #expect(!isMade, "after \(milliseconds) ms")
        }
      }
    }

    @Test("waits and reports it, and resumes its position and the connections that others made")
    func goesOn() throws {
      try JACKServer.with { first in
        var jack = first
        defer { jack.stop() }
        let program = TerminalProgram(["play", "--buffer", "0.2", Endings.long])
        defer { program.signal(SIGKILL) }
        #expect(program.shows("Playing    0:01"), "\(program.output)")
        _ = try jack.run(["jack_disconnect", "drawbar:out_1", "system:playback_1"])
        _ = try jack.run(["jack_connect", "drawbar:out_1", "system:playback_2"])
        for (isKilled, rate, period) in [
          (true, 44100, 512), (false, 96000, 128), (true, 48000, 64),
        ] {
          if isKilled { jack.kill() } else { jack.end() }
          #expect(program.showsAnew(Self.waiting) {}, "\(program.output)")
          // The position must not depend on the length of the pause.
          usleep(1_500_000)
          let before = try #require(program.shownLines.last.flatMap(Self.seconds))
          jack = try JACKServer.start(Self.options(rate, period))
          let wanted = [
            "drawbar:out_1": ["system:playback_2"], "drawbar:out_2": ["system:playback_2"],
          ]
          #expect(
            eventually(seconds: 1) { Self.connections(jack) == wanted },
            "\(Self.connections(jack))")
          #expect(program.showsAnew("Playing") {}, "\(program.output)")
          let after = try #require(program.shownLines.last.flatMap(Self.seconds))
          #expect((before...before + 1).contains(after), "\(program.output)")
          #expect(program.output.contains("is back, \(rate) Hz, \(period) frames: drawbar"))
        }
        program.type("q")
        let end = program.end()
        #expect(end.exit == .status(0) && end.seconds < 1, "\(end) \(program.output)")
        #expect(!Endings.isPresent(jack))
      }
    }

    @Test("reports that it waits for a stopped server, and plays on when the server continues")
    func stopped() throws {
      try JACKServer.with { jack in
        let program = TerminalProgram(Endings.play + [Endings.long])
        defer { program.signal(SIGKILL) }
        #expect(program.shows("Playing    0:01"), "\(program.output)")
        #expect(program.showsAnew(Self.waiting) { jack.freeze() }, "\(program.output)")
        #expect(program.showsAnew("Playing") { jack.thaw() }, "\(program.output)")
        #expect(!program.output.contains("is back"))
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }

    @Test("ends within a second of Ctrl-C or q while it waits", arguments: ["\u{3}", "q"])
    func endsWhileWaiting(_ key: String) throws {
      try JACKServer.with { jack in
        let program = TerminalProgram(Endings.play + [Endings.long])
        defer { program.signal(SIGKILL) }
        #expect(program.shows("Playing    0:01"), "\(program.output)")
        #expect(program.showsAnew(Self.waiting) { jack.kill() }, "\(program.output)")
        program.type(key)
        let end = program.end()
        #expect(end.exit == .status(0) && end.seconds < 1, "\(end) \(program.output)")
      }
    }

    @Test("prints nothing without a terminal, and plays to the end")
    func quiet() throws {
      let bus = try SessionBusServer()
      try JACKServer.with { first in
        var jack = first
        defer { jack.stop() }
        let program = Program.start(Endings.play + [Endings.long], with: bus.environment)
        defer { program.signalGroup(SIGKILL) }
        // The program is on the bus once it plays. A server that ends during its start is an error.
        #expect(eventually { bus.names(from: SessionBus.prefix).count == 1 }, "\(program.errors)")
        for _ in 0..<3 {
          jack.kill()
          jack = try JACKServer.start(Self.options(44100, 256))
          #expect(eventually(seconds: 1) { Endings.isPresent(jack) }, "\(program.errors)")
        }
        let end = Program.end(of: program, seconds: 20)
        #expect(end.exit == .status(0) && end.output == "" && end.errors == "", "\(end)")
      }
    }

    @Test("leaks no threads and descriptors, whatever befalls the server")
    func resources() throws {
      var random = SplitMix(state: 3)
      try JACKServer.with { first in
        var jack = first
        defer { jack.stop() }
        let program = TerminalProgram(Endings.play + ["-v", Endings.long])
        defer { program.signal(SIGKILL) }
        #expect(program.shows("Playing    0:01"), "\(program.output)")
        program.type("L")
        let before = ProcessResources.of(program.pid)
        for round in 0..<10 {
          switch Int.random(in: 0..<4, using: &random) {
          case 0: jack.kill()
          case 1: jack.end()
          case 2:
            jack.freeze()
            #expect(program.showsAnew(Self.waiting) {}, "\(round)")
            jack.kill()
          default:
            jack.freeze()
            #expect(program.showsAnew(Self.waiting) {}, "\(round)")
            jack.thaw()
            #expect(program.showsAnew("Playing") {}, "\(round)")
            continue
          }
          #expect(program.showsAnew(Self.waiting) {}, "\(round)")
          let rate = [44100, 48000].randomElement(using: &random)!
          jack = try JACKServer.start(
            Self.options(rate, [128, 256].randomElement(using: &random)!))
          let isBack = eventually(seconds: 1) { Endings.isPresent(jack) }
          #expect(isBack && program.showsAnew("Playing") {}, "\(round): \(program.output)")
          #expect(
            eventually { ProcessResources.of(program.pid).isWithin(before) },
            "\(round): \(ProcessResources.of(program.pid)), at first \(before)")
        }
        // libjack's messages about missing servers are not shown, not even with -v.
        #expect(!program.output.contains("jack: Cannot connect to server"))
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }
  }
}
