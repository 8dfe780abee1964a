// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("limits")
  struct Limits {
    private let workshop = Workshop()
    private let song = Fixtures.path("gapless-1.mp3")

    private func render(_ words: String, _ file: String) -> Program.Result {
      workshop.program("render \(words) '\(file)'")
    }

    private func peak(_ samples: [Float]) -> Float { samples.map(\.magnitude).max() ?? 0 }

    @Test("a file to the requested level, with all of its frames")
    func level() throws {
      try workshop.run("'\(Program.path)' render -o plain.wav '\(song)'")
      let plain = try FloatWave(path: workshop.path("plain.wav"))
      for decibels in [-20, -6] {
        let result = render("--limit \(decibels) --force -o out.wav", song)
        #expect(
          result.exit == .status(0) && result.errors == "" && result.output == "", "\(result)")
        let heard = try FloatWave(path: workshop.path("out.wav"))
        let ceiling = Float(pow(10, Double(decibels) / 20))
        #expect(heard.frameCount == plain.frameCount)
        let peaks = heard.channels.map(peak)
        #expect(peaks.allSatisfy { $0 <= ceiling } && peaks.max()! > 0.95 * ceiling)
      }
    }

    @Test(
      "and neither changes nor delays samples below the level", arguments: [1, 64, 1000, 8192])
    func transparent(_ period: Int) throws {
      for frames in [1, 20, 71, 3000] {
        // Noise, whose last frame is loud.
        try workshop.run(
          "sox -D -n -r 48000 -c 2 -b 24 in.wav synth \(frames)s whitenoise vol 0.5 reverse")
        let input = workshop.path("in.wav")
        #expect(render("--force -o plain.wav", input).exit == .status(0))
        #expect(
          render("--limit 0 --period \(period) --force -o out.wav", input).exit == .status(0))
        #expect(try workshop.read("out.wav") == workshop.read("plain.wav"), "\(frames) frames")
      }
    }

    @Test("true peaks within 0.1 dB, measured with sox at eight times the rate")
    func truePeaks() throws {
      // All samples of this tone are 3 dB below its crests.
      try workshop.run(
        "sox -D -n -r 48000 -c 2 -b 32 -e float in.wav synth 2 sine 12000 0 12.5 fade 0.1 2 0.1")
      for (options, expected) in [("--limit -6 --true-peak", -6.0), ("--limit -6", -3)] {
        let result = render("\(options) --force -o out.wav", workshop.path("in.wav"))
        #expect(result.exit == .status(0) && result.errors == "", "\(result)")
        try workshop.run("sox out.wav -b 32 -e float up.wav rate -v 384000")
        let wave = try FloatWave(path: workshop.path("up.wav"))
        let heard = 20 * log10(Double(wave.channels.map(peak).max()!))
        #expect(heard < expected + 0.1 && heard > expected - 0.2, "\(options)")
      }
      // Lower peaks are left unchanged.
      try workshop.run("sox -D in.wav quiet.wav vol 0.5")
      let quiet = workshop.path("quiet.wav")
      #expect(render("--force -o plain.wav", quiet).exit == .status(0))
      #expect(render("--limit 0 --true-peak --force -o out.wav", quiet).exit == .status(0))
      #expect(try workshop.read("out.wav") == workshop.read("plain.wav"))
    }

    @Test("behind the equaliser")
    func equalizer() throws {
      try workshop.write(Array("Filter: ON PK Fc 1000 Hz Gain 12 dB Q 1\n".utf8), "eq.txt")
      let result = render("--eq eq.txt --preamp 12 --limit -1 -o out.wav", song)
      #expect(result.exit == .status(0) && result.errors == "")
      let heard = try FloatWave(path: workshop.path("out.wav"))
      #expect(heard.channels.map(peak).max()! <= Float(pow(10, -0.05)))
    }

    @Test("tracks of a list without a gap between them")
    func list() throws {
      let files = ["gapless-1.mp3", "gapless-2.mp3"].map { "'\(Fixtures.path($0))'" }
      let all = files.joined(separator: " ")
      try workshop.run("'\(Program.path)' render -o plain.wav \(all)")
      try workshop.run("'\(Program.path)' render --limit 0 -o out.wav \(all)")
      #expect(try workshop.read("out.wav") == workshop.read("plain.wav"))
    }

    @Test("to no level above full scale, and refuses invalid levels")
    func usage() {
      for level in ["1", "-61", "x", "nan"] {
        for command in ["render -o out.wav", "play"] {
          let result = Program.run(
            [], by: ["bash", "-c", "exec \"$0\" \(command) --limit \(level) '\(song)'"])
          #expect(result.exit == .status(64), "\(result)")
        }
      }
      for options in [
        "render -o out.wav --true-peak", "play --limit 0 --true-peak --transport follow",
      ] {
        let result = Program.run([], by: ["bash", "-c", "exec \"$0\" \(options) '\(song)'"])
        #expect(result.exit == .status(64), "\(result)")
      }
    }

    @Test("played sound, from the first frame to the last", arguments: [0, -20])
    func played(_ decibels: Int) throws {
      let wave = try JACKServer.with(Samples.exactServer) {
        try Recording.play(song, options: ["--limit", "\(decibels)"], on: $0)
      }
      let heard = StereoFrames(wave).withoutSilentEdges
      let decoded = StereoFrames(interleaved: ReferenceDecoder.mpg123(song))
      #expect(heard.count == decoded.count)
      if decibels == 0 {
        #expect(heard.firstDifference(from: decoded) == nil)
      } else {
        #expect(wave.channels.map(peak).max()! <= 0.1)
      }
    }
  }
}
