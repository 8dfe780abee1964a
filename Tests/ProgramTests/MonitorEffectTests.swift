// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("monitors through effects")
  struct MonitorEffects {
    private static let source = Fixtures.path("wav-s16-48000-1.wav")

    /// Records a monitor that mixes in a file.
    private func record(_ options: [String], in folder: TemporaryDirectory) throws -> [Float] {
      let path = folder.file("heard.wav")
      try JACKServer.with(.waiting(period: 256)) { _ in
        let result = Program.run(
          [
            "monitor", "--from", "none", "--to", "none", "--outputs", "1", "--inputs", "1",
            "--with", Self.source, "--record", path, "--seconds", "5",
          ] + options)
        #expect(result.exit == .status(0), "\(result.errors)")
        #expect(result.output == "" && result.errors == "")
      }
      return ReferenceDecoder.ffmpeg(path)
    }

    @Test("with render's result, to the bit")
    func asRendered() throws {
      let folder = TemporaryDirectory()
      let options = ["--filter", "PK Fc 1000 Hz Gain -6 dB Q 2", "--delay", "1:2"]
      let rendered = folder.file("rendered.wav")
      let render = Program.run(["render", "-o", rendered, Self.source] + options)
      try #require(render.exit == .status(0), "\(render.errors)")
      let expected = ReferenceDecoder.ffmpeg(rendered)
      let heard = try record(options, in: folder)
      let first = try #require(heard.firstIndex { $0 != 0 })
      let lead = try #require(expected.firstIndex { $0 != 0 })
      let frames = 2 * 48000
      try #require(heard.count - first > frames + 4800)
      let isSame = heard[first...].prefix(frames).elementsEqual(expected[lead...].prefix(frames))
      #expect(isSame)
    }

    @Test("before the limiter, which comes last")
    func limited() throws {
      let options = ["--filter", "PK Fc 1000 Hz Gain 30 dB Q 0.5", "--preamp", "30", "--limit=-12"]
      let heard = try record(options, in: TemporaryDirectory())
      let peak = heard.map(\.magnitude).max() ?? 0
      #expect(peak > 0.24 && peak <= 0.2512)
    }

    @Test("with the latency that it reports: jack_iodelay measures the same")
    func latency() throws {
      let folder = TemporaryDirectory()
      let response = folder.file("response.wav")
      try Workshop().run(
        "ffmpeg -nostdin -v error -f lavfi -i 'aevalsrc=eq(n\\,0):s=48000:d=0.001' "
          + "-c:a pcm_f32le '\(response)'")
      try JACKServer.with(.waiting(period: 64)) { jack in
        let program = Program.start([
          "monitor", "--from", "none", "--to", "none", "--json", "--convolve", response,
        ])
        defer { program.signalGroup(SIGKILL) }
        let isReady = eventually { program.output.contains("\"type\":\"meters\"") }
        try #require(isReady, "\(program.errors)")
        #expect(program.output.contains("response.wav (1 channel, 0.001 s, latency 256 frames)\"]"))
        #expect(program.output.contains("\"latencyFrames\":256"))
        let delay = Subprocess(["stdbuf", "-oL", "jack_iodelay"], environment: Program.environment)
        defer { delay.signalGroup(SIGKILL) }
        let hasPorts = eventually {
          (try? jack.ports().contains { $0.name == "jack_delay:in" }) == true
        }
        try #require(hasPorts, "\(delay.errors)")
        try jack.connect("jack_delay:out", "drawbar:in_1")
        try jack.connect("drawbar:out_1", "jack_delay:in")
        #expect(
          eventually(seconds: 30) { Monitor.roundTrips(delay.output).count >= 4 }, "\(delay.output)"
        )
        let measured = Monitor.roundTrips(delay.output).dropFirst().prefix(3)
        #expect(measured.allSatisfy { abs($0 - (64 + 256)) < 0.1 }, "\(Array(measured))")
        delay.signalGroup(SIGTERM)
        program.signalGroup(SIGTERM)
        #expect(Program.end(of: program).exit == .status(0))
      }
    }

    @Test("that follow a changed file at once, and keep the old filters if the file is broken")
    func changedFile() throws {
      let folder = TemporaryDirectory()
      let path = folder.file("eq.txt")
      try folder.write("Preamp: 0 dB\nFilter 1: ON PK Fc 1000 Hz Gain 0 dB Q 1\n", "eq.txt")
      let silence = folder.file("silence.txt")
      try folder.write("Preamp: -80 dB\nFilter 1: ON PK Fc 1000 Hz Gain 0 dB Q 1\n", "silence.txt")
      try folder.write("Filter 1: ON PK Fc fast\n", "broken.txt")
      try JACKServer.with(.waiting(period: 256)) { _ in
        let program = Program.start([
          "monitor", "--from", "none", "--to", "none", "--json", "--with", Self.source,
          "--with", Self.source, "--with", Self.source, "--with", Self.source, "--eq", path,
        ])
        defer { program.signalGroup(SIGKILL) }
        func lastPeak() -> Double? {
          let line = program.output.split(separator: "\n").last { $0.contains("\"outputs\"") }
          let text = line?.split(separator: "\"outputs\":[{\"peakDecibels\":").last
          return text.flatMap { Double($0.prefix { "-.0123456789".contains($0) }) }
        }
        #expect(eventually { lastPeak().map { $0 > -40 } ?? false }, "\(program.errors)")
        _ = unsafe rename(folder.file("broken.txt"), path)
        #expect(eventually { program.output.contains("The equaliser is unchanged.") })
        #expect(lastPeak().map { $0 > -60 } ?? false)
        _ = unsafe rename(silence, path)
        #expect(
          eventually { lastPeak().map { $0 < -70 } ?? false }, "\(program.output.suffix(300))")
        program.signalGroup(SIGTERM)
        #expect(Program.end(of: program).exit == .status(0))
      }
    }

    @Test("but refuses missing files and missing outputs with one line")
    func refusals() {
      let missing = Program.run(["monitor", "--eq", "/nowhere/eq.txt"])
      #expect(missing.exit == .status(1))
      #expect(missing.errors.split(separator: "\n").count == 1)
      #expect(missing.errors.contains("/nowhere/eq.txt"))
      let output = Program.run(["monitor", "--outputs", "2", "--delay", "3:1"])
      #expect(output.exit == .status(64) && output.errors.contains("outputs 1 to 2"))
    }
  }
}
