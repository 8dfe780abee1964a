// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

/// The example programs on a real JACK server.
@Suite("An example player", .serialized)
struct ExamplePlayerTests {
  /// Four seconds, more than the pre-roll.
  private static let song = Fixtures.path("gapless-1.mp3")
  /// Twelve seconds, longer than any test that ends a player.
  private static let long = Fixtures.path("mp3-cbr320-44100-2.mp3")

  private func expectSame(_ heard: StereoFrames, _ reference: [Float]) {
    let heard = heard.withoutSilentEdges
    let decoded = StereoFrames(interleaved: reference).withoutSilentEdges
    #expect(heard.count == decoded.count)
    #expect(heard.firstDifference(from: decoded) == nil)
  }

  @Test(
    "plays a file to its end, with the samples that mpg123 decodes",
    arguments: ExamplePlayer.allCases)
  func file(_ player: ExamplePlayer) throws {
    try JACKServer.with(ExamplePlayer.exactServer) { jack in
      // The second file is shorter than the pre-roll.
      for path in [Self.song, Fixtures.path("mp3-short-44100-2.mp3")] {
        let heard = try player.record(path, on: jack)
        expectSame(heard, ReferenceDecoder.mpg123Uncut(path))
      }
    }
  }

  @Test(
    "plays an http URL to its end, with the samples that mpg123 decodes",
    arguments: ExamplePlayer.allCases)
  func url(_ player: ExamplePlayer) throws {
    let web = LoopbackHTTPServer()
    defer { web.stop() }
    web.serve("/song.mp3", .file(Self.song))
    try JACKServer.with(ExamplePlayer.exactServer) { jack in
      let heard = try player.record(web.url("/song.mp3"), on: jack)
      expectSame(heard, ReferenceDecoder.mpg123Uncut(Self.song))
    }
  }

  @Test(
    "plays linear PCM, whose packets are delivered in runs, sample for sample",
    arguments: ExamplePlayer.allCases)
  func linearPCM(_ player: ExamplePlayer) throws {
    let folder = TemporaryDirectory()
    let path = folder.file("second.wav")
    _ = ReferenceDecoder.output(
      "ffmpeg -nostdin -v error -i '\(Fixtures.path("gapless-1.wav"))' -t 1 '\(path)'")
    try JACKServer.with(ExamplePlayer.exactServer) { jack in
      expectSame(try player.record(path, on: jack), ReferenceDecoder.ffmpeg(path))
    }
  }

  @Test(
    "rebuffers when a server is too slow, and loses or repeats nothing",
    arguments: ExamplePlayer.allCases)
  func slowServer(_ player: ExamplePlayer) throws {
    let folder = TemporaryDirectory()
    let path = folder.file("six-seconds.mp3")
    _ = ReferenceDecoder.output(
      "ffmpeg -nostdin -v error -i '\(Fixtures.path("tone-997-44100-2.wav"))' -t 6 "
        + "-c:a libmp3lame -b:a 128k '\(path)'")
    let web = LoopbackHTTPServer()
    defer { web.stop() }
    var plan = ResponsePlan.file(path)
    // 0.45 of the file's rate: the bytes received before and during playback last for 5.5 s, and the
    // rest needs 6.7 s to arrive.
    plan.bytesPerSecond = 7200
    web.serve("/slow.mp3", plan)
    try JACKServer.with(ExamplePlayer.exactServer) { jack in
      let heard = try player.record(web.url("/slow.mp3"), on: jack)
      let decoded = StereoFrames(interleaved: ReferenceDecoder.mpg123Uncut(path))
      let sound = heard.withoutSilentEdges
      #expect(sound.silences(ofAtLeast: 4410) >= 1)
      #expect(sound.withoutSilence.firstDifference(from: decoded.withoutSilence) == nil)
    }
  }

  @Test("resamples to the server's rate", arguments: ExamplePlayer.allCases)
  func otherRate(_ player: ExamplePlayer) throws {
    var options = ExamplePlayer.exactServer
    options.sampleRate = 48000
    let path = Fixtures.path("mp3-short-44100-2.mp3")
    try JACKServer.with(options) { jack in
      let heard = try player.record(path, on: jack).withoutSilentEdges
      let decoded = StereoFrames(interleaved: ReferenceDecoder.mpg123Uncut(path))
      let expected = Double(decoded.withoutSilentEdges.count) * 48000 / 44100
      // The resampler rings at the edges.
      #expect((expected...expected + 2000).contains(Double(heard.count)))
    }
  }

