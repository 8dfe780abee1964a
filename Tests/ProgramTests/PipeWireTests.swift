// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  /// The program with PipeWire's libjack, on a real daemon.
  @Suite("on PipeWire")
  struct PipeWire {
    static let short = Fixtures.path("mp3-short-44100-2.mp3")

    /// Plays a file to its end with the program's own connections, and records the sink's input. The
    /// recording starts before the program.
    private func record(
      _ arguments: [String], on server: PipeWireServer, seconds: Int,
      meanwhile: () throws -> Void = {}
    ) throws -> (wave: FloatWave, output: String) {
      let capture = server.startCapture(of: PipeWireServer.monitors, seconds: seconds)
      defer { capture.stop() }
      let isRecording = eventually {
        (try? server.ports().filter { PipeWireServer.monitors.contains($0.name) }
          .allSatisfy { $0.connections.count == 1 }) == true
      }
      try #require(isRecording, "jack_capture did not connect")
      let program = TerminalProgram(["play"] + arguments, with: server.toolEnvironment)
      defer { program.signal(SIGKILL) }
      try #require(program.shows("Playing"), "\(program.output)")
      try meanwhile()
      let end = program.end(seconds: Double(seconds))
      #expect(end.exit == .status(0), "\(program.output)")
      capture.stop()
      return (try capture.finish(), program.output)
    }

    /// The position that the program shows.
    private func shownSeconds(of program: TerminalProgram) throws -> Int {
      try #require(program.shownLines.last { $0.contains(" / ") }.flatMap(ServerReturns.seconds))
    }

    private func writeCount(seconds: Int, to folder: TemporaryDirectory) throws -> (String, Int) {
      let wave = CountingWave(frameCount: seconds * CountingWave.sampleRate)
      let path = folder.file("count.wav")
      let file = unsafe fopen(path, "wb")
      let bytes = wave.bytes(at: 0, Int(wave.byteCount))
      unsafe fwrite(bytes, 1, bytes.count, file)
      unsafe fclose(file)
      return (path, wave.frameCount)
    }

    @Test("plays render's output from start to end, to the bit", .timeLimit(.minutes(3)))
    func exact() throws {
      let folder = TemporaryDirectory()
      let (file, path) = (Fixtures.path("gapless-1.mp3"), folder.file("rendered.wav"))
      #expect(Program.run(["render", "-o", path, file]).exit == .status(0))
      let rendered = StereoFrames(try FloatWave(path: path)).withoutSilentEdges
      let heard = try StolenTime.heard {
        try PipeWireServer.with(.init(sampleRate: 44100, quantum: 1024)) { server in
          try record([file], on: server, seconds: 20).wave
        }
      } isAsExpected: {
        StereoFrames($0).withoutSilentEdges.firstDifference(from: rendered) == nil
      }
      let frames = StereoFrames(heard).withoutSilentEdges
      #expect(heard.sampleRate == 44100 && frames.count == rendered.count)
      #expect(frames.firstDifference(from: rendered) == nil)
    }

    @Test(
      "continues through changes of the quantum, and loses only the one cycle that PipeWire drops",
      .timeLimit(.minutes(3)))
    func quantum() throws {
      let folder = TemporaryDirectory()
      let (path, frameCount) = try writeCount(seconds: 4, to: folder)
      let quanta = [1024, 256, 2048, 512, 4096, 1024]
      // PipeWire drops a cycle of the old size, and a cycle of the new size is silent.
      let expected = zip(quanta, quanta.dropFirst()).map { HeardFrames.Hole(lost: $0, silent: $1) }
      let (heard, output) = try StolenTime.heard {
        let (wave, output) = try PipeWireServer.with(.init(sampleRate: 44100, quantum: quanta[0])) {
          server in
          try record([path], on: server, seconds: 20) {
            for quantum in quanta.dropFirst() {
              usleep(400_000)
              try server.set("clock.force-quantum", quantum)
            }
          }
        }
        return (HeardFrames(wave), output)
      } isAsExpected: {
        $0.0.holes == expected
      }
      #expect(heard.holes == expected, "\(heard.runs)")
      #expect(heard.sounding.first?.number == 1)
      #expect(heard.sounding.last.map { $0.number! + $0.count } == frameCount)
      #expect(output.contains("Ended      0:04 / 0:04"))
    }

    @Test(
      "continues through changes of the rate, at the right pitch and position",
      .timeLimit(.minutes(1)))
    func rate() throws {
      let rates = [44100, 48000, 44100]
      let (folder, duration) = (TemporaryDirectory(), 5.0)
      let path = folder.file("tone.wav")
      _ = ReferenceDecoder.output(
        "ffmpeg -nostdin -v error -f lavfi -i 'aevalsrc=0.5*sin(2*PI*997*t):s=44100:d=\(duration)' "
          + "-c:a pcm_f32le '\(path)'")
      let (wave, output) = try PipeWireServer.with(.init(sampleRate: 44100, quantum: 1024)) {
        server in
        try record([path], on: server, seconds: 20) {
          for rate in rates.dropFirst() {
            usleep(1_200_000)
            try server.set("clock.force-rate", rate)
          }
        }
      }
      // PipeWire inserts silence at a change. On a busy machine a late cycle is missing, too.
      var (heard, seconds): ([Int], Double) = ([], 0)
      for part in wave.channels[0].split(isSilentFor: 64) where part.count > 5000 {
        let middle = part.dropFirst(2000).dropLast(2000).prefix(30000)
        let rate = [44100, 48000].first { rate in
          let fit = SineFit(middle, sampleRate: Double(rate), near: 997)
          return abs(fit.frequency - 997) < 0.01 && fit.signalToResidual > 80
        }
        let known = try #require(rate, "\(part.count) frames at another pitch")
        if known != heard.last { heard.append(known) }
        seconds += Double(part.count) / Double(known)
      }
      #expect(heard == rates)
      #expect(output.contains("underruns 0") && !output.contains("underruns 1"), "\(output)")
      // At each change PipeWire drops three cycles (70 ms), and the resampler's part of the next one is
      // dropped. The rest of the file is complete.
      #expect(seconds > duration - 0.2 && seconds < duration, "\(seconds)")
      #expect(output.contains("Ended"))
    }

    @Test("starts repeatedly, and after it was killed", .timeLimit(.minutes(1)))
    func restarts() throws {
      try PipeWireServer.with { server in
        func names() -> [String] {
          ((try? server.ports()) ?? []).map(\.name).filter { $0.hasPrefix("drawbar") }.sorted()
        }
        for round in 0..<4 {
          let result = Program.end(
            of: Program.start(["play", Self.short], with: server.toolEnvironment))
          #expect(result.exit == .status(0) && result.errors == "", "\(round): \(result)")
          #expect(result.seconds < 4 && !result.hasLeftSomething)
          #expect(names() == [])
          let killed = Program.start(["play", Endings.long], with: server.toolEnvironment)
          #expect(
            eventually { names() == ["drawbar:out_1", "drawbar:out_2"] }, "\(round): \(names())")
          killed.signalGroup(round % 2 == 0 ? SIGKILL : SIGTERM)
          let end = Program.end(of: killed).exit
          #expect(end == (round % 2 == 0 ? .signal(SIGKILL) : .status(0)), "\(round)")
          #expect(eventually { names() == [] }, "\(round): \(names())")
        }
      }
    }

    @Test(
      "waits for a daemon that was killed, ended or stopped, and resumes its position and connections",
      .timeLimit(.minutes(1)))
    func returns() throws {
      try PipeWireServer.with { server in
        let program = TerminalProgram(
          ["play", "--buffer", "0.2", Endings.long], with: server.toolEnvironment)
        defer { program.signal(SIGKILL) }
        #expect(program.shows("Playing    0:01"), "\(program.output)")
        let (left, right) = (PipeWireServer.playback[0], PipeWireServer.playback[1])
        _ = try server.run(["jack_disconnect", "drawbar:out_1", left])
        _ = try server.run(["jack_connect", "drawbar:out_1", right])
        let wanted = ["drawbar:out_1": [right], "drawbar:out_2": [right]]
        #expect(eventually { ServerReturns.connections(server) == wanted })
        // A removed connection takes effect with the next cycle.
        let position = try shownSeconds(of: program)
        #expect(try eventually { try shownSeconds(of: program) > position })
        for (way, rate, quantum) in [("kill", 44100, 512), ("end", 48000, 2048), ("freeze", 0, 0)] {
          // The daemon stops calling, and after 2 s counts as ended.
          #expect(
            program.showsAnew("has ended (it has not called for 2 s)") {
              switch way {
              case "kill": server.kill()
              case "end": server.end()
              default: server.freeze()
              }
            }, "\(way): \(program.output)")
          let before = try shownSeconds(of: program)
          if way == "freeze" {
            server.thaw()
          } else {
            try server.start(.init(sampleRate: rate, quantum: quantum))
          }
          #expect(program.showsAnew("Playing") {}, "\(way): \(program.output)")
          #expect(
            eventually { ServerReturns.connections(server) == wanted },
            "\(way): \(ServerReturns.connections(server))")
          let after = try shownSeconds(of: program)
          #expect((before...before + 1).contains(after), "\(way): \(program.output)")
          if rate > 0 {
            #expect(program.output.contains("is back, \(rate) Hz, \(quantum) frames: drawbar"))
          }
        }
        program.type("q")
        let end = program.end()
        #expect(end.exit == .status(0) && end.seconds < 1, "\(end)")
      }
    }

    @Test(
      "ends with one line when the daemon is killed and it is not to wait, and without a daemon",
      .timeLimit(.minutes(1)))
    func ends() throws {
      let commands = [
        ["play", "--no-reattach", Endings.long], ["monitor", "--no-reattach"],
        ["latency", "--to", "none", "--from", "none", "--wait", "20"], ["ports", "--watch"],
      ]
      let variables = try PipeWireServer.with { server in
        let programs = commands.map { Program.start($0, with: server.toolEnvironment) }
        defer { for program in programs { program.signalGroup(SIGKILL) } }
        #expect(
          eventually {
            ServerReturns.connections(server).count >= 2
              && programs[3].output.contains("watching")
          })
        // Silence does not count as an end while the daemon calls.
        usleep(2_500_000)
        #expect(programs.allSatisfy { $0.pid != nil })
        server.kill()
        let start = monotonicSeconds()
        for (command, program) in zip(commands, programs) {
          let result = Program.end(of: program, since: start)
          Failures.expectOneLine(
            result, command[0], word: "has ended (it has not called for 2 s)", on: #_sourceLocation)
        }
        return server.toolEnvironment
      }
      for command in commands + [["ports"]] {
        let result = Program.end(of: Program.start(command, with: variables))
        Failures.expectOneLine(result, command[0], word: "pw-jack", on: #_sourceLocation)
      }
    }

    @Test("ends within a second of a signal while the daemon is stopped", .timeLimit(.minutes(1)))
    func stopped() throws {
      try PipeWireServer.with { server in
        for silence in [200_000, 3_000_000] as [UInt32] {
          let program = TerminalProgram(["play", Endings.long], with: server.toolEnvironment)
          defer { program.signal(SIGKILL) }
          // Wait for the end of the program's start, in which it would wait for the daemon.
          #expect(program.shows("Playing    0:0"), "\(program.output)")
          server.freeze()
          defer { server.thaw() }
          usleep(silence)
          program.signal(SIGTERM)
          let end = program.end()
          #expect(end.exit == .status(0) && end.seconds < 1.2, "\(end) \(program.output)")
        }
      }
    }

    @Test("lists, connects and names ports", .timeLimit(.minutes(1)))
    func ports() throws {
      try PipeWireServer.with { server in
        func run(_ arguments: [String]) -> Program.Result {
          Program.end(of: Program.start(arguments, with: server.toolEnvironment))
        }
        let program = Program.start(
          ["play", "--connect", "none", Endings.long], with: server.toolEnvironment)
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually { ServerReturns.connections(server).count == 2 })
        let ends = ["drawbar:out_1", PipeWireServer.playback[0]]
        #expect(run(["ports", "connect"] + ends).output.contains(ends.joined(separator: " -> ")))
        let listed = run(["ports"])
        #expect(listed.exit == .status(0) && listed.errors == "")
        let names = listed.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }
        for port in try server.ports() {
          #expect(names.contains { $0.hasPrefix(port.name) }, "\(port) \(listed.output)")
          for other in port.connections { #expect(listed.output.contains(other)) }
        }
        #expect(listed.output.contains("\"Left output\""), "\(listed.output)")
        #expect(run(["ports", "disconnect"] + ends).exit == .status(0))
        #expect(ServerReturns.connections(server)["drawbar:out_1"] == [])
        program.signalGroup(SIGTERM)
        #expect(Program.end(of: program).exit == .status(0))
      }
    }

    @Test(
      "monitors and measures: one quantum through the sink, and no more through a monitor",
      .timeLimit(.minutes(1)))
    func latency() throws {
      try PipeWireServer.with(.init(sampleRate: 48000, quantum: 512)) { server in
        let through = Program.start(
          [
            "monitor", "--name", "through", "--from", "none", "--to", "none", "--inputs", "1",
            "--outputs", "1",
          ], with: server.toolEnvironment)
        defer { through.signalGroup(SIGKILL) }
        let isThere = eventually {
          (try? server.ports().contains { $0.name == "through:out_1" }) == true
        }
        #expect(isThere, "\(through.errors)")
        for (to, from) in [
          (PipeWireServer.playback[0], PipeWireServer.monitors[0]),
          ("through:in_1", "through:out_1"),
        ] {
          let result = Program.end(
            of: Program.start(
              ["latency", "--to", to, "--from", from, "--json"], with: server.toolEnvironment))
          #expect(result.exit == .status(0) && result.errors == "")
          #expect(result.output.contains("\"roundTripFrames\":512"), "\(result.output)")
        }
        through.signalGroup(SIGTERM)
        let end = Program.end(of: through)
        #expect(end.exit == .status(0) && end.output == "" && end.errors == "")
      }
    }
  }
}

extension [Float] {
  /// The parts between silences of at least `count` samples.
  fileprivate func split(isSilentFor count: Int) -> [ArraySlice<Float>] {
    var parts: [ArraySlice<Float>] = []
    var (start, end) = (Int?.none, 0)
    for index in indices where self[index] != 0 {
      if let first = start, index - end > count {
        parts.append(self[first..<end])
        start = index
      } else if start == nil {
        start = index
      }
      end = index + 1
    }
    if let start { parts.append(self[start..<end]) }
    return parts
  }
}
