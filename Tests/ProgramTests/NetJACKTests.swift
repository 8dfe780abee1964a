// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  /// The program on a server whose sound card is on another machine: two servers, joined by NetJACK2.
  @Suite("across machines")
  struct NetJACK {
    /// The slave's return ports in the master's graph.
    private static let returned = ["slave:from_slave_1", "slave:from_slave_2"]

    private static func master(period: Int) -> JACKServer.Options {
      var options = JACKServer.Options()
      (options.sampleRate, options.period) = (44100, period)
      return options
    }

    @Test("plays on the slave, to the bit as the master receives it", .timeLimit(.minutes(1)))
    func plays() throws {
      let folder = TemporaryDirectory()
      let (file, path) = (Fixtures.path("gapless-1.mp3"), folder.file("rendered.wav"))
      #expect(Program.run(["render", "-o", path, file]).exit == .status(0))
      let rendered = StereoFrames(try FloatWave(path: path)).withoutSilentEdges
      let heard = try JACKNetSlave.with(
        Self.master(period: 1024), latency: 2, until: { $0 == rendered }
      ) { master, slave in
        let capture = master.startCapture(of: Self.returned, seconds: 20)
        defer { capture.stop() }
        let isRecording = eventually {
          (try? master.ports().filter { Self.returned.contains($0.name) }
            .allSatisfy { $0.connections.count == 1 }) == true
        }
        try #require(isRecording, "jack_capture did not connect")
        let end = Program.end(of: Program.start(["play", file], with: slave.toolEnvironment))
        #expect(end.exit == .status(0) && end.output == "" && end.errors == "", "\(end)")
        // Wait for the last cycles to arrive.
        usleep(300_000)
        capture.stop()
        return StereoFrames(try capture.finish()).withoutSilentEdges
      }
      #expect(heard.count == rendered.count)
      #expect(heard.firstDifference(from: rendered) == nil)
    }

    @Test(
      "has a round trip of the configured cycles and two more, and none for Drawbar",
      .timeLimit(.minutes(1)), arguments: [1, 5])
    func latency(_ cycles: Int) throws {
      let expected = "\"roundTripFrames\":\((cycles + 2) * 512),"
      let output = try JACKNetSlave.with(
        Self.master(period: 512), latency: cycles, until: { $0.contains(expected) }
      ) { master, slave in
        let monitor = Program.start(
          ["monitor", "--from", "system", "--to", "system"], with: slave.toolEnvironment)
        defer { monitor.signalGroup(SIGKILL) }
        let isThere = eventually {
          (try? slave.ports().filter { $0.name.hasPrefix("drawbar") && !$0.connections.isEmpty }
            .count) == 4
        }
        try #require(isThere, "\(monitor.errors)")
        let result = Program.run([
          "latency", "--to", "slave:to_slave_1", "--from", Self.returned[0], "--json",
        ])
        monitor.signalGroup(SIGTERM)
        #expect(Program.end(of: monitor).exit == .status(0))
        return result.output + result.errors
      }
      #expect(output.contains(expected), "\(output)")
    }
  }
}
