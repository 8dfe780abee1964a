// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("applies the command line's filters")
  struct Filters {
    private let workshop = Workshop()
    private let song = Fixtures.path("gapless-1.mp3")

    private func render(_ words: String, to name: String) throws -> [UInt8] {
      let result = workshop.program("render \(words) --force -o \(name) '\(song)'")
      #expect(result.exit == .status(0) && result.errors == "", "\(result)")
      return try workshop.read(name)
    }

    @Test("as a file with the same lines would, in their order and behind the file's filters")
    func lines() throws {
      let lines = [
        "LSC Fc 105 Hz Gain 6 dB Q 0.7", "PK Fc 2000 Hz Gain -4.5 dB Q 1.41", "HP Fc 30 Hz",
        "IIR Order 2 Coefficients 1 0.1 0 1 -0.1 0",
      ]
      try workshop.write(
        Array(lines.map { "Filter: ON \($0)\n" }.joined().utf8), "all.txt")
      try workshop.write(Array("Filter: ON \(lines[0])\n".utf8), "first.txt")
      let options = lines.map { "--filter '\($0)'" }
      let whole = try render("--eq all.txt --preamp -7", to: "whole.wav")
      let alone = try render(options.joined(separator: " ") + " --preamp -7", to: "alone.wav")
      let mixed = try render(
        "--eq first.txt --preamp -7 \(options.dropFirst().joined(separator: " "))", to: "mixed.wav")
      #expect(alone == whole && mixed == whole)
    }

    @Test("with an automatic preamp, unless the command line sets one")
    func preamp() throws {
      try workshop.write(Array("Filter: ON PK Fc 1000 Hz Gain 6 dB Q 1\n".utf8), "eq.txt")
      let file = try render("--eq eq.txt", to: "file.wav")
      #expect(try render("--filter 'PK Fc 1000 Hz Gain 6 dB Q 1'", to: "option.wav") == file)
      let given = try render("--filter 'PK Fc 1000 Hz Gain 6 dB Q 1' --preamp 0", to: "given.wav")
      #expect(given != file)
    }

    @Test("or reports what it does not understand, and writes nothing")
    func errors() throws {
      for (argument, words) in [
        ("XX Fc 100 Hz", ["XX is not known"]), ("PK Fc 100 Hz Gain x", ["--filter"]),
        ("", ["--filter"]), ("None", ["give one filter"]),
        ("PK Fc 100 Hz Gain 3 dB Q 1\nPreamp: 3 dB", ["give one filter"]),
      ] {
        for command in ["render -o out.wav", "play", "eq"] {
          let result = workshop.program("\(command) --filter '\(argument)' '\(song)'")
          #expect(result.exit == .status(64), "\(result)")
          #expect(words.allSatisfy { result.errors.contains($0) }, "\(result)")
        }
      }
      #expect(workshop.program("render --preamp 3 -o out.wav '\(song)'").exit == .status(64))
      #expect(workshop.program("eq").exit == .status(64))
      let beyond = workshop.program(
        "render --filter 'PK Fc 30000 Hz Gain 3 dB Q 1' --preamp 0 -o out.wav '\(song)'")
      #expect(
        beyond.exit == .status(0)
          && beyond.errors.contains("warning: --filter: 1 filter is left out"))
    }

    @Test("and shows them with and without a file")
    func shown() throws {
      try workshop.write(Array("Filter: ON PK Fc 1000 Hz Gain 6 dB Q 1\n".utf8), "eq.txt")
      let both = workshop.program("eq --filter 'HP Fc 30 Hz' eq.txt")
      #expect(both.exit == .status(0) && both.errors == "", "\(both)")
      #expect(both.output.contains("eq.txt") && both.output.contains("--filter:1"))
      let alone = workshop.program("eq --json --filter 'HP Fc 30 Hz' --filter 'LP Fc 5000 Hz'")
      #expect(alone.exit == .status(0) && alone.errors == "", "\(alone)")
      #expect(alone.output.contains("\"file\": null") && alone.output.contains("\"line\": 2"))
    }

    @Test("also after a change of the file")
    func changes() throws {
      try workshop.run("sox -n -r 48000 -c 2 -b 24 tone.wav synth 30 sine 1000 gain -20")
      try workshop.write(Array("Preamp: -3 dB\n".utf8), "eq.txt")
      try JACKServer.with { _ in
        let program = TerminalProgram([
          "play", "--connect", "none", "--eq", workshop.path("eq.txt"), "--filter", "HP Fc 30 Hz",
          workshop.path("tone.wav"),
        ])
        defer { program.signal(SIGKILL) }
        #expect(program.shows("1 filter, preamp -3.0 dB"), "\(program.output)")
        try workshop.write(Array("Preamp: -4 dB\n".utf8), "eq.txt")
        #expect(program.shows("1 filter, preamp -4.0 dB"), "\(program.output)")
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }
  }
}
