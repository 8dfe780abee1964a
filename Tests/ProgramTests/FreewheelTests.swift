// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  /// Another client's recording on a freewheeling server equals the output of `drawbar render`.
  @Suite("freewheels")
  struct Freewheel {
    private static let long = Fixtures.path("mp3-cbr320-44100-2.mp3")
    private static let ports = ["drawbar:out_1", "drawbar:out_2"]

    /// Plays tracks to their end and records both ports. The first sound is held back until the recorder runs.
    ///
    /// - Parameters:
    ///   - bytesPerSecond: the transfer rate of the first track.
    ///   - during: turns freewheeling on and off; receives the number of bytes sent of the first track.
    private static func play(
      _ files: [String], options: [String] = [], bytesPerSecond: UInt64? = nil, on jack: JACKServer,
      during: (JACKRecorder, _ sentBytes: () -> UInt64) throws -> Void = { _, _ in }
    ) throws -> StereoFrames {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      let gate = Gate()
      var plan = ResponsePlan.file(files[0])
      plan.fault = .stall(afterBytes: 0, until: gate)
      plan.bytesPerSecond = bytesPerSecond
      web.serve("/first", plan)
      let program = Program.start(
        ["play", "--connect", "none"] + options + [web.url("/first")] + files.dropFirst())
      defer { program.signalGroup(SIGKILL) }
      let isThere = eventually {
        let present = (try? jack.ports().map(\.name)) ?? []
        return Set(ports).isSubset(of: present)
      }
      try #require(isThere, "\(program.errors)")
      let recorder = try JACKRecorder(ports, capacityFrames: 60 * 48000)
      defer { recorder.close() }
      try recorder.setFreewheel(true)
      gate.open()
      try during(recorder) { web.bodyBytesSent("/first") }
      let end = Program.end(of: program, seconds: 30)
      try recorder.setFreewheel(false)
      #expect(end.exit == .status(0), "\(end.errors)")
      #expect(end.output == "" && end.errors == "")
      let samples = recorder.samples
      return StereoFrames(left: samples[0], right: samples[1])
    }

    /// Requires the recording to equal the output of `drawbar render` at the server's rate, with silence
    /// before and after it only.
    private static func expectRendered(_ heard: StereoFrames, of files: [String]) throws {
      let folder = TemporaryDirectory()
      let path = folder.file("rendered.wav")
      let result = Program.run(
        ["render", "--rate", "48000", "--channels", "2", "-o", path] + files, seconds: 60)
      try #require(result.exit == .status(0), "\(result.errors)")
      let rendered = StereoFrames(try FloatWave(path: path)).withoutSilentEdges
      let heard = heard.withoutSilentEdges
      #expect(heard.count == rendered.count)
      #expect(heard.firstDifference(from: rendered) == nil)
    }

    @Test(
      "with every sample that render writes, of resampled MP3 and of FLAC, whatever the period",
      arguments: [("mp3", 64), ("mp3", 1024), ("flac", 512), ("flac", 8192)])
    func exact(_ format: String, _ period: Int) throws {
      let workshop = Workshop()
      var file = Self.long
      if format == "flac" {
        try workshop.run("flac -s -o sound.flac '\(Fixtures.path("gapless.wav"))'")
        file = workshop.path("sound.flac")
      }
      let heard = try JACKServer.with(.waiting(period: period)) {
        try Self.play([file], on: $0)
      }
      try Self.expectRendered(heard, of: [file])
    }

    @Test("over several tracks without a gap, and over tracks of other rates")
    func tracks() throws {
      let names = ["gapless-1.mp3", "gapless-2.mp3", "wav-s16-48000-1.wav", "mp3-cbr-8000-2.mp3"]
      let files = names.map(Fixtures.path)
      let heard = try JACKServer.with(.waiting(period: 512)) { try Self.play(files, on: $0) }
      try Self.expectRendered(heard, of: files)
    }

    @Test("with a source at half the rate, and waits for its sound")
    func slowSource() throws {
      let file = Fixtures.path("gapless-1.mp3")
      // 256 kbit/s are 32,000 bytes a second.
      let heard = try JACKServer.with(.waiting(period: 512)) {
        try Self.play([file], options: ["--buffer", "0.2"], bytesPerSecond: 16000, on: $0)
      }
      try Self.expectRendered(heard, of: [file])
    }

    @Test("in the middle of a track, on and off repeatedly, and loses or repeats nothing")
    func midway() throws {
      // 320 kbit/s are 40,000 bytes a second: at three times the rate each part lasts for a while.
      let heard = try JACKServer.with(.waiting(period: 512)) { jack in
        try Self.play([Self.long], bytesPerSecond: 120_000, on: jack) { recorder, sentBytes in
          #expect(eventually { sentBytes() >= 150_000 })
          try recorder.setFreewheel(false)
          #expect(eventually { sentBytes() >= 300_000 })
          try recorder.setFreewheel(true)
        }
      }
      try Self.expectRendered(heard, of: [Self.long])
    }
  }
}
