// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  /// Servers that are misconfigured, broken or not running yet.
  @Suite("on a server")
  struct ServerConditions {
    private static let tone = Fixtures.path("wav-s16-48000-1.wav")
    private static let monitor = ["monitor", "--from", "none", "--to", "none", "--json"]

    private static func notRealtime() -> JACKServer.Options {
      var options = JACKServer.Options()
      options.isRealtime = false
      return options
    }

    @Test("that is not real-time warns once, with the remedy")
    func notRealtime() throws {
      try JACKServer.with(Self.notRealtime()) { _ in
        let played = Program.run(["play", "--no-mpris", "--connect", "none", Self.tone])
        #expect(played.exit == .status(0) && played.output == "")
        let lines = played.errors.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].contains("jackd -R"), "\(played.errors)")
        let monitored = Program.run(Self.monitor + ["--seconds", "0.5"])
        #expect(monitored.exit == .status(0) && monitored.errors == "")
        let started = monitored.output.split(separator: "\n").first ?? ""
        for word in ["\"scheduling\":\"SCHED_OTHER\"", "\"realtime\":false", "jackd -R"] {
          #expect(started.contains(word), "\(started)")
        }
        let measured = Program.run(
          [
            "bench", "--server", JACKServer.name, "--seconds", "0.2", "--repeat", "1",
          ], seconds: 30)
        #expect(measured.exit == .status(0), "\(measured.errors)")
        for word in ["did not run in real time", "-R"] {
          let lines = measured.output.split(separator: "\n").filter { $0.contains(word) }
          #expect(lines.count == 1, "\(measured.output)")
        }
      }
    }

    @Test(
      "that does not run yet waits for it with --wait, and ends at once by a signal",
      arguments: [
        ["play", "--no-mpris", "--connect", "none", tone], monitor, ["ports", "--watch"],
      ])
    func waits(_ arguments: [String]) throws {
      let given = Program.start(arguments + ["--wait"])
      #expect(given.wait(seconds: 0.5) == nil, "\(given.errors)")
      given.signalGroup(SIGINT)
      let end = Program.end(of: given)
      #expect(end.exit == .status(0) && end.errors == "" && end.seconds < 1, "\(end)")
      let program = Program.start(arguments + ["--wait"])
      defer { program.signalGroup(SIGKILL) }
      #expect(program.wait(seconds: 0.2) == nil, "\(program.errors)")
      try JACKServer.with { jack in
        let isThere = eventually {
          program.output.contains("watching") || program.wait(seconds: 0) != nil
            || (try? jack.ports().contains { $0.name == "drawbar:out_1" }) == true
        }
        #expect(isThere && program.errors == "", "\(program.errors)")
        program.signalGroup(SIGTERM)
        #expect(Program.end(of: program).exit == .status(0))
      }
    }

    @Test("that freewheels at the start reports it, and ends by a signal")
    func freewheeling() throws {
      try JACKServer.with { jack in
        let recorder = try JACKRecorder(["system:capture_1"], capacityFrames: 100)
        defer { recorder.close() }
        try recorder.setFreewheel(true)
        let program = Program.start(["play", "--no-mpris", Self.tone])
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually { program.errors.contains("\n") })
        let lines = program.errors.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].contains("is freewheeling"), "\(program.errors)")
        // jackd 1.9.21 hangs for good if freewheeling ends while a client that joined during it is open.
        program.signalGroup(SIGTERM)
        #expect(Program.end(of: program).exit == .status(0))
      }
    }

    @Test("whose metadata store is broken reports it in one line, without libdb's messages")
    func brokenMetadata() throws {
      try JACKServer.with { _ in
        // The next client to open the store finds no libdb environment in it.
        let path = "/dev/shm/jack_db-\(getuid())/__db.001"
        let size = contents(ofFile: path).count
        try #require(size > 0)
        let file = unsafe fopen(path, "r+b")
        let zeros = [UInt8](repeating: 0, count: size)
        unsafe fwrite(zeros, 1, size, file)
        unsafe fclose(file)
        let result = Program.run(["ports"])
        #expect(result.exit == .status(0) && result.output.contains("system:playback_1"))
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 1, "\(result.errors)")
        #expect(lines.first?.hasPrefix("drawbar: warning: JACK's store of metadata") == true)
      }
      _ = Subprocess.run(["rm", "-rf", "/dev/shm/jack_db-\(getuid())"])
    }
  }
}
