// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("mixes the channels")
  struct Effects {
    private let workshop = Workshop()
    private let song = Fixtures.path("gapless-1.mp3")

    private func render(_ words: String, _ file: String) -> Program.Result {
      workshop.program("render \(words) '\(file)'")
    }

    /// Renders a file with these options and without effects.
    private func waves(_ words: String, _ file: String) throws -> (
      heard: FloatWave, plain: FloatWave
    ) {
      let result = render("\(words) --force -o out.wav", file)
      #expect(result.exit == .status(0) && result.errors == "" && result.output == "", "\(result)")
      try workshop.run("'\(Program.path)' render --force -o plain.wav '\(file)'")
      return try (
        FloatWave(path: workshop.path("out.wav")), FloatWave(path: workshop.path("plain.wav"))
      )
    }

    /// The largest difference in dBFS.
    private func difference(_ one: [[Float]], _ other: [[Float]]) -> Double {
      guard one.map(\.count) == other.map(\.count) else { return .infinity }
      let differences = zip(one, other).flatMap { zip($0, $1).map { abs($0 - $1) } }
      return 20 * log10(Double(differences.max() ?? 0))
    }

    @Test(
      "for headphones as bs2b does",
      arguments: [
        ("default", "profile=default"), ("cmoy", "profile=cmoy"), ("jmeier", "profile=jmeier"),
        ("1000:3", "fcut=1000:feed=30"),
      ])
    func crossfeed(_ preset: String, _ reference: String) throws {
      let (heard, _) = try waves("--crossfeed \(preset)", song)
      try workshop.run(
        "ffmpeg -v error -i plain.wav -af 'aformat=dbl,bs2b=\(reference)' -c:a pcm_f32le -y ref.wav"
      )
      let expected = try FloatWave(path: workshop.path("ref.wav"))
      #expect(difference(heard.channels, expected.channels) < -120)
    }

    @Test("into one, on both outputs")
    func mono() throws {
      let (heard, plain) = try waves("--mono", song)
      let means = zip(plain.channels[0], plain.channels[1]).map { ($0 + $1) / 2 }
      #expect(difference(heard.channels, [means, means]) < -140)
    }

    @Test("of more than two into one, and leaves mono as it is")
    func counts() throws {
      try workshop.run("sox -n -r 48000 -c 1 -b 24 tone.wav synth 1 sine 440 vol 0.5")
      let tone = workshop.path("tone.wav")
      let (heard, plain) = try waves("--mono --channels 1", tone)
      #expect(heard.channels == plain.channels)
      let (wide, _) = try waves("--mono --channels 6", tone)
      // A mono track is on the first two outputs.
      let third = plain.channels[0].map { $0 / 3 }
      #expect(
        difference(wide.channels, [[Float]](repeating: third, count: 6)) < -140)
    }

    @Test("in the other order, to the bit")
    func swap() throws {
      let (heard, plain) = try waves("--swap", song)
      #expect(heard.channels == plain.channels.reversed())
    }

    @Test("with a balance that lowers one of them", arguments: [-100, -25, 0, 50, 100])
    func balance(_ balance: Int) throws {
      let (heard, plain) = try waves("--balance \(balance)", song)
      let gains = [
        Float(1 - max(0, Double(balance)) / 100), Float(1 + min(0, Double(balance)) / 100),
      ]
      #expect(heard.channels[0] == plain.channels[0].map { 0 + $0 * gains[0] })
      #expect(heard.channels[1] == plain.channels[1].map { 0 + $0 * gains[1] })
    }

    @Test("with delays of single outputs, to their last frames")
    func delays() throws {
      let (heard, plain) = try waves("--delay 2:12.5", song)
      let frames = 551
      let silence = [Float](repeating: 0, count: frames)
      #expect(heard.channels == [plain.channels[0] + silence, silence + plain.channels[1]])
      let (both, _) = try waves("--delay 1:1 --delay 2:1 --limit 0 --period 100", song)
      let shift = [Float](repeating: 0, count: 44)
      #expect(both.channels == plain.channels.map { shift + $0 })
      for words in ["--delay 2", "--delay 2:1001", "--delay 0:1", "--delay 2:1 --delay 2:2"] {
        #expect(render("\(words) -o out.wav", song).exit == .status(64), "\(words)")
      }
      let beyond = render("--delay 3:1 -o beyond.wav", song)
      Failures.expectOneLine(beyond, "--delay 3:1", word: "outputs 1 to 2", on: #_sourceLocation)
      #expect(render("--delay 3:1 --channels 2 -o beyond.wav", song).exit == .status(64))
    }

    @Test("of mono with a balance behind it, and a limiter behind both")
    func order() throws {
      let (heard, plain) = try waves("--mono --balance 100 --limit -20", song)
      #expect(heard.channels[0].allSatisfy { $0 == 0 })
      let peak = heard.channels[1].map(\.magnitude).max()!
      #expect(peak <= 0.1 && peak > 0.09 && heard.frameCount == plain.frameCount)
    }

    @Test("or refuses impossible options with one line")
    func refusals() throws {
      for words in [
        "--balance 101", "--balance x", "--crossfeed loud", "--crossfeed 100:5", "--crossfeed 700:",
      ] {
        #expect(render("\(words) -o out.wav", song).exit == .status(64), "\(words)")
      }
      try workshop.run("sox -n -r 48000 -c 1 -b 24 mono.wav synth 1 sine 440")
      for option in ["--crossfeed cmoy", "--swap", "--balance 10"] {
        for command in ["render -o out.wav --channels 1", "play --ports 1"] {
          let refused = Program.run(
            [], by: ["bash", "-c", "exec \"$0\" \(command) \(option) '\(song)'"])
          #expect(refused.exit == .status(64), "\(refused)")
        }
        let result = render("\(option) -o out.wav", workshop.path("mono.wav"))
        let word = String(option.prefix { $0 != " " })
        Failures.expectOneLine(
          result, option, word: "\(word) needs two channels", on: #_sourceLocation)
      }
    }

    @Test("and shows them, and the number of clipped samples, while it plays")
    func screen() throws {
      try workshop.run("sox -n -r 48000 -c 2 -b 24 tone.wav synth 30 sine 1000 gain -6")
      try JACKServer.with { _ in
        let program = TerminalProgram([
          "play", "--connect", "none", "--mono", "--volume", "400", workshop.path("tone.wav"),
        ])
        defer { program.signal(SIGKILL) }
        #expect(eventually { program.shownLines.contains { $0.contains("  clipped ") } })
        #expect(program.shownLines.count { $0.hasPrefix("effects: mono") } > 1)
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }

    @Test("while it plays, and shows its effects")
    func played() throws {
      try workshop.run("sox -n -r 48000 -c 2 -b 24 tone.wav synth 30 sine 1000 gain -20")
      try JACKServer.with { _ in
        let program = TerminalProgram([
          "play", "--connect", "none", "--crossfeed", "jmeier", "--mono", "--balance", "-100",
          "--limit", "-1", workshop.path("tone.wav"),
        ])
        defer { program.signal(SIGKILL) }
        #expect(
          program.shows("effects: crossfeed 650 Hz, 9.5 dB, mono, balance -100, limiter -1 dB"),
          "\(program.output)")
        let recorder = try JACKRecorder(
          ["drawbar:out_1", "drawbar:out_2"], capacityFrames: 60 * 48000)
        defer { recorder.close() }
        #expect(eventually { recorder.samples[0].suffix(960).contains { $0.magnitude > 0.05 } })
        #expect(recorder.samples[1].allSatisfy { $0 == 0 })
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }
  }
}
