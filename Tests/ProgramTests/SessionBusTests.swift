// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  /// Tests with `playerctl` and `busctl`, on their own bus.
  @Suite("on the session bus")
  struct SessionBus {
    /// Twelve seconds of sound.
    static let long = Fixtures.path("mp3-cbr320-44100-2.mp3")
    static let tagged = Fixtures.path("mp3-tags-tail.mp3")
    static let play = ["play", "--connect", "none", "--buffer", "0.2"]
    static let prefix = "org.mpris.MediaPlayer2."

    /// Runs a test with a program that plays on a JACK server and has a bus.
    static func withProgram(
      _ arguments: [String],
      _ body: (SessionBusServer, Subprocess) throws -> Void
    ) throws {
      try JACKServer.with { _ in
        let bus = try SessionBusServer()
        let program = Program.start(play + arguments, with: bus.environment)
        defer { program.signalGroup(SIGKILL) }
        try #require(eventually { status(on: bus) == "Playing" }, "\(program.errors)")
        try body(bus, program)
      }
    }

    static func status(on bus: SessionBusServer) -> String? { try? bus.playerctl(["status"]) }

    static func metadata(_ field: String, on bus: SessionBusServer) -> String? {
      try? bus.playerctl(["metadata", field])
    }

    /// The position on the bus, in seconds.
    static func position(on bus: SessionBusServer) -> Double? {
      (try? bus.playerctl(["position"])).flatMap { Double($0) }
    }

    /// Ends the program as Ctrl-C does, and expects no output.
    static func end(_ program: Subprocess) {
      program.signalGroup(SIGINT)
      let end = Program.end(of: program)
      #expect(end.exit == .status(0) && end.seconds < 1, "\(end)")
      #expect(end.output == "" && end.errors == "")
    }

    @Test("plays, pauses, seeks, changes track and volume by playerctl, and signals each change")
    func control() throws {
      try Self.withProgram([Self.long, Self.tagged]) { bus, program in
        func ask(_ arguments: [String]) throws { _ = try bus.playerctl(arguments) }
        #expect(bus.names(from: Self.prefix).count == 1)
        #expect(eventually { Self.metadata("xesam:url", on: bus) == "file://" + Self.long })
        #expect(Self.metadata("mpris:length", on: bus) == "12000000")
        #expect(Self.metadata("xesam:title", on: bus) == "mp3-cbr320-44100-2.mp3")
        try ask(["pause"])
        #expect(Self.status(on: bus) == "Paused")
        try ask(["position", "5"])
        #expect(eventually { abs((Self.position(on: bus) ?? 0) - 5) < 0.01 })
        try ask(["play-pause"])
        #expect(Self.status(on: bus) == "Playing")
        #expect(eventually { (Self.position(on: bus) ?? 0) > 5.2 })
        try ask(["position", "4-"])
        #expect(eventually { (1...3).contains(Self.position(on: bus) ?? 0) })
        try ask(["volume", "0.25"])
        #expect(try bus.playerctl(["volume"]) == "0.250000")
        try ask(["loop", "Track"])
        #expect(eventually { (try? bus.playerctl(["loop"])) == "Track" })
        try ask(["next"])
        #expect(eventually { Self.metadata("xesam:title", on: bus) == "Sweep" })
        #expect(Self.metadata("xesam:artist", on: bus) == "Drawbar")
        try ask(["pause"])
        try ask(["previous"])
        #expect(eventually { Self.metadata("xesam:url", on: bus) == "file://" + Self.long })
        #expect(Self.status(on: bus) == "Paused")
        Self.end(program)
        #expect(eventually { bus.names(from: Self.prefix) == [] })
      }
    }

    @Test("restarts the track when asked to play after a stop")
    func stop() throws {
      try Self.withProgram(["--start", "6", Self.long]) { bus, program in
        #expect(eventually { (Self.position(on: bus) ?? 0) > 6 })
        _ = try bus.playerctl(["stop"])
        #expect(Self.status(on: bus) == "Stopped" && Self.position(on: bus) == 0)
        _ = try bus.playerctl(["play"])
        #expect(Self.status(on: bus) == "Playing")
        #expect(eventually { (0.1..<3).contains(Self.position(on: bus) ?? 0) })
        Self.end(program)
      }
    }

    @Test("signals a seek when it becomes audible, and no position otherwise")
    func seeked() throws {
      try Self.withProgram([Self.long]) { bus, program in
        #expect(eventually { (Self.position(on: bus) ?? 0) > 0.2 })
        let monitor = try bus.monitor()
        defer { monitor.signalGroup(SIGTERM) }
        _ = try bus.playerctl(["pause"])
        #expect(eventually { monitor.output.contains("string \"Paused\"") })
        _ = try bus.playerctl(["position", "7"])
        #expect(eventually { monitor.output.contains("member=Seeked") })
        #expect(!monitor.output.contains("string \"Position\""))
        let place = monitor.output.split(separator: "int64 ").last?.prefix { $0.isNumber } ?? ""
        #expect(abs((Double(place) ?? 0) - 7_000_000) < 10_000, "\(monitor.output)")
        Self.end(program)
      }
    }

    @Test("plays an opened URL, and shows no user name or password")
    func open() throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      web.serve("/sweep.mp3", .file(Self.tagged))
      try Self.withProgram([Self.long]) { bus, program in
        let url = web.url("/sweep.mp3")
        let secret = "http://user:hunter2@" + url.dropFirst("http://".count)
        _ = try bus.playerctl(["open", secret])
        #expect(eventually { Self.metadata("xesam:url", on: bus) == url })
        #expect(eventually { Self.metadata("xesam:title", on: bus) != nil })
        #expect(Self.status(on: bus) == "Playing")
        #expect(throws: SessionBusServer.Failure.self) {
          try bus.busctl([
            "call", bus.names(from: Self.prefix).first ?? "", "/org/mpris/MediaPlayer2",
            "org.mpris.MediaPlayer2.Player", "OpenUri", "s", "ftp://127.0.0.1/a.mp3",
          ])
        }
        Self.end(program)
      }
    }

    @Test("plays on when an opened URL cannot be played, and reports it")
    func unplayable() throws {
      let folder = TemporaryDirectory()
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      web.serve("/page", .file(Fixtures.path("not-audio.html"), type: "text/html"))
      web.serve("/silent", .silence)
      try folder.write("none.mp3\n", "l.m3u")
      let bad = [
        "file://" + folder.file("none.mp3"), "file://" + folder.path, web.url("/none"),
        web.url("/page"), "file://" + Fixtures.path("not-audio.jpg"),
        "file://" + folder.file("l.m3u"),
        "file://" + Fixtures.repository + "/.build/corpus/files/wav-gsm.wav",
      ]
      try Self.withProgram([Self.long]) { bus, program in
        _ = try bus.playerctl(["open", web.url("/silent")])
        for (index, url) in bad.enumerated() {
          _ = try bus.playerctl(["open", url])
          #expect(
            eventually { program.errors.split(separator: "\n").count == index + 1 },
            "\(url): \(program.errors)")
        }
        #expect(Self.metadata("xesam:url", on: bus) == "file://" + Self.long)
        #expect(Self.status(on: bus) == "Playing")
        let place = Self.position(on: bus) ?? 0
        #expect(eventually { (Self.position(on: bus) ?? 0) > place + 0.1 })
        // The playlist has not grown.
        #expect(throws: SessionBusServer.Failure.self) { try bus.playerctl(["next"]) }
        try folder.write("\(Self.tagged)\n", "l.m3u")
        _ = try bus.playerctl(["open", "file://" + folder.file("l.m3u")])
        #expect(eventually { Self.metadata("xesam:title", on: bus) == "Sweep" })
        program.signalGroup(SIGINT)
        let end = Program.end(of: program)
        #expect(end.exit == .status(0) && end.seconds < 1, "\(end)")
      }
    }

    @Test("publishes a file's path as a URL, whatever its characters, and its track number")
    func url() throws {
      let folder = TemporaryDirectory()
      _ = ReferenceDecoder.output(
        "ffmpeg -v error -i '\(Self.long)' -c copy -metadata track=7/12 '\(folder.file("a b%é#?.mp3"))'"
      )
      try JACKServer.with { _ in
        let bus = try SessionBusServer()
        let program = Subprocess(
          ["env", "-C", folder.path, Program.path] + Self.play + ["a b%é#?.mp3"],
          environment: Program.environment.merging(bus.environment) { $1 })
        defer { program.signalGroup(SIGKILL) }
        let url = "file://" + folder.path + "/a%20b%25%C3%A9%23%3F.mp3"
        #expect(
          eventually { Self.metadata("xesam:url", on: bus) == url },
          "\(Self.metadata("xesam:url", on: bus) ?? "") \(program.errors)")
        #expect(Self.metadata("xesam:trackNumber", on: bus) == "7")
        Self.end(program)
      }
    }

    @Test("publishes a station's name and titles, and that it cannot be sought in")
    func station() throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      // The file has no table that states a length.
      var plan = ResponsePlan.file(Fixtures.path("mp3-notag-44100-2.mp3"))
      plan.fault = .stall(afterBytes: 100_000)
      plan.fields.append(("icy-name", "Sender"))
      plan.framing = .untilClose
      plan.metadata = ResponsePlan.Metadata(interval: 20_000) { index in
        Array("StreamTitle='Band - Song \(index)';".utf8)
      }
      web.serve("/station", plan)
      try Self.withProgram([web.url("/station")]) { bus, program in
        #expect(eventually { Self.metadata("xesam:title", on: bus) == "Band - Song 2" })
        #expect(Self.metadata("xesam:artist", on: bus) == "Sender")
        let all = try bus.playerctl(["metadata"])
        #expect(!all.contains("mpris:length"))
        Self.end(program)
      }
    }

    @Test("locates JACK's transport to its last frame at most, and continues")
    func farSeeks() throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      // The file has no table that states a length.
      var plan = ResponsePlan.file(Fixtures.path("mp3-notag-44100-2.mp3"))
      plan.framing = .untilClose
      web.serve("/endless", plan)
      // JACK reports a new position after a cycle or two, so several requests arrive before that.
      try JACKServer.with(.waiting(sampleRate: 48000, period: 8192)) { _ in
        let bus = try SessionBusServer()
        let program = Program.start(
          Self.play + ["--transport", "follow", web.url("/endless")], with: bus.environment)
        defer { program.signalGroup(SIGKILL) }
        try #require(eventually { Self.metadata("xesam:url", on: bus) != nil }, "\(program.errors)")
        let name = bus.names(from: Self.prefix).first ?? ""
        let player = [
          "call", name, "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Player",
        ]
        for _ in 0..<6 {
          _ = try bus.busctl(player + ["Seek", "x", "\(Int64.max / 1000)"])
        }
        #expect(Self.status(on: bus) == "Paused")
        program.signalGroup(SIGINT)
        #expect(Program.end(of: program).exit == .status(0))
      }
    }

    @Test("ends when asked to quit")
    func quit() throws {
      try Self.withProgram([Self.long]) { bus, program in
        _ = try bus.busctl([
          "call", bus.names(from: Self.prefix).first ?? "", "/org/mpris/MediaPlayer2",
          "org.mpris.MediaPlayer2", "Quit",
        ])
        let end = Program.end(of: program)
        #expect(end.exit == .status(0) && end.seconds < 1 && end.errors == "", "\(end)")
      }
    }

    @Test("plays on to the end without a message when the bus ends")
    func lostBus() throws {
      try Self.withProgram(["--start", "9", Self.long]) { bus, program in
        bus.stop()
        let end = Program.end(of: program)
        #expect(end.exit == .status(0) && end.output == "" && end.errors == "", "\(end)")
      }
    }

    @Test("ends within a second of Ctrl-C while the bus is stopped")
    func frozenBus() throws {
      try Self.withProgram([Self.long]) { bus, program in
        bus.freeze()
        Self.end(program)
      }
    }

    @Test("stays off the bus if asked to, and plays without a bus")
    func off() throws {
      try JACKServer.with { jack in
        let bus = try SessionBusServer()
        let folder = TemporaryDirectory()
        let nowhere = ["DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": folder.path]
        for (options, variables) in [
          (["--no-mpris"], bus.environment), ([], nowhere),
          ([], ["DBUS_SESSION_BUS_ADDRESS": "unix:path=" + folder.file("bus")]),
          ([], ["DBUS_SESSION_BUS_ADDRESS": "autolaunch:"]),
        ] {
          let program = Program.start(
            Self.play + options + ["--start", "10", Self.long], with: variables)
          #expect(eventually { Endings.isPresent(jack) }, "\(program.errors)")
          #expect(bus.names(from: Self.prefix) == [])
          let end = Program.end(of: program)
          #expect(end.exit == .status(0) && end.output == "" && end.errors == "", "\(end)")
        }
      }
    }

    @Test("is found by the socket in the runtime directory")
    func runtimeDirectory() throws {
      try JACKServer.with { _ in
        let bus = try SessionBusServer()
        let program = Program.start(
          Self.play + [Self.long],
          with: ["DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": bus.directory])
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually { Self.status(on: bus) == "Playing" }, "\(program.errors)")
        Self.end(program)
      }
    }
  }
}
