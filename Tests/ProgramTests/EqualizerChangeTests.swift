// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("follows a changed equaliser file")
  struct EqualizerChanges {
    private let workshop = Workshop()

    private static func file(_ gain: Int, filters: Int = 0) -> [UInt8] {
      let lines = (0..<filters).map { "Filter: ON PK Fc \(8000 + $0) Hz Gain -1 dB Q 4" }
      return Array((["Preamp: \(gain) dB"] + lines).joined(separator: "\n").utf8)
    }

    /// Starts the program on half a minute of a tone of 1 kHz at -20 dBFS.
    private func play(_ options: [String]) throws -> TerminalProgram {
      try workshop.run("sox -n -r 48000 -c 2 -b 24 tone.wav synth 30 sine 1000 gain -20")
      let program = TerminalProgram(
        ["play", "--connect", "none"] + options + [workshop.path("tone.wav")])
      try #require(program.shows("Playing    0:0"), "\(program.output)")
      return program
    }

    /// The peak of the latest 20 ms in dBFS.
    private func decibels(_ recorder: JACKRecorder) -> Double {
      let peak = recorder.samples[0].suffix(960).map(\.magnitude).max() ?? 0
      return 20 * log10(Double(peak))
    }

    /// Runs shell commands, and expects the program to show a preamp after each.
    private func expect(_ program: TerminalProgram, _ changes: [(preamp: Int, command: String)]) {
      for (preamp, command) in changes {
        #expect(
          program.showsAnew("preamp \(preamp).0 dB") {
            do { try workshop.run(command) } catch { Issue.record(error) }
          }, "\(command): \(program.output)")
      }
    }

    @Test("in the sound")
    func sound() throws {
      try JACKServer.with { _ in
        try workshop.write(Self.file(-12), "eq.txt")
        let program = try play(["--eq", workshop.path("eq.txt")])
        defer { program.signal(SIGKILL) }
        let recorder = try JACKRecorder(["drawbar:out_1"], capacityFrames: 60 * 48000)
        defer { recorder.close() }
        #expect(eventually { abs(decibels(recorder) + 32) < 0.1 })
        try workshop.write(Self.file(-3), "eq.txt")
        #expect(eventually { abs(decibels(recorder) + 23) < 0.1 }, "\(decibels(recorder))")
        #expect(program.shows("0 filters, preamp -3.0 dB"), "\(program.output)")
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }

    @Test("that is written, replaced, linked to or included")
    func ways() throws {
      try JACKServer.with { _ in
        try workshop.run("mkdir -p sub; ln -s sub/real.txt link.txt")
        try workshop.write(Array("Include: inner.txt\n".utf8), "sub/real.txt")
        // Relative to the link's folder.
        try workshop.write(Self.file(-12), "inner.txt")
        let program = try play(["--eq", workshop.path("link.txt")])
        defer { program.signal(SIGKILL) }
        expect(
          program,
          [
            (-11, "printf 'Preamp: -11 dB' > inner.txt"),
            (-10, "printf 'Preamp: -10 dB' > new; mv new inner.txt"),
            (-9, "printf 'Preamp: -9 dB' > sub/real.txt"),
            (-8, "printf 'Preamp: -8 dB' > new; ln -s new other.txt; mv other.txt link.txt"),
            (-7, "printf 'Preamp: -7 dB' > new"),
            (-6, "rm link.txt; printf 'Preamp: -6 dB' > a; ln a link.txt"),
            (-5, "rm link.txt; printf 'Preamp: -5 dB' > b; ln -s b link.txt"),
          ])
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }

    @Test("in a folder that is replaced")
    func folder() throws {
      try JACKServer.with { _ in
        try workshop.run("mkdir one two; echo 'Preamp: -12' > one/eq.txt; ln -s one now")
        try workshop.write(Self.file(-11), "two/eq.txt")
        let program = try play(["--eq", workshop.path("now/eq.txt")])
        defer { program.signal(SIGKILL) }
        expect(
          program,
          [
            (-11, "ln -s two next; mv -T next now"), (-10, "echo 'Preamp: -10' > two/eq.txt"),
            (-9, "rm -r two; mkdir two; echo 'Preamp: -9' > two/eq.txt"),
            (-8, "mv two old; mkdir two; echo 'Preamp: -8' > two/eq.txt"),
          ])
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }

    @Test("and redesigns its filters for the rate of a server that returns")
    func rate() throws {
      var options = JACKServer.Options()
      options.sampleRate = 96_000
      try JACKServer.with(options) { first in
        var jack = first
        defer { jack.stop() }
        let text = "Preamp: -3 dB\nFilter: ON PK Fc 30000 Hz Gain 3 dB Q 1\n"
        try workshop.write(Array(text.utf8), "eq.txt")
        let program = try play(["--eq", workshop.path("eq.txt")])
        defer { program.signal(SIGKILL) }
        #expect(program.shows("1 filter, preamp -3.0 dB"), "\(program.output)")
        jack.end()
        #expect(program.showsAnew("Waiting for the JACK server") {}, "\(program.output)")
        options.sampleRate = 44_100
        jack = try JACKServer.start(options)
        #expect(program.shows("0 filters, preamp -3.0 dB"), "\(program.output)")
        #expect(
          program.shows("1 filter is left out: above half of 44100 Hz"), "\(program.output)")
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }

    @Test("and keeps the preamp when a new rate makes the file need more filters than a bank has")
    func tooMany() throws {
      var options = JACKServer.Options()
      options.sampleRate = 44_100
      try JACKServer.with(options) { first in
        var jack = first
        defer { jack.stop() }
        let high = (0..<5).map { "Filter: ON PK Fc \(25000 + $0) Hz Gain -1 dB Q 4" }
        let text = String(decoding: Self.file(-12, filters: 62), as: UTF8.self) + "\n"
        try workshop.write(Array((text + high.joined(separator: "\n")).utf8), "eq.txt")
        let program = try play(["--eq", workshop.path("eq.txt")])
        defer { program.signal(SIGKILL) }
        #expect(program.shows("62 filters, preamp -12.0 dB"), "\(program.output)")
        jack.end()
        #expect(program.showsAnew("Waiting for the JACK server") {}, "\(program.output)")
        options.sampleRate = 96_000
        jack = try JACKServer.start(options)
        #expect(program.shows("no filters, preamp -12.0 dB"), "\(program.output)")
        #expect(program.shows("Only the preamp applies at 96000 Hz."), "\(program.output)")
        let recorder = try JACKRecorder(["drawbar:out_1"], capacityFrames: 60 * 96_000)
        defer { recorder.close() }
        #expect(eventually { abs(decibels(recorder) + 32) < 0.1 }, "\(decibels(recorder))")
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }

    @Test("and keeps the old filters while the new file cannot be used")
    func broken() throws {
      try JACKServer.with { _ in
        try workshop.write(Self.file(-12, filters: 2), "eq.txt")
        let program = try play(["--eq", workshop.path("eq.txt")])
        defer { program.signal(SIGKILL) }
        #expect(program.shows("2 filters, preamp -12.0 dB"), "\(program.output)")
        func write(_ bytes: [UInt8]) {
          do { try workshop.write(bytes, "eq.txt") } catch { Issue.record(error) }
        }
        #expect(
          program.showsAnew("eq.txt:2:") { write(Array("Preamp: -3 dB\nFilter: XX\n".utf8)) },
          "\(program.output)")
        #expect(
          program.showsAnew("65 filter sections") { write(Self.file(-3, filters: 64)) },
          "\(program.output)")
        #expect(program.showsAnew("no such file") { write(Array("Include: inner\n".utf8)) })
        // Create the missing file.
        #expect(
          program.showsAnew("0 filters, preamp -4.0 dB") {
            do { try workshop.write(Self.file(-4), "inner") } catch { Issue.record(error) }
          }, "\(program.output)")
        #expect(
          program.showsAnew("63 filters, preamp -3.0 dB") { write(Self.file(-3, filters: 63)) })
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }
  }
}
