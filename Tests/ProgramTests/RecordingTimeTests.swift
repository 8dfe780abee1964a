// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("a recording keeps its time")
  struct RecordingTime {
    private static func start(_ path: String, _ more: String...) -> Subprocess {
      Program.start(
        [
          "monitor", "--from", "none", "--to", "none", "--json", "--interval", "0.05", "--record",
          path,
        ] + more)
    }

    /// A number of the last complete reading.
    private static func last(_ name: String, of program: Subprocess) -> Double {
      let line = program.output.split(separator: "\n").last { $0.hasSuffix("}}") } ?? ""
      let text = line.components(after: "\"\(name)\":").prefix { "0123456789.".contains($0) }
      return Double(text) ?? -1
    }

    /// Ends the program, and compares the file's length with the time that has passed.
    private static func expectWholeTime(_ program: Subprocess, _ path: String, since start: Double)
      throws
    {
      program.signalGroup(SIGTERM)
      let seconds = monotonicSeconds() - start
      #expect(Program.end(of: program).exit == .status(0))
      let recorded = Double(try FloatWave(path: path).frameCount) / 48000
      #expect(abs(recorded - seconds) < 0.35, "\(recorded) of \(seconds) s")
    }

    @Test("while the server is stopped for two seconds")
    func stopped() throws {
      let folder = TemporaryDirectory()
      let path = folder.file("stopped.wav")
      try JACKServer.with { jack in
        let program = Self.start(path)
        defer { program.signalGroup(SIGKILL) }
        try #require(eventually { Self.last("frames", of: program) > 0 }, "\(program.errors)")
        let start = monotonicSeconds() - Self.last("frames", of: program) / 48000
        jack.freeze()
        #expect(program.wait(seconds: 2) == nil)
        jack.thaw()
        #expect(eventually { Self.last("missedFrames", of: program) > 1.9 * 48000 })
        try Self.expectWholeTime(program, path, since: start)
      }
    }

    @Test("while there is no server for two seconds")
    func restarted() throws {
      let folder = TemporaryDirectory()
      let path = folder.file("restarted.wav")
      let program = Self.start(path, "--wait")
      defer { program.signalGroup(SIGKILL) }
      var start = 0.0
      try JACKServer.with { jack in
        try #require(eventually { Self.last("frames", of: program) > 0 }, "\(program.errors)")
        start = monotonicSeconds() - Self.last("frames", of: program) / 48000
        jack.end()
        #expect(program.wait(seconds: 2) == nil)
      }
      try JACKServer.with { _ in
        #expect(eventually { Self.last("missedFrames", of: program) > 1.9 * 48000 })
        try Self.expectWholeTime(program, path, since: start)
      }
    }

    @Test("of a server that freewheels, without a frame lost to the disk")
    func freewheeling() throws {
      let folder = TemporaryDirectory()
      let path = folder.file("fast.wav")
      try JACKServer.with(.waiting(period: 1024)) { jack in
        let program = Self.start(path)
        defer { program.signalGroup(SIGKILL) }
        try #require(eventually { Self.last("frames", of: program) > 0 }, "\(program.errors)")
        let recorder = try JACKRecorder(["system:capture_1"], capacityFrames: 100)
        defer { recorder.close() }
        try recorder.setFreewheel(true)
        // Wait for more than the ring holds, faster than real time.
        #expect(eventually { Self.last("frames", of: program) > 60 * 48000 })
        try recorder.setFreewheel(false)
        program.signalGroup(SIGTERM)
        let result = Program.end(of: program)
        #expect(result.exit == .status(0) && result.errors == "", "\(result.errors)")
        #expect(!result.output.contains("\"type\":\"warning\""))
        #expect(Self.last("overruns", of: program) == 0)
      }
    }
  }
}

extension Substring {
  /// The text behind the first occurrence of this word.
  fileprivate func components(after word: String) -> Substring {
    split(separator: word, maxSplits: 1).dropFirst().first ?? ""
  }
}