  @Test(
    "reports an unplayable file in one line with its name, and exits with 1",
    arguments: ExamplePlayer.allCases)
  func failures(_ player: ExamplePlayer) throws {
    let folder = TemporaryDirectory()
    let web = LoopbackHTTPServer()
    defer { web.stop() }
    let text = folder.file("note.txt")
    _ = ReferenceDecoder.output("echo 'Dear reader, this is no sound.' >'\(text)'")
    try JACKServer.with { jack in
      var inputs = ProgramTests.Failures.inputs(in: folder, web)
        .filter { $0.command.isEmpty }.map { ($0.name, $0.location, $0.word) }
      inputs.append(("text", text, "note.txt: this looks like a text file"))
      for (name, location, word) in inputs {
        let result = player.run([location])
        ProgramTests.Failures.expectOneLine(
          result, name, word: word, by: player.rawValue, on: #_sourceLocation)
        #expect(result.output == "", "\(name)")
      }
      #expect(!player.isPresent(jack))
    }
  }

  @Test("names encodings that its converter does not support, or plays them")
  func aac() throws {
    let folder = TemporaryDirectory()
    let path = folder.file("song.m4a")
    _ = ReferenceDecoder.output(
      "ffmpeg -nostdin -v error -i '\(Self.song)' -t 1 -c:a aac '\(path)'")
    try JACKServer.with { _ in
      let pulled = ExamplePlayer.remoteIO.run([path])
      ProgramTests.Failures.expectOneLine(
        pulled, "AAC", word: "song.m4a: no decoder for AAC", by: "remote-io-player",
        on: #_sourceLocation)
      let pushed = ExamplePlayer.audioQueue.run([path])
      #expect(pushed.exit == .status(0) && pushed.errors == "")
    }
  }

  @Test("reports that no JACK server runs", arguments: ExamplePlayer.allCases)
  func noServer(_ player: ExamplePlayer) {
    let result = player.run([Self.song])
    ProgramTests.Failures.expectOneLine(
      result, "no server", word: "no JACK server named '\(JACKServer.name)'", by: player.rawValue,
      on: #_sourceLocation)
  }

  @Test(
    "ends within a second of a signal while it plays", arguments: ExamplePlayer.allCases,
    [SIGINT, SIGTERM])
  func signalled(_ player: ExamplePlayer, _ signal: Int32) throws {
    try JACKServer.with { jack in
      let process = player.start([Self.long])
      #expect(eventually { player.isPresent(jack) }, "\(process.errors)")
      process.signalGroup(signal)
      let result = Program.end(of: process)
      #expect(result.exit == .status(0) && result.seconds < 1, "\(result)")
      #expect(result.output == "" && result.errors == "" && !result.hasLeftSomething)
      #expect(!player.isPresent(jack))
    }
  }

  @Test(
    "ends within a second of a signal while the source sends nothing",
    arguments: ExamplePlayer.allCases, [0, 20000] as [UInt64])
  func stalled(_ player: ExamplePlayer, afterBytes: UInt64) throws {
    let web = LoopbackHTTPServer()
    defer { web.stop() }
    var plan = ResponsePlan.file(Self.long)
    plan.fault = .stall(afterBytes: afterBytes)
    web.serve("/stalled", plan)
    try JACKServer.with { _ in
      let process = player.start([web.url("/stalled")])
      #expect(eventually { web.requests.count == 1 })
      #expect(eventually { web.bodyBytesSent("/stalled") == afterBytes })
      process.signalGroup(SIGINT)
      let result = Program.end(of: process)
      #expect(result.exit == .status(0) && result.seconds < 1, "\(result)")
    }
  }

  @Test(
    "ends with one line and exit code 1 when the JACK server ends",
    arguments: ExamplePlayer.allCases)
  func lostServer(_ player: ExamplePlayer) throws {
    try JACKServer.with { jack in
      let process = player.start([Self.long])
      #expect(eventually { player.isPresent(jack) }, "\(process.errors)")
      let start = monotonicSeconds()
      jack.end()
      let result = Program.end(of: process, since: start)
      ProgramTests.Failures.expectOneLine(
        result, "lost server", word: JACKServer.name, by: player.rawValue, on: #_sourceLocation)
    }
  }

  @Test("prints its usage, with exit code 64 for wrong arguments")
  func usage() {
    for player in ExamplePlayer.allCases {
      let help = player.run(["--help"])
      #expect(help.exit == .status(0) && help.errors == "")
      #expect(help.output.hasPrefix("Usage: \(player.rawValue) FILE-OR-URL\n"))
      #expect(help.output.contains("A JACK server must be running"))
      for arguments in [[], ["--loud"], ["a.mp3", "b.mp3"]] {
        let result = player.run(arguments)
        #expect(result.exit == .status(64) && result.output == "")
        #expect(result.errors.hasPrefix("Usage: \(player.rawValue) FILE-OR-URL\n"))
      }
    }
  }
}
