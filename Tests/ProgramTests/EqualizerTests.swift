// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("equalises")
  struct Equalizers {
    private let workshop = Workshop()
    private let song = Fixtures.path("gapless-1.mp3")

    private func render(_ words: String) -> Program.Result {
      workshop.program("render \(words) '\(song)'")
    }

    private func decibels(_ samples: [Float]) -> Double {
      20 * log10(Double(samples.map(\.magnitude).max() ?? 0))
    }

    @Test("as ffmpeg's filters do")
    func reference() throws {
      try workshop.write(Array(CookbookSection.parametricFile.utf8), "eq.txt")
      let result = render("--eq eq.txt -o out.wav")
      #expect(result.exit == .status(0) && result.errors == "" && result.output == "", "\(result)")
      try workshop.run("'\(Program.path)' render -o plain.wav '\(song)'")
      let filters = [
        "volume=-7dB:precision=double", "lowshelf=f=105:t=q:w=0.7:g=6:r=f64",
        "equalizer=f=2000:t=q:w=1.41:g=-4.5:r=f64", "highshelf=f=8000:t=q:w=0.7:g=3:r=f64",
      ]
      let chain = filters.joined(separator: ",")
      try workshop.run("ffmpeg -v error -i plain.wav -af '\(chain)' -c:a pcm_f32le -y ref.wav")
      let heard = try FloatWave(path: workshop.path("out.wav"))
      let expected = try FloatWave(path: workshop.path("ref.wav"))
      #expect(heard.frameCount == expected.frameCount && heard.channels.count == 2)
      for (heard, expected) in zip(heard.channels, expected.channels) {
        #expect(decibels(zip(heard, expected).map { $0 - $1 }) < -110)
      }
    }

    @Test("without changing a bit if the file is flat")
    func flat() throws {
      try workshop.write(Array("Preamp: 0 dB\nFilter: ON PK Fc 100 Hz Gain 0 dB Q 1\n".utf8), "eq")
      try workshop.run("'\(Program.path)' render -o plain.wav '\(song)'")
      #expect(render("--eq eq -o out.wav").exit == .status(0))
      #expect(try workshop.read("out.wav") == workshop.read("plain.wav"))
    }

    @Test("with a graphic curve, without changing the length")
    func graphic() throws {
      try workshop.run(
        "ffmpeg -v error -f lavfi -i \"aevalsrc='eq(n,0)|0.5*eq(n,0)':s=44100:d=3\" -c:a pcm_f32le in.wav"
      )
      let curve = "GraphicEQ: 25 -4.5; 80 2.1; 300 0; 1000 -3; 4000 5.5; 16000 -8\n"
      try workshop.write(
        Array("\(curve)Channel: R\nFilter: ON PK Fc 500 Hz Gain 6 dB Q 1\n".utf8), "eq")
      let result = workshop.program("render --eq eq --preamp 0 -o out.wav in.wav")
      #expect(result.exit == .status(0) && result.errors == "", "\(result)")
      let wave = try FloatWave(path: workshop.path("out.wav"))
      #expect(wave.frameCount == 3 * 44_100)
      let points = [(25.0, -4.5), (80, 2.1), (300, 0), (1000, -3), (4000, 5.5), (16_000, -8)]
      for (hertz, gain) in points + [(154.9, 1.05), (2000, 1.25), (20_000, -8)] {
        #expect((level(wave.channels[0], hertz) - gain).magnitude < 0.02, "\(hertz) Hz")
      }
      #expect(
        (level(wave.channels[1], 500) - level(wave.channels[0], 500) + 6.02 - 6).magnitude < 0.01)
      // Minimum phase: most of an impulse is at its start.
      #expect(wave.channels[0][0] == wave.channels[0].map(\.magnitude).max())
    }

    /// The gain in dB of an impulse response at 44.1 kHz.
    private func level(_ response: [Float], _ hertz: Double) -> Double {
      var (real, imaginary) = (0.0, 0.0)
      for (frame, sample) in response.enumerated() {
        let angle = 2 * Double.pi * hertz * Double(frame) / 44_100
        real += Double(sample) * cos(angle)
        imaginary += Double(sample) * sin(angle)
      }
      return 10 * log10(real * real + imaginary * imaginary)
    }

    @Test("with the impulse responses of its lines, as --convolve does, from the file's folder")
    func convolution() throws {
      let noise = "synth 3000s whitenoise vol 0.1"
      try workshop.run("sox -D -n -r 44100 -c 2 -e float -b 32 two.wav \(noise)")
      try workshop.run(
        "mkdir -p room && sox -D -n -r 48000 -c 1 -e float -b 32 room/one.wav \(noise)")
      try workshop.write(
        Array("Preamp: 0 dB\nConvolution: two.wav\nInclude: room/eq.txt\n".utf8), "eq")
      try workshop.write(Array("Channel: R\nConvolution: one.wav\n".utf8), "room/eq.txt")
      #expect(render("--eq eq -o out.wav").exit == .status(0))
      try workshop.run(
        "'\(Program.path)' render --channels 2 --convolve two.wav -o two-out.wav '\(song)'")
      try workshop.run(
        "'\(Program.path)' render --convolve room/one.wav -o one-out.wav two-out.wav")
      let heard = try FloatWave(path: workshop.path("out.wav"))
      for (channel, name) in ["two-out.wav", "one-out.wav"].enumerated() {
        let expected = try FloatWave(path: workshop.path(name))
        let (samples, wanted) = (heard.channels[channel], expected.channels[channel])
        let differences = zip(samples, wanted).map { $0 - $1 }
        #expect(differences.count > 40_000, "\(name)")
        #expect(decibels(differences) < decibels(wanted) - 110, "\(name)")
      }
    }

    @Test("without changing a bit, and without latency, if a graphic curve is flat")
    func flatCurve() throws {
      try workshop.write(Array("GraphicEQ: 20 0; 1000 0; 20000 0\n".utf8), "eq")
      try workshop.run("'\(Program.path)' render -o plain.wav '\(song)'")
      #expect(render("--eq eq -o out.wav").exit == .status(0))
      #expect(try workshop.read("out.wav") == workshop.read("plain.wav"))
    }

    @Test("with the preamp of the file, of the command line, or an automatic one")
    func preamp() throws {
      let filter = "Filter: ON PK Fc 1000 Hz Gain 12 dB Q 1\n"
      try workshop.write(Array(filter.utf8), "without")
      try workshop.write(Array(("Preamp: -3 dB\n" + filter).utf8), "with")
      var peaks: [String: Double] = [:]
      for (name, words) in [
        ("given", "--eq with --preamp -20"), ("file", "--eq with"), ("automatic", "--eq without"),
        ("asked", "--eq with --preamp auto"),
      ] {
        #expect(render("\(words) -o \(name).wav").exit == .status(0))
        let wave = try FloatWave(path: workshop.path("\(name).wav"))
        peaks[name] = decibels(wave.channels[0])
      }
      #expect(abs(peaks["file"]! - peaks["given"]! - 17) < 1e-3)
      #expect(abs(peaks["file"]! - peaks["automatic"]! - 9) < 1e-2)
      #expect(peaks["asked"] == peaks["automatic"])
    }

    @Test("or names the line that it cannot use, and writes nothing")
    func broken() throws {
      let lines = [
        "Filter 1: ON XX Fc 100 Hz Gain 3 dB Q 1", "Delay: 1001 ms", "Copy: L=101*R",
        "Convolution: room.wav",
      ]
      for (index, line) in lines.enumerated() {
        let name = "eq-\(index).txt"
        try workshop.write(Array("Preamp: -3 dB\n\(line)\n".utf8), name)
        let result = render("--eq \(name) -o out.wav")
        Failures.expectOneLine(result, line, word: "\(name):2:", on: #_sourceLocation)
        try workshop.run("test ! -e out.wav")
      }
    }

    @Test("also if the line is for a channel that stereo does not have")
    func brokenBeyondStereo() throws {
      try workshop.write(Array("Channel: RL\nConvolution: room.wav\n".utf8), "eq.txt")
      let result = render("--channels 4 --eq eq.txt -o out.wav")
      Failures.expectOneLine(result, "RL", word: "eq.txt:2:", on: #_sourceLocation)
      try workshop.run("test ! -e out.wav")
    }

    @Test("and warns of lines that have no effect")
    func warnings() throws {
      for (line, word) in [
        ("Filter: ON PK Fc 30000 Hz Gain 3 dB Q 1", "44100 Hz"),
        ("Channel: LFE\nFilter: ON PK Fc 100 Hz Gain 3 dB Q 1", "no channel LFE"),
      ] {
        try workshop.write(Array("Preamp: 0 dB\n\(line)\n".utf8), "eq.txt")
        let result = render("--eq eq.txt --force -o out.wav")
        #expect(result.exit == .status(0))
        #expect(result.errors.contains("warning: eq.txt: ") && result.errors.contains(word))
        #expect(result.errors.split(separator: "\n").count == 1)
        try workshop.run("'\(Program.path)' render --force -o plain.wav '\(song)'")
        #expect(try workshop.read("out.wav") == workshop.read("plain.wav"))
      }
    }

    @Test("with preamps of single channels, which an automatic preamp takes into account")
    func channelPreamps() throws {
      let channels =
        "Channel: L R\nPreamp: -6 dB\nChannel: all\nFilter: ON PK Fc 1000 Hz Gain 6 dB Q 1\n"
      try workshop.write(Array(channels.utf8), "channels")
      try workshop.write(
        Array("Preamp: -6 dB\nFilter: ON PK Fc 1000 Hz Gain 6 dB Q 1\n".utf8), "all")
      var peaks: [Double] = []
      for name in ["channels", "all"] {
        #expect(render("--eq \(name) -o \(name).wav").exit == .status(0))
        peaks.append(decibels(try FloatWave(path: workshop.path("\(name).wav")).channels[0]))
      }
      #expect(abs(peaks[0] - peaks[1]) < 0.01)
    }

    @Test("or reports why the file cannot be read")
    func unreadable() throws {
      Failures.expectOneLine(
        render("--eq nowhere.txt -o out.wav"), "missing", word: "nowhere.txt", on: #_sourceLocation)
      Failures.expectOneLine(
        render("--eq . -o out.wav"), "folder", word: "directory", on: #_sourceLocation)
      for location in ["-", "http://127.0.0.1:1/eq.txt"] {
        #expect(render("--eq \(location) -o out.wav").exit == .status(64))
      }
      try workshop.run("head -c 100000 /dev/urandom > noise; test ! -e out.wav")
      #expect(render("--eq noise -o out.wav").exit == .status(1))
      for words in ["--preamp auto", "--eq eq --preamp loud", "--eq eq --preamp 1000", "--eq ''"] {
        #expect(render("\(words) -o out.wav").exit == .status(64), "\(words)")
      }
    }

    @Test("and overwrites no file that it reads")
    func overwritten() throws {
      try workshop.write(Array("# old\n".utf8), "inner.wav")
      try workshop.write(Array("Include: inner.wav\nPreamp: -1\n".utf8), "eq.txt")
      for words in ["--eq eq.txt --force -o inner.wav", "--eq eq.txt --force -o ./eq.txt"] {
        Failures.expectOneLine(
          render(words), words, word: "choose another path", on: #_sourceLocation)
      }
      for path in ["inner.wav", "eq.txt"] {
        let play = Program.run([
          "play", "--eq", workshop.path("eq.txt"), "--timing", workshop.path(path), song,
        ])
        Failures.expectOneLine(play, path, word: "choose another path", on: #_sourceLocation)
      }
      #expect(try workshop.read("inner.wav") == Array("# old\n".utf8))
    }

    @Test(
      "and ends at once while a pipe delivers the file byte by byte", arguments: ["pipe", "list"])
    func pipe(_ name: String) throws {
      try workshop.run("mkfifo pipe; printf 'Include: pipe\\nInclude: pipe\\n' > list")
      let script = "exec 3<> \"$0\"; while echo '#' >&3; do sleep 0.02; done"
      let writer = Subprocess(["bash", "-c", script, workshop.path("pipe")])
      defer { writer.signalGroup(SIGKILL) }
      let program = Program.start(["play", "--eq", workshop.path(name), song])
      defer { program.signalGroup(SIGKILL) }
      let status = program.pid.map { "/proc/\($0)/fd" } ?? ""
      #expect(
        eventually {
          Subprocess.run(["bash", "-c", "ls -l '\(status)' | grep -q '/pipe$'"]).exit == .status(0)
        })
      let start = monotonicSeconds()
      program.signalGroup(SIGTERM)
      let end = Program.end(of: program, seconds: 5)
      #expect(end.exit == .status(0) && end.errors == "", "\(end)")
      #expect(monotonicSeconds() - start < 3)
    }

    @Test("by included files, relative to the including file")
    func include() throws {
      try workshop.run("mkdir -p sub/deep")
      try workshop.write(Array("Include: deep/b.txt\n".utf8), "sub/a.txt")
      try workshop.write(Array("Preamp: -6 dB\n".utf8), "sub/deep/b.txt")
      try workshop.write(Array("Preamp: -6 dB\n".utf8), "plain.txt")
      // Behind a symbolic link, .. is the folder of the target.
      try workshop.run("mkdir far; mv sub far; ln -s far/sub/deep link; ln -s far/sub sub")
      try workshop.write(Array("Include: ../a.txt\n".utf8), "far/sub/deep/up.txt")
      #expect(render("--eq link/up.txt -o c.wav").exit == .status(0))
      #expect(render("--eq link/../a.txt -o d.wav").exit == .status(0))
      #expect(try workshop.read("c.wav") == workshop.read("d.wav"))
      #expect(render("--eq sub/a.txt -o a.wav").exit == .status(0))
      #expect(render("--eq plain.txt -o b.wav").exit == .status(0))
      #expect(try workshop.read("a.wav") == workshop.read("b.wav"))
    }

    @Test("for JACK as into a file")
    func played() throws {
      try workshop.write(Array(CookbookSection.parametricFile.utf8), "eq.txt")
      #expect(render("--eq eq.txt -o out.wav").exit == .status(0))
      let expected = StereoFrames(try FloatWave(path: workshop.path("out.wav")))
      let wave = try JACKServer.with(.waiting(sampleRate: 44100, period: 512)) {
        try Recording.play(song, options: ["--eq", workshop.path("eq.txt")], on: $0)
      }
      let heard = StereoFrames(wave).withoutSilentEdges
      // The filters decay after the track's last frame.
      #expect(heard.count >= expected.withoutSilentEdges.count)
      let isSame = heard.hasPrefix(expected.withoutSilentEdges, ofFrames: .max)
      #expect(isSame)
    }
  }
}
