// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("monitors")
  struct Monitor {
    /// The round trips that `jack_iodelay` has printed, in frames.
    static func roundTrips(_ text: String) -> [Double] {
      text.split(separator: "\n").compactMap { line in
        guard line.contains("total roundtrip latency") else { return nil }
        return line.split(separator: " ").first.flatMap { Double($0) }
      }
    }

    /// A sine of 100 Hz at 40 dB below full scale: the mixed-in file must not mask the tones.
    private func playAlong(_ folder: TemporaryDirectory, seconds: Int, level: Double = 0.01)
      -> String
    {
      let path = folder.file("along.wav")
      _ = ReferenceDecoder.output(
        "ffmpeg -nostdin -v error -f lavfi -i "
          + "'aevalsrc=\(level)*sin(200*PI*t):s=48000:d=\(seconds)' -c:a pcm_f32le '\(path)'")
      return path
    }

    private func isReady(_ jack: JACKServer) -> Bool {
      eventually { (try? jack.ports().contains { $0.name == "drawbar:out_2" }) == true }
    }

    @Test(
      "without added latency: jack_iodelay finds one period, which is the loop's",
      arguments: [16, 32, 64, 128, 256, 512, 1024])
    func roundTrip(_ period: Int) throws {
      let folder = TemporaryDirectory()
      let along = playAlong(folder, seconds: 60)
      try JACKServer.with(.waiting(period: period)) { jack in
        let program = Program.start([
          "monitor", "--from", "none", "--to", "none", "--json", "--gain=-3", "--high-pass", "20",
          "--limit=-1", "--with", along, "--record", folder.file("heard.wav"),
        ])
        defer { program.signalGroup(SIGKILL) }
        try #require(isReady(jack), "\(program.errors)")
        try #require(
          eventually { program.output.contains("\"state\":\"playing\"") },
          "\(program.output.suffix(500)) \(program.errors)")
        let delay = Subprocess(["stdbuf", "-oL", "jack_iodelay"], environment: Program.environment)
        defer { delay.signalGroup(SIGKILL) }
        let hasPorts = eventually {
          (try? jack.ports().contains { $0.name == "jack_delay:in" }) == true
        }
        try #require(hasPorts, "\(delay.errors)")
        try jack.connect("jack_delay:out", "drawbar:in_1")
        try jack.connect("drawbar:out_1", "jack_delay:in")
        #expect(
          eventually(seconds: 30) { Self.roundTrips(delay.output).count >= 4 }, "\(delay.output)")
        // The high-pass shifts the tones by less than a tenth of a frame.
        let measured = Self.roundTrips(delay.output).dropFirst().prefix(3)
        #expect(measured.allSatisfy { abs($0 - Double(period)) < 0.1 }, "\(Array(measured))")
        delay.signalGroup(SIGTERM)
        program.signalGroup(SIGTERM)
        #expect(Program.end(of: program).exit == .status(0))
      }
    }

    @Test("with a mixed-in file, and records its output to the bit", arguments: ["wav", "flac"])
    func records(_ kind: String) throws {
      let folder = TemporaryDirectory()
      let path = folder.file("heard.\(kind)")
      try JACKServer.with(.waiting(period: 256)) { _ in
        let result = Program.run([
          "monitor", "--from", "none", "--to", "none", "--outputs", "1", "--inputs", "1",
          "--with", Fixtures.path("wav-s16-48000-1.wav"), "--record", path, "--seconds", "8",
        ])
        #expect(result.exit == .status(0))
        #expect(result.output == "" && result.errors == "")
      }
      #expect(ReferenceDecoder.ffprobe(path, "sample_rate") == 48000)
      let heard = ReferenceDecoder.ffmpeg(path)
      let source = ReferenceDecoder.ffmpeg(Fixtures.path("wav-s16-48000-1.wav"))
      let first = try #require(heard.firstIndex { $0 != 0 })
      let lead = try #require(source.firstIndex { $0 != 0 })
      // The end is faded out, so it is not compared.
      let frames = 4 * 48000
      try #require(heard.count - first > frames + 4800)
      let isSame = heard[first...].prefix(frames).elementsEqual(source[lead...].prefix(frames))
      #expect(isSame)
    }

    @Test("the inputs, and records them alone, whatever the output")
    func recordsInput() throws {
      let folder = TemporaryDirectory()
      let path = folder.file("inputs.wav")
      try JACKServer.with(.waiting(period: 256)) { jack in
        let player = Program.start([
          "play", "--name", "player", "--connect", "none", "--ports", "1", "--buffer", "0.1",
          playAlong(folder, seconds: 60, level: 0.5),
        ])
        defer { player.signalGroup(SIGKILL) }
        let isThere = eventually {
          (try? jack.ports().contains { $0.name == "player:out_1" }) == true
        }
        try #require(isThere, "\(player.errors)")
        let result = Program.run([
          "monitor", "--from", "player:out_1", "--to", "none", "--inputs", "1", "--mute",
          "--record", path, "--record-input", "--seconds", "3",
        ])
        #expect(result.exit == .status(0) && result.errors == "")
      }
      let wave = try FloatWave(path: path)
      #expect(wave.channels.count == 1)
      #expect(wave.channels[0].contains { abs($0 - 0.5) < 0.001 })
      #expect(wave.channels[0].allSatisfy { $0.magnitude < 0.501 })
    }

    @Test("and counts frames lost to a slow disk, which are silence in the file")
    func slowDisk() throws {
      let folder = TemporaryDirectory()
      let (pipe, path) = (folder.file("slow.wav"), folder.file("read.wav"))
      try #require(unsafe mkfifo(pipe, 0o600) == 0)
      // Reads nothing for six seconds, longer than the pipe and the ring last.
      let reader = Subprocess(["sh", "-c", "exec <'\(pipe)'; sleep 6; cat >'\(path)'"])
      defer { reader.signalGroup(SIGKILL) }
      try JACKServer.with(.waiting(period: 256)) { _ in
        let result = Program.run(
          [
            "monitor", "--from", "none", "--to", "none", "--inputs", "1", "--outputs", "1",
            "--record", pipe, "--json", "--interval", "0.5", "--seconds", "9",
          ], seconds: 30)
        #expect(result.exit == .status(0) && result.errors == "")
        let lines = result.output.split(separator: "\n")
        let meters = lines.last { $0.contains("\"type\":\"meters\"") } ?? ""
        #expect(meters.contains("\"overruns\":") && !meters.contains("\"overruns\":0,"))
        #expect(!meters.contains("\"overrunFrames\":0,"))
        #expect(lines.last?.contains("frames that the disk was too slow for") == true)
      }
      try #require(reader.wait(seconds: 10) == .status(0))
      let frames = try FloatWave(path: path).frameCount
      #expect(frames > 8 * 48000 && frames < 11 * 48000)
    }

    @Test("and prints its readings as lines of JSON, with the limiter's and the loudness")
    func readings() throws {
      let folder = TemporaryDirectory()
      // A sine at full scale is -3 LUFS in one channel and 0 in two, and looks like feedback.
      let along = playAlong(folder, seconds: 30, level: 1)
      try JACKServer.with(.waiting(period: 256)) { _ in
        let result = Program.run([
          "monitor", "--json", "--to", "auto", "--from", "none", "--with", along, "--with-gain",
          "6",
          "--limit", "0", "--interval", "0.2", "--seconds", "7",
        ])
        #expect(result.exit == .status(0) && result.errors == "")
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { $0.hasPrefix("{\"type\":\"") && $0.hasSuffix("}") })
        #expect(
          lines.first?.contains(
            "{\"output\":\"drawbar:out_1\",\"input\":\"system:playback_1\"}") == true)
        #expect(lines.filter { $0.contains("\"type\":\"warning\"") }.count == 1)
        let last = lines.last ?? ""
        #expect(last.contains("\"outputs\":[{\"peakDecibels\":0.0,"), "\(last)")
        #expect(last.contains("\"limiterDecibels\":-6"), "\(last)")
        #expect(last.contains("\"inputs\":[{\"peakDecibels\":null,"), "\(last)")
        #expect(last.contains("\"momentaryLUFS\":-"), "\(last)")
        #expect(last.contains("\"with\":{\"state\":\"playing\",\"track\":1,"), "\(last)")
      }
    }

    @Test("until Ctrl-C, which ends it within a second")
    func interrupted() throws {
      try JACKServer.with { jack in
        let program = Program.start(["monitor", "--to", "none", "--from", "auto"])
        defer { program.signalGroup(SIGKILL) }
        try #require(isReady(jack), "\(program.errors)")
        let isConnected = eventually {
          (try? jack.ports().first { $0.name == "drawbar:in_2" }?.connections)
            == ["system:capture_2"]
        }
        #expect(isConnected)
        let start = monotonicSeconds()
        program.signalGroup(SIGINT)
        let end = Program.end(of: program)
        #expect(end.exit == .status(0))
        #expect(monotonicSeconds() - start < 1)
        #expect(end.output == "" && end.errors == "")
      }
    }

    @Test("until its output is closed")
    func unread() throws {
      try JACKServer.with { _ in
        let start = monotonicSeconds()
        let command = "'\(Program.path)' monitor --json --from none --to none | head -n 2 | wc -l"
        let result = Subprocess.run(["sh", "-c", command], environment: Program.environment)
        #expect(result.exit == .status(0))
        #expect(result.output.contains("2"))
        #expect(monotonicSeconds() - start < 5)
      }
    }

    @Test("with meters and keys on a terminal")
    func terminal() throws {
      try JACKServer.with { _ in
        let program = TerminalProgram(["monitor", "--to", "none", "--from", "none"])
        #expect(program.shows("gain +0.0 dB"), "\(program.output)")
        #expect(program.showsAnew("gain -1.0 dB") { program.type("9") })
        #expect(program.showsAnew("muted") { program.type("m") })
        #expect(program.output.contains("out_2"))
        program.type("q")
        #expect(program.end().exit == .status(0))
        #expect(program.output.hasSuffix("\u{1B}[J"))
      }
    }

    @Test("and refuses its own ports and missing files with one line")
    func refuses() throws {
      try JACKServer.with { _ in
        let own = Program.run(["monitor", "--from", "drawbar:out_1,drawbar:out_2", "--to", "none"])
        #expect(own.exit == .status(1))
        #expect(
          own.errors == "drawbar: 'drawbar:out_1' is a port of the same JACK client and would feed "
            + "back into it: name another one\n")
        let missing = Program.run(["monitor", "--with", "/nowhere/song.mp3"])
        #expect(missing.exit == .status(1))
        #expect(missing.errors.split(separator: "\n").count == 1)
        let place = Program.run([
          "monitor", "--from", "none", "--to", "none", "--record", "/nowhere/take.flac",
        ])
        #expect(place.exit == .status(1))
        #expect(
          place.errors == "drawbar: cannot create /nowhere/take.flac: No such file or directory; "
            + "choose another path\n")
        let route = Program.run(["monitor", "--route", "3:1"])
        #expect(route.exit == .status(64))
      }
    }

    @Test("without the loudspeakers' signal: it leaves out their monitor ports")
    func leavesMonitorPortsOut() throws {
      var options = JACKServer.Options()
      options.hasMonitors = true
      try JACKServer.with(options) { jack in
        let program = Program.start(["monitor", "--inputs", "4", "--to", "auto"])
        defer { program.signalGroup(SIGKILL) }
        let isConnected = eventually {
          (try? jack.ports().first { $0.name == "drawbar:in_2" }?.connections)
            == ["system:capture_2"]
        }
        #expect(isConnected)
        let ports = try jack.ports().filter { $0.name.hasPrefix("drawbar:in_") }
        #expect(ports.dropFirst(2).allSatisfy { $0.connections.isEmpty })
        program.signalGroup(SIGTERM)
        #expect(Program.end(of: program).exit == .status(0))
      }
    }

    @Test("again when the JACK server is back, connected as before")
    func serverReturns() throws {
      try JACKServer.with { first in
        var jack = first
        defer { jack.stop() }
        let program = Program.start(["monitor", "--from", "none", "--to", "none", "--json"])
        defer { program.signalGroup(SIGKILL) }
        try #require(isReady(jack), "\(program.errors)")
        let connections = [
          ["drawbar:out_1", "system:playback_2"], ["system:capture_1", "drawbar:in_2"],
        ]
        for pair in connections { _ = try jack.run(["jack_connect"] + pair) }
        jack.kill()
        #expect(eventually { program.output.contains("\"type\":\"serverLost\"") })
        var options = JACKServer.Options()
        (options.sampleRate, options.period) = (44100, 128)
        jack = try JACKServer.start(options)
        let isBack = eventually {
          let ports = (try? jack.ports()) ?? []
          return connections.allSatisfy { pair in
            ports.contains { $0.name == pair[0] && $0.connections == [pair[1]] }
          }
        }
        #expect(isBack)
        let line = "{\"type\":\"serverBack\",\"sampleRate\":44100,\"period\":128}"
        #expect(eventually { program.output.contains(line) }, "\(program.output.suffix(500))")
        program.signalGroup(SIGTERM)
        let end = Program.end(of: program)
        #expect(end.exit == .status(0) && end.errors.isEmpty, "\(end.errors)")
      }
    }

    @Test("with a latency of one period by drawbar latency, and no frame of its own")
    func latency() throws {
      try JACKServer.with(.waiting(period: 256)) { jack in
        let program = Program.start([
          "monitor", "--from", "none", "--to", "none", "--invert", "1", "--gain=-6",
        ])
        defer { program.signalGroup(SIGKILL) }
        try #require(isReady(jack), "\(program.errors)")
        let result = Program.run(
          [
            "latency", "--name", "probe", "--to", "drawbar:in_1", "--from", "drawbar:out_1",
            "--json",
          ], seconds: 40)
        #expect(result.exit == .status(0), "\(result.errors)")
        #expect(result.output.contains("\"roundTripFrames\":256,"), "\(result.output)")
        #expect(result.output.contains("\"engineFrames\":0,"))
        #expect(result.output.contains("\"gainDecibels\":-6.0,\"isInverted\":true"))
        program.signalGroup(SIGTERM)
        #expect(Program.end(of: program).exit == .status(0))
        let silent = Program.run(
          ["latency", "--to", "none", "--from", "none", "--wait", "0"], seconds: 40)
        #expect(silent.exit == .status(1))
        #expect(silent.errors.hasPrefix("drawbar: nothing of the noise came back: "))
      }
    }
  }
}
