// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("convolves")
  struct Convolves {
    private let workshop = Workshop()
    private let song = Fixtures.path("gapless-1.mp3")

    private func render(_ words: String, _ file: String) -> Program.Result {
      workshop.program("render \(words) '\(file)'")
    }

    /// Writes a file of stereo noise in floats.
    private func makeNoise(_ name: String, frames: Int, rate: Int = 48000, _ effects: String = "")
      throws
    {
      try workshop.run(
        "sox -D -r \(rate) -n -c 2 -e float -b 32 \(name) synth \(frames)s whitenoise \(effects)")
    }

    private func heard(_ words: String, _ file: String) throws -> FloatWave {
      let result = render("\(words) --force -o out.wav", file)
      #expect(result.exit == .status(0) && result.errors == "" && result.output == "", "\(result)")
      return try FloatWave(path: workshop.path("out.wav"))
    }

    /// The largest difference in dBFS.
    private func difference(_ one: [[Float]], _ other: [[Float]]) -> Double {
      guard one.map(\.count) == other.map(\.count) else { return .infinity }
      let differences = zip(one, other).flatMap { zip($0, $1).map { abs($0 - $1) } }
      return 20 * log10(Double(differences.max() ?? 0))
    }

    @Test("as ffmpeg does, from the first frame to the end of the tail", arguments: [1024, 100])
    func reference(_ period: Int) throws {
      try makeNoise("in.wav", frames: 20_000, "vol 0.5")
      try makeNoise("ir.wav", frames: 5000, "vol 0.05 fade t 0 5000s 4999s")
      let filter = "[0]apad=pad_len=4999[a];[a][1]afir=gtype=none:precision=double"
      try workshop.run(
        "ffmpeg -v error -i in.wav -i ir.wav -lavfi '\(filter)' -c:a pcm_f32le -y ref.wav")
      let expected = try FloatWave(path: workshop.path("ref.wav"))
      let heard = try heard("--convolve ir.wav --period \(period)", workshop.path("in.wav"))
      #expect(expected.frameCount == 24_999)
      // ffmpeg 5.1 has twice the gain of later versions.
      let products = zip(heard.channels[0], expected.channels[0]).map { $0 * $1 }
      let squares = heard.channels[0].map { $0 * $0 }
      let gain = (products.reduce(0, +) / squares.reduce(0, +)).rounded()
      #expect(gain == 1 || gain == 2)
      #expect(difference(heard.channels, expected.channels.map { $0.map { $0 / gain } }) < -110)
    }

    @Test("with files of other formats, and with one channel for all outputs")
    func formats() throws {
      try makeNoise("in.wav", frames: 5000, "vol 0.5")
      // 24-bit integers.
      try workshop.run(
        "sox -D -n -r 48000 -c 1 -b 24 mono.wav synth 3000s whitenoise vol 0.1"
          + " && sox -D mono.wav mono.aiff && sox -D mono.wav mono.flac && sox -D mono.wav -c 2 two.wav"
      )
      let input = workshop.path("in.wav")
      let stereo = try heard("--convolve two.wav", input)
      #expect(stereo.frameCount == 7999)
      for name in ["mono.wav", "mono.aiff", "mono.flac"] {
        let other = try heard("--convolve \(name)", input)
        #expect(other.channels == stereo.channels, "\(name)")
      }
    }

    @Test("from each channel to each, and behind the equaliser")
    func matrix() throws {
      try makeNoise("in.wav", frames: 5000, "vol 0.5")
      // LL 1, LR 0.5, RL 0, RR -1, as samples of one frame.
      try workshop.run(
        "python3 -c \"import struct,sys; "
          + "b=struct.pack('<4f',1,0.5,0,-1); "
          + "sys.stdout.buffer.write(b'RIFF'+struct.pack('<I',36+len(b))+b'WAVEfmt '"
          + "+struct.pack('<IHHIIHH',16,3,4,48000,48000*16,16,32)+b'data'"
          + "+struct.pack('<I',len(b))+b)\" > matrix.wav")
      let input = workshop.path("in.wav")
      let plain = try heard("", input)
      let result = try heard(
        "--preamp -6.0205999 --filter 'PK Fc 1000 Hz Gain 0 dB Q 1' --convolve matrix.wav", input)
      let (left, right) = (plain.channels[0], plain.channels[1])
      let expected = [
        left.map { $0 / 2 }, zip(left, right).map { ($0 / 2 - $1) / 2 },
      ]
      #expect(difference(result.channels, expected) < -120)
    }

    @Test("with an impulse response of another rate at the same level")
    func rate() throws {
      // The sum of a response is its level at 0 Hz.
      for rate in [44_100, 48_000, 96_000] {
        try workshop.run(
          "sox -D -r \(rate) -n -c 1 -e float -b 32 click.wav synth \(rate / 10)s square 1 vol 0 dcshift 0.001"
        )
        try workshop.run(
          "sox -D -n -r 48000 -c 2 -e float -b 32 in.wav synth 24000s square 1 vol 0 dcshift 0.01")
        let heard = try heard("--convolve click.wav", workshop.path("in.wav"))
        let level = heard.channels[0][12_000]
        #expect(abs(level / (0.01 * 0.001 * Float(rate) / 10) - 1) < 0.01, "\(rate): \(level)")
      }
    }

    @Test("or refuses a file that is not an impulse response, with one line")
    func refusals() throws {
      try workshop.write(Array("no sound\n".utf8), "text.wav")
      try workshop.write([], "empty.wav")
      try workshop.run("sox -n -r 48000 -c 3 -b 16 three.wav synth 1 sine 440")
      try workshop.run("sox -n -r 48000 -c 1 -b 16 long.wav trim 0 1048577s")
      try workshop.run("sox -r 24000 -n -c 1 -b 16 slow.wav trim 0 600000s")
      try workshop.run("sox -n -r 48000 -c 1 -b 16 none.wav trim 0 0")
      try workshop.run("sox -n -r 48000 -c 2 -b 16 in.wav synth 0.1 sine 440")
      for (name, word) in [
        ("missing.wav", "missing.wav"), ("text.wav", "text.wav"), ("empty.wav", "empty.wav"),
        ("three.wav", "has 3 channels; 2 channels need 1, 2 or 4"),
        ("long.wav", "more than 1048576 frames"), ("slow.wav", "has 1200000 frames"),
        ("none.wav", "none.wav"),
      ] {
        let result = render("--convolve \(name) -o out.wav", workshop.path("in.wav"))
        Failures.expectOneLine(result, name, word: word, on: #_sourceLocation)
      }
      let same = render("--convolve in.wav --force -o in.wav", song)
      Failures.expectOneLine(
        same, "itself", word: "one of the files that are read", on: #_sourceLocation)
      for words in ["--convolve ''", "--convolve -", "--convolve http://localhost/ir.wav"] {
        #expect(render("\(words) -o out.wav", song).exit == .status(64), "\(words)")
      }
    }

    @Test("played sound to the last frame of the tail, and shows the latency")
    func played() throws {
      try workshop.run(
        "sox -D -r 44100 -n -c 1 -e float -b 32 ir.wav synth 3000s whitenoise vol 0.05")
      let expected = try heard("--convolve ir.wav", song)
      let wave = try JACKServer.with(Samples.exactServer) {
        try Recording.play(song, options: ["--convolve", workshop.path("ir.wav")], on: $0)
      }
      // The partitions begin at other frames of the sound, so rounding differs, also before and after the sound.
      func sounding(_ wave: FloatWave) -> [[Float]] {
        let frames = wave.channels[0].indices.filter { frame in
          wave.channels.contains { $0[frame].magnitude > 1e-5 }
        }
        return wave.channels.map { Array($0[frames.first!...frames.last!]) }
      }
      #expect(difference(sounding(wave), sounding(expected)) < -110)
      try JACKServer.with { _ in
        let program = TerminalProgram([
          "play", "--connect", "none", "--convolve", workshop.path("ir.wav"), "--swap", song,
        ])
        defer { program.signal(SIGKILL) }
        #expect(
          program.shows("ir.wav (1 channel, 0.068 s, latency 256 frames), swapped"),
          "\(program.output)")
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }
  }
}
