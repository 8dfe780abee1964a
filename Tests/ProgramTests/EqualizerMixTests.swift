// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("delays and mixes channels by an equaliser file")
  struct EqualizerMixes {
    private let workshop = Workshop()
    private let song = Fixtures.path("gapless-1.mp3")

    /// Renders the song with an equaliser file and without.
    private func waves(
      _ text: String, _ words: String = ""
    ) throws -> (heard: [[Float]], plain: [[Float]]) {
      try workshop.write(Array(text.utf8), "eq.txt")
      let result = workshop.program("render --eq eq.txt --force \(words) -o out.wav '\(song)'")
      #expect(result.exit == .status(0) && result.errors == "", "\(result)")
      try workshop.run("'\(Program.path)' render --force -o plain.wav '\(song)'")
      return try (
        FloatWave(path: workshop.path("out.wav")).channels,
        FloatWave(path: workshop.path("plain.wav")).channels
      )
    }

    private func silence(_ frames: Int) -> [Float] { .init(repeating: 0, count: frames) }

    @Test("exchanged, mixed and inverted")
    func copies() throws {
      let (swapped, plain) = try waves("Preamp: 0 dB\nCopy: L=R R=L\n")
      #expect(swapped == [plain[1], plain[0]])
      let (mono, _) = try waves("Preamp: 0 dB\nCopy: L=0.5*L+0.5*R R=0.5*L+0.5*R\n")
      let means = zip(plain[0], plain[1]).map { 0.5 * $0 + 0.5 * $1 }
      #expect(mono == [means, means])
      let (side, _) = try waves("Preamp: 0 dB\nCopy: L=0.5*L+-0.5*R\nCopy: R=-1*L\n")
      let differences = zip(plain[0], plain[1]).map { 0.5 * $0 - 0.5 * $1 }
      #expect(side == [differences, differences.map { 0 - $0 }])
    }

    @Test("through virtual channels, with filters before and after the mix")
    func virtualChannels() throws {
      let filter = "Filter: ON PK Fc 1000 Hz Gain -6 dB Q 1\n"
      let (filtered, plain) = try waves("Preamp: 0 dB\n" + filter)
      let (heard, _) = try waves(
        "Preamp: 0 dB\nCopy: X=L\nChannel: X\n\(filter)Channel: all\nCopy: R=X\n")
      #expect(heard == [plain[0], filtered[0]])
      let (before, _) = try waves("Preamp: 0 dB\nChannel: L\n\(filter)Copy: R=L\n")
      #expect(before == [filtered[0], filtered[0]])
    }

    @Test("delayed to their last frames, also in several stages")
    func delays() throws {
      let (heard, plain) = try waves(
        "Preamp: 0 dB\nChannel: R\nDelay: 10 ms\nCopy: L=R R=L\nChannel: L\nDelay: 59 samples\n")
      // 441 frames and 59 more; the tail of both stages is 500 frames.
      #expect(heard[0] == silence(500) + plain[1])
      #expect(heard[1] == plain[0] + silence(500))
    }

    @Test("while it plays, and crossfades to another mix")
    func changes() throws {
      try workshop.run("sox -n -r 48000 -c 2 -b 24 tone.wav synth 30 sine 1000 gain -20")
      let identity = "Preamp: 0 dB\nCopy: L=L\n"
      try workshop.write(Array(identity.utf8), "eq.txt")
      try JACKServer.with { _ in
        let program = TerminalProgram([
          "play", "--connect", "none", "--eq", workshop.path("eq.txt"), workshop.path("tone.wav"),
        ])
        defer { program.signal(SIGKILL) }
        try #require(program.shows("Playing    0:0"), "\(program.output)")
        let recorder = try JACKRecorder(["drawbar:out_1"], capacityFrames: 60 * 48000)
        defer { recorder.close() }
        func peak() -> Float { recorder.samples[0].suffix(960).map(\.magnitude).max() ?? 0 }
        for (text, expected) in [
          (identity, Float(0.1)), ("Preamp: 0 dB\nCopy: L=0.5*L\n", 0.05),
          ("Preamp: 0 dB\nCopy: L=0.25*L X=R\n", 0.025), ("Preamp: 0 dB\nDelay: 20 ms\n", 0.1),
          ("Preamp: 0 dB\nDelay: 900 ms\n", 0.1), ("Preamp: -20 dB\n", 0.01), (identity, 0.1),
        ] {
          try workshop.write(Array(text.utf8), "eq.txt")
          #expect(eventually { abs(peak() - expected) < 0.002 }, "\(text): \(peak())")
        }
        // No sample is louder than the tone, and none jumps.
        let samples = recorder.samples[0].drop { $0 == 0 }
        let steepest = zip(samples, samples.dropFirst()).map { abs($0 - $1) }.max() ?? 1
        #expect(samples.allSatisfy { $0.magnitude < 0.11 } && steepest < 0.02)
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }
  }
}
