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
        // Nothing is left of it in the end.
        #expect(program.output.hasSuffix("\r\u{1B}[K"))
        if columns == 80 {
          #expect(lines.contains { $0.contains("0:02 / 0:04") && $0.contains("underruns 0") })
          #expect(program.output.contains("→ system:playback_1, system:playback_2"))
        }
      }
    }

    @Test("what libjack says only when asked to")
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
