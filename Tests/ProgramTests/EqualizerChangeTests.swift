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

    /// Plays half a minute of a tone of 1 kHz at -20 dBFS.
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

    @Test("in the sound, at once")
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
        func expect(_ shown: String, after command: String) {
          #expect(
            program.showsAnew(shown) {
              do { try workshop.run(command) } catch { Issue.record(error) }
            }, "\(command): \(program.output)")
        }
        expect("preamp -11.0 dB", after: "printf 'Preamp: -11 dB' > inner.txt")
        expect("preamp -10.0 dB", after: "printf 'Preamp: -10 dB' > new; mv new inner.txt")
        expect("preamp -9.0 dB", after: "printf 'Preamp: -9 dB' > sub/real.txt")
        expect(
          "preamp -8.0 dB",
          after: "printf 'Preamp: -8 dB' > new; ln -s new other.txt; mv other.txt link.txt")
        expect("preamp -7.0 dB", after: "printf 'Preamp: -7 dB' > new")
        expect("preamp -6.0 dB", after: "rm link.txt; printf 'Preamp: -6 dB' > a; ln a link.txt")
        expect("preamp -5.0 dB", after: "rm link.txt; printf 'Preamp: -5 dB' > b; ln -s b link.txt")
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
        for (shown, command) in [
          ("preamp -11.0 dB", "ln -s two next; mv -T next now"),
          ("preamp -10.0 dB", "echo 'Preamp: -10' > two/eq.txt"),
          ("preamp -9.0 dB", "rm -r two; mkdir two; echo 'Preamp: -9' > two/eq.txt"),
          ("preamp -8.0 dB", "mv two old; mkdir two; echo 'Preamp: -8' > two/eq.txt"),
        ] {
          #expect(
            program.showsAnew(shown) {
              do { try workshop.run(command) } catch { Issue.record(error) }
            }, "\(command): \(program.output)")
        }
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }

    @Test("and keeps the old one while the new one cannot be used")
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
          program.showsAnew("the equaliser stays as it is") { write(Self.file(-3, filters: 64)) },
          "\(program.output)")
        #expect(program.showsAnew("no such file") { write(Array("Include: inner\n".utf8)) })
        // The file that was missing.
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
