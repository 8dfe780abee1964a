// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

/// The example with its own render callbacks, on a real JACK server.
@Suite("The example vocal-remover", .serialized)
struct VocalRemoverTests {
  private static let name = "vocal-remover"

  /// The program's path, beside `drawbar`.
  static var path: String {
    Program.path.prefix(upTo: Program.path.lastIndex(of: "/") ?? Program.path.startIndex)
      + "/vocal-remover"
  }

  private func start(_ arguments: [String], on jack: JACKServer) throws -> Subprocess {
    let process = Subprocess([Self.path] + arguments, environment: Program.environment)
    let isThere = eventually {
      (try? jack.ports().contains {
        $0.name == "vocal-remover:out_2" && !$0.connections.isEmpty
      }) == true
    }
    try #require(isThere, "\(process.errors)")
    return process
  }

  /// Begins to record both outputs, and waits until they are connected.
  private func record(on jack: JACKServer, seconds: Int) throws -> JACKCapture {
    let ports = ["vocal-remover:out_1", "vocal-remover:out_2"]
    let before = try jack.ports().filter { ports.contains($0.name) }.map(\.connections.count)
    let capture = jack.startCapture(of: ports, seconds: seconds)
    let isRecording = eventually {
      (try? jack.ports().filter { ports.contains($0.name) }.map(\.connections.count))
        == before.map { $0 + 1 }
    }
    try #require(isRecording, "jack_capture did not connect")
    return capture
  }

  @Test("plays left minus right of another client's sound, to the sample")
  func difference() throws {
    let folder = TemporaryDirectory()
    let path = folder.file("two.wav")
    // A different noise in each channel, and the same tone in both.
    _ = ReferenceDecoder.output(
      "sox -R -n -r 44100 -b 16 -c 2 '\(path)' synth 2 pinknoise whitenoise gain -12")
    let played = StereoFrames(interleaved: ReferenceDecoder.ffmpeg(path))
    #expect(played.count == 88200)
    let expected = StereoFrames(
      interleaved: (0..<played.count).flatMap { frame in
        let difference = played.left[frame] - played.right[frame]
        return [difference, difference]
      }
    ).withoutSilentEdges
    let web = LoopbackHTTPServer()
    defer { web.stop() }
    let gate = Gate()
    var plan = ResponsePlan.file(path)
    plan.fault = .stall(afterBytes: 0, until: gate)
    web.serve("/two.wav", plan)
    try JACKServer.with(ExamplePlayer.exactServer) { jack in
      let remover = try start([], on: jack)
      defer { remover.signalGroup(SIGKILL) }
      let player = Program.start(["play", "--connect", Self.name, web.url("/two.wav")])
      defer { player.signalGroup(SIGKILL) }
      let isConnected = eventually {
        (try? jack.ports().first { $0.name == "vocal-remover:in_2" }?.connections)
          == ["drawbar:out_2"]
      }
      try #require(isConnected, "\(player.errors)")
      // The client passes its input on, so its ports are not terminal and latencies add up.
      let ports = try jack.ports().filter { $0.name.hasPrefix("vocal-remover:") }
      #expect(ports.count == 4 && ports.allSatisfy { !$0.properties.contains("terminal") })
      let capture = try record(on: jack, seconds: 20)
      defer { capture.stop() }
      gate.open()
      #expect(Program.end(of: player).exit == .status(0))
      capture.stop()
      let heard = StereoFrames(try capture.finish()).withoutSilentEdges
      #expect(heard.count == expected.count)
      #expect(heard.firstDifference(from: expected) == nil)
      remover.signalGroup(SIGINT)
      let end = Program.end(of: remover)
      #expect(end.exit == .status(0) && end.seconds < 1 && !end.hasLeftSomething)
      #expect(end.output == "" && end.errors == "")
    }
  }

  @Test(
    "plays a sine of 440 Hz at half of full scale, at any rate", arguments: [44100, 48000, 96000])
  func sine(_ rate: Int) throws {
    var options = ExamplePlayer.exactServer
    options.sampleRate = rate
    try JACKServer.with(options) { jack in
      let process = try start(["--sine"], on: jack)
      defer { process.signalGroup(SIGKILL) }
      #expect(try jack.ports().allSatisfy { $0.name != "vocal-remover:in_1" })
      let heard = try record(on: jack, seconds: 1).finish()
      // One output may be connected a cycle before the other.
      let starts = try heard.channels.map { try #require($0.firstIndex { $0 != 0 }) }
      let start = try #require(starts.max())
      #expect(start < rate / 4)
      let frames = heard.channels[0].dropFirst(start).prefix(rate / 2)
      let fit = SineFit(frames, sampleRate: Double(rate), near: 440)
      #expect(abs(fit.frequency - 440) < 0.0001)
      #expect(fit.signalToResidual > 120)
      let peak = frames.max() ?? 0
      #expect((0.4999...0.5).contains(peak))
      let difference = heard.channels[0].indices.dropFirst(start).first {
        heard.channels[0][$0] != heard.channels[1][$0]
      }
      #expect(difference == nil)
      process.signalGroup(SIGINT)
      #expect(Program.end(of: process).exit == .status(0))
    }
  }

  @Test("reports an error in one line, and ends with the server")
  func failures() throws {
    let location = #_sourceLocation
    let absent = Program.run([], program: Self.path)
    ProgramTests.Failures.expectOneLine(
      absent, "no server", word: "no JACK server named '\(JACKServer.name)'", by: Self.name,
      on: location)
    try JACKServer.with { jack in
      let process = try start([], on: jack)
      let start = monotonicSeconds()
      jack.end()
      let result = Program.end(of: process, since: start)
      ProgramTests.Failures.expectOneLine(
        result, "lost server", word: JACKServer.name, by: Self.name, on: location)
    }
    let help = Program.run(["--help"], program: Self.path)
    #expect(help.exit == .status(0) && help.output.hasPrefix("Usage: vocal-remover [--sine]\n"))
    for arguments in [["--cosine"], ["song.mp3"], ["--sine", "--sine"]] {
      let result = Program.run(arguments, program: Self.path)
      #expect(result.exit == .status(64) && result.output == "")
      #expect(result.errors.hasPrefix("Usage: vocal-remover [--sine]\n"))
    }
  }
}
