// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("plays samples")
  struct Samples {
    /// A server at 44.1 kHz, so that nothing is resampled, and synchronous: a late client delays its cycle
    /// instead of losing it.
    static var exactServer: JACKServer.Options {
      .waiting(sampleRate: 44100, period: 512)
    }

    @Test("that equal mpg123's gapless decode, from the first to the last")
    func exact() throws {
      let file = Fixtures.path("gapless-1.mp3")
      let wave = try JACKServer.with(Self.exactServer) { try Recording.play(file, on: $0) }
      let heard = StereoFrames(wave).withoutSilentEdges
      let decoded = StereoFrames(interleaved: ReferenceDecoder.mpg123(file))
      #expect(wave.sampleRate == 44100)
      #expect(heard.count == decoded.count)
      #expect(heard.firstDifference(from: decoded) == nil)
    }

    @Test("of two tracks without a gap between them")
    func gapless() throws {
      let files = ["gapless-1.mp3", "gapless-2.mp3"].map(Fixtures.path)
      let wave = try JACKServer.with(Self.exactServer) {
        try Recording.play(files[0], then: [files[1]], on: $0)
      }
      let heard = StereoFrames(wave).withoutSilentEdges
      let decoded = StereoFrames(interleaved: files.flatMap(ReferenceDecoder.mpg123))
      #expect(heard.count == decoded.count)
      #expect(heard.firstDifference(from: decoded) == nil)
    }

    @Test("from a server at half the rate, with pauses to buffer, and loses or repeats none")
    func throttled() throws {
      let file = Fixtures.path("gapless-1.mp3")
      // 256 kbit/s are 32,000 bytes a second.
      let wave = try JACKServer.with(Self.exactServer) {
        try Recording.play(file, options: ["--buffer", "0.5"], bytesPerSecond: 16000, on: $0)
      }
      let heard = StereoFrames(wave).withoutSilentEdges
      let decoded = StereoFrames(interleaved: ReferenceDecoder.mpg123(file))
      // A pause may be shorter than a cycle: the file's end arrives when playback has just reached it.
      // So pauses are found by the missing sound, not by their silence.
      let period = 512
      let fade = 220
      var (played, pauses) = (0, 0)
      var position = 0
      while let difference = heard[position...].firstDifference(from: decoded[played...]) {
        let end = position + difference
        played += difference
        try #require(played < decoded.count, "frames after the end, from \(end) on")
        // The fade-in begins with a cycle. The last of a fade's 221 frames has the final gain.
        let next = try #require(
          stride(from: (end / period + 1) * period, to: heard.count, by: period).first {
            // Of a remainder shorter than the fade, only the length is known.
            heard.count - $0 <= fade
              ? heard.count - $0 == decoded.count - played
              : heard[($0 + fade)...].hasPrefix(decoded[(played + fade)...], ofFrames: period)
          }, "frames were lost or repeated at \(end)")
        #expect(heard[min(end + fade, next)..<next].isSilent)
        pauses += 1
        if heard.count - next <= fade { break }
        (position, played) = (next + fade, played + fade)
      }
      #expect(pauses >= 2)
    }

    @Test("that do not depend on the period, also if a cycle is longer than the buffer")
    func longCycles() throws {
      let file = Fixtures.path("gapless-1.mp3")
      let folder = TemporaryDirectory()
      for rate in [1000, 2000, 8000] {
        let renders = [64, 1024, 8192].map { period in
          let path = folder.file("\(rate)-\(period).wav")
          let result = Program.run(
            ["render", "--rate", "\(rate)", "--period", "\(period)", "-o", path, file])
          #expect(result.exit == .status(0) && result.errors == "")
          return contents(ofFile: path)
        }
        let isSame = renders.allSatisfy { $0 == renders[0] }
        #expect(isSame, "\(rate) Hz")
      }
    }

    @Test("that render writes too, whatever the period")
    func render() throws {
      let file = Fixtures.path("gapless-1.mp3")
      let decoded = StereoFrames(interleaved: ReferenceDecoder.mpg123(file))
      let folder = TemporaryDirectory()
      var first: [UInt8] = []
      for period in [16, 64, 100, 1024, 8192] {
        let path = folder.file("\(period).wav")
        let result = Program.run(["render", "--period", "\(period)", "-o", path, file])
        #expect(result.exit == .status(0), "\(result.errors)")
        #expect(result.output == "" && result.errors == "")
        let bytes = contents(ofFile: path)
        if first.isEmpty {
          first = bytes
          let frames = StereoFrames(try FloatWave(path: path))
          #expect(frames.firstDifference(from: decoded) == nil)
        }
        #expect(bytes == first, "period \(period)")
      }
    }

    @Test("that render writes into a pipe, where the header cannot state their number")
    func renderIntoPipe() {
      let file = Fixtures.path("gapless-1.mp3")
      let command = "'\(Program.path)' render -o - '\(file)' | ffmpeg -v error -i - -f f32le -"
      let bytes = ReferenceDecoder.output(command)
      #expect(bytes == ReferenceDecoder.output("mpg123 -q -e f32 -s '\(file)'"))
    }

    @Test("of two tracks that render joins without a gap")
    func renderGapless() throws {
      let files = ["gapless-1.mp3", "gapless-2.mp3"].map(Fixtures.path)
      let folder = TemporaryDirectory()
      let path = folder.file("both.wav")
      let result = Program.run(["render", "-o", path] + files)
      #expect(result.exit == .status(0), "\(result.errors)")
      let frames = StereoFrames(try FloatWave(path: path))
      let decoded = StereoFrames(interleaved: files.flatMap(ReferenceDecoder.mpg123))
      #expect(frames.firstDifference(from: decoded) == nil)
    }
  }
}
