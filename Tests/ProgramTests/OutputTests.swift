// SPDX-License-Identifier: MIT

import TestKit
import Testing

extension ProgramTests {
  @Suite("writes")
  struct Output {
    @Test("nothing at all into a pipe when all goes well")
    func quiet() throws {
      try JACKServer.with { _ in
        let result = Program.run(
          ["play", "--buffer", "0.2"]
            + ["short-44100-2", "short-44100-2"].map {
              Fixtures.path("mp3-\($0).mp3")
            })
        #expect(result.exit == .status(0))
        #expect(result.output == "" && result.errors == "")
      }
    }

    @Test("a status line that fits the terminal", arguments: [80, 40, 20] as [UInt16])
    func statusLine(columns: UInt16) throws {
      try JACKServer.with { _ in
        let program = TerminalProgram(
          ["play", "--buffer", "0.2", "--volume", "0", Fixtures.path("gapless-1.mp3")],
          columns: columns)
        #expect(program.shows("Playing    0:02"), "\(program.output)")
        program.type("q")
        let end = program.end()
        #expect(end.exit == .status(0))
        let states = ["Opening", "Buffering", "Playing", "Paused", "Stopped"]
        let lines = program.shownLines.filter { line in states.contains { line.hasPrefix($0) } }
        #expect(lines.count > 10)
        #expect(lines.allSatisfy { $0.count < Int(columns) })
        // The status line is erased at the end.
        #expect(program.output.hasSuffix("\u{1B}[J"))
        if columns == 80 {
          #expect(lines.contains { $0.contains("0:02 / 0:04") && $0.contains("underruns 0") })
          #expect(program.output.contains("→ system:playback_1, system:playback_2"))
        }
      }
    }

    @Test("title, progress and meters above it, if they fit")
    func panel() throws {
      let folder = TemporaryDirectory()
      let path = folder.file("song.mp3")
      _ = ReferenceDecoder.output(
        "ffmpeg -nostdin -v error -i '\(Fixtures.path("gapless.wav"))' -metadata artist=Someone "
          + "-metadata title=\"$(printf 'A\\033[31m red title')\" '\(path)'")
      try JACKServer.with { _ in
        let program = TerminalProgram(["play", "--buffer", "0.2", "--volume", "0", path])
        #expect(program.shows("Playing    0:02"), "\(program.output)")
        program.type("q")
        #expect(program.end().exit == .status(0))
        let lines = program.shownLines
        // Terminal control characters are escaped.
        #expect(lines.contains(#"Someone — A\u{1b}[31m red title"#))
        #expect(lines.contains { $0.hasPrefix("[█") && $0.contains("▒") && $0.count == 79 })
        #expect(lines.contains { $0.hasPrefix("L [") && $0.contains("-inf dB") })
        #expect(lines.contains { $0.contains("44100 Hz, 2 channels, 128 kbit/s") })
        let panel = lines.filter { !$0.contains(path) && !$0.hasPrefix("JACK") }
        #expect(panel.count > 20 && panel.allSatisfy { $0.count < 80 })
      }
    }

    @Test("one line without escape sequences on a dumb terminal")
    func dumbTerminal() throws {
      try JACKServer.with { _ in
        let program = TerminalProgram(
          ["play", "--buffer", "0.2", "--volume", "0", Fixtures.path("gapless-1.mp3")], kind: "dumb"
        )
        #expect(program.shows("Playing    0:02"), "\(program.output)")
        program.type("q")
        #expect(program.end().exit == .status(0))
        #expect(!program.output.contains("\u{1B}"))
      }
    }

    @Test("libjack's messages only when asked to")
    func verbose() {
      let file = Fixtures.path("mp3-short-44100-2.mp3")
      let arguments = ["play", "--server", "drawbar-no-such", file]
      #expect(Program.run(arguments).errors.split(separator: "\n").count == 1)
      let verbose = Program.run(arguments + ["--verbose"]).errors.split(separator: "\n")
      #expect(verbose.count > 1)
      #expect(verbose.last?.hasPrefix("drawbar: ") == true)
    }
  }
}
