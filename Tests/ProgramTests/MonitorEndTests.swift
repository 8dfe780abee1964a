// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("a monitor")
  struct MonitorEnds {
    private static let unconnected = ["monitor", "--from", "none", "--to", "none"]

    private func isReady(_ jack: JACKServer) -> Bool {
      eventually { (try? jack.ports().contains { $0.name == "drawbar:out_1" }) == true }
    }

    /// Whether the recording ring was full.
    private func hasOverruns(_ program: Subprocess) -> Bool {
      let line = program.output.split(separator: "\n").last { $0.contains("overruns") } ?? ""
      return !line.isEmpty && !line.contains("\"overruns\":0,")
    }

    private func number(_ name: String, in line: Substring) -> Double? {
      line.split(separator: ",").first { $0.hasPrefix("\"\(name)\":") }
        .flatMap { $0.split(separator: ":").last }.flatMap { Double($0) }
    }

    @Test(
      "measures all sound, however rare its readings, and warns by the duration of loud sound")
    func rareReadings() throws {
      let folder = TemporaryDirectory()
      let along = folder.file("along.wav")
      // Silence with a click at full scale, and from 1.7 s on a tone of -23 LUFS in each of two channels.
      _ = ReferenceDecoder.output(
        "ffmpeg -nostdin -v error -f lavfi -i 'aevalsrc=eq(n\\,24000)"
          + "+gt(t\\,1.7)*0.1*sin(2000*PI*t):s=48000:d=8' -c:a pcm_f32le '\(along)'")
      try JACKServer.with(.waiting(period: 256)) { _ in
        let result = Program.run(
          Self.unconnected
            + ["--json", "--interval", "3", "--seconds", "6.5", "--with", along])
        #expect(result.exit == .status(0) && result.errors == "")
        #expect(!result.output.contains("\"type\":\"warning\""))
        let readings = result.output.split(separator: "\n").filter { $0.contains("meters") }
        try #require(readings.count == 2, "\(result.output)")
        let loudness = [
          number("momentaryLUFS", in: readings[0]), number("shortTermLUFS", in: readings[1]),
        ]
        #expect(loudness.allSatisfy { abs(($0 ?? 0) + 20) < 0.2 }, "\(readings)")
        #expect(readings[0].contains("{\"peakDecibels\":0.0"), "\(readings[0])")
        #expect(readings[1].contains("{\"peakDecibels\":-20.0"), "\(readings[1])")
      }
    }

    @Test("reports an unplayable --with file, and fails", arguments: [false, true])
    func unplayable(_ isJSON: Bool) throws {
      try JACKServer.with { jack in
        let program = Program.start(
          Self.unconnected + (isJSON ? ["--json"] : [])
            + ["--with", Fixtures.path("gapless-1.wav"), "--with", Fixtures.path("not-audio.jpg")])
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually { program.errors.contains("not-audio.jpg") }, "\(program.output)")
        program.signalGroup(SIGTERM)
        let result = Program.end(of: program)
        #expect(result.exit == .status(1) && result.errors.split(separator: "\n").count == 1)
      }
    }

    @Test("finishes its recording on a disk slower than the sound")
    func slowerDisk() throws {
      let folder = TemporaryDirectory()
      let (pipe, path) = (folder.file("slow.wav"), folder.file("read.wav"))
      try #require(unsafe mkfifo(pipe, 0o600) == 0)
      // Reads half of the recording's rate.
      let reader = Subprocess([
        "python3", "-c",
        """
        import sys, time
        with open(sys.argv[1], "rb") as pipe, open(sys.argv[2], "wb") as file:
            while piece := pipe.read(9600):
                file.write(piece)
                time.sleep(0.1)
        """, pipe, path,
      ])
      defer { reader.signalGroup(SIGKILL) }
      try JACKServer.with(.waiting(period: 256)) { _ in
        let program = Program.start(
          Self.unconnected
            + ["--inputs", "1", "--outputs", "1", "--record", pipe, "--json", "--interval", "0.1"])
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually { hasOverruns(program) })
        program.signalGroup(SIGTERM)
        let result = Program.end(of: program)
        #expect(result.exit == .status(0), "\(result.errors)")
      }
      try #require(reader.wait(seconds: 20) == .status(0))
      #expect(try FloatWave(path: path).frameCount > 48000)
    }

    @Test("finishes its recording after two signals, as sent by timeout")
    func signalledTwice() throws {
      let folder = TemporaryDirectory()
      try JACKServer.with(.waiting(period: 256)) { _ in
        for round in 0..<5 {
          let path = folder.file("heard-\(round).wav")
          let program = Program.start(Self.unconnected + ["--record", path])
          defer { program.signalGroup(SIGKILL) }
          #expect(eventually { contents(ofFile: path).count > 4096 }, "\(program.errors)")
          for _ in 0..<2 { program.signalGroup(SIGINT) }
          let result = Program.end(of: program)
          #expect(result.exit == .status(0) && result.errors == "", "\(result)")
          let frames = try FloatWave(path: path).frameCount
          #expect(frames > 0)
        }
      }
    }

    @Test(
      "ends at the second signal if the disk accepts nothing, and reports an unfinished recording")
    func stuckDisk() throws {
      let folder = TemporaryDirectory()
      let pipe = UnreadPipe(folder.file("stuck.wav"))
      try JACKServer.with(.waiting(period: 256)) { jack in
        let program = Program.start(
          Self.unconnected + ["--record", pipe.path])
        defer { program.signalGroup(SIGKILL) }
        #expect(pipe.waitUntilStuck {}, "\(program.errors)")
        program.signalGroup(SIGTERM)
        #expect(program.wait(seconds: 1) == nil)
        program.signalGroup(SIGTERM)
        let result = Program.end(of: program)
        #expect(result.exit == .status(1) && result.seconds < 1, "\(result)")
        #expect(result.errors.contains("stuck.wav is not finished"), "\(result.errors)")
      }
    }

    @Test("ends by a signal while its output is not read")
    func unreadLines() throws {
      let folder = TemporaryDirectory()
      let pipe = UnreadPipe(folder.file("lines"))
      try JACKServer.with { jack in
        let program = pipe.start(Self.unconnected + ["--json", "--interval", "0.05"])
        defer { program.signalGroup(SIGKILL) }
        #expect(pipe.waitUntilStuck {}, "\(program.errors)")
        program.signalGroup(SIGTERM)
        let result = Program.end(of: program)
        #expect(result.exit == .status(0) && result.seconds < 1 && result.errors == "", "\(result)")
      }
    }
  }
}
