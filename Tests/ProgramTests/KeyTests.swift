// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("takes keys")
  struct Keys {
    /// Twelve seconds of sound.
    private static let song = Fixtures.path("mp3-vbr2-44100-2.mp3")

    /// A shell with job control on a terminal, and the words that start the player in it.
    private static func shell() -> TerminalProgram {
      let options = ["--norc", "--noprofile", "-i"]
      return TerminalProgram(options, program: "/bin/bash", with: ["PS1": "ready> "])
    }

    private static let play = "'\(Program.path)' play --buffer 0.2 --volume 0 '\(song)' '\(song)'"

    @Test("and leaves them to the shell in the background, where SIGTERM ends it")
    func background() throws {
      try JACKServer.with { _ in
        let shell = Self.shell()
        defer { shell.signal(SIGKILL) }
        shell.type(Self.play + "\n")
        #expect(shell.shows("Playing    0:01"), "\(shell.output)")
        #expect(shell.showsAnew("[1]+") { shell.type("\u{1A}") })
        // Playback continues, and the shell receives and echoes what is typed.
        #expect(shell.showsAnew("Playing    0:0") { shell.type("bg\n") }, "\(shell.output)")
        #expect(shell.showsAnew("it is 42\r\n") { shell.type("q= m=; echo it is $((6 * 7))\n") })
        #expect(shell.showsAnew("Playing    0:0") {}, "\(shell.output)")
        #expect(
          shell.showsAnew("ended 0\r\n") { shell.type("kill %1; wait %1; echo ended $?\n") },
          "\(shell.output)")
        shell.type("exit\n")
        #expect(shell.end().exit == .status(0))
      }
    }

    @Test("when it comes to the foreground, and leaves the terminal as it was")
    func foreground() throws {
      try JACKServer.with { _ in
        let shell = Self.shell()
        defer { shell.signal(SIGKILL) }
        shell.type(Self.play + " &\n")
        #expect(shell.shows("Playing    0:01"), "\(shell.output)")
        shell.type("fg\n")
        #expect(eventually { shell.localModes & tcflag_t(ICANON | ECHO) == 0 })
        #expect(shell.showsAnew("Paused     0:0") { shell.type(" ") }, "\(shell.output)")
        #expect(shell.showsAnew("ready> ") { shell.type("q") }, "\(shell.output)")
        #expect(shell.showsAnew("ended 0\r\n") { shell.type("echo ended $?; stty -a\n") })
        #expect(shell.shows(" icanon") && shell.shows(" echo "), "\(shell.output)")
        shell.type("exit\n")
        #expect(shell.end().exit == .status(0))
      }
    }

    @Test(
      "and counts each of several that are pressed at once",
      arguments: [("]", "Forward"), ("[", "Rewind")])
    func quickly(key: String, shown: String) throws {
      try JACKServer.with { _ in
        let program = TerminalProgram([
          "play", "--buffer", "0.2", "--volume", "0", "--start", "10", Self.song,
        ])
        defer { program.signal(SIGKILL) }
        #expect(program.shows("Playing    0:10"), "\(program.output)")
        // 4 times the speed, then 8 times.
        #expect(program.showsAnew("\(shown) 8×") { program.type(key + key) }, "\(program.output)")
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }

    @Test("and discards Escape when another sequence begins")
    func escape() throws {
      try JACKServer.with { _ in
        let program = TerminalProgram(["play", "--buffer", "0.2", "--volume", "0", Self.song])
        #expect(program.shows("Playing    0:00"), "\(program.output)")
        #expect(program.showsAnew("Paused     0:0") { program.type(" ") })
        // Escape, then the right arrow, which seeks five seconds ahead.
        #expect(
          program.showsAnew("Paused     0:05") { program.type("\u{1B}\u{1B}[C") }
            || program.output.contains("Paused     0:06"), "\(program.output)")
        // An incomplete sequence, then Home.
        #expect(
          program.showsAnew("Paused     0:00") { program.type("\u{1B}[\u{1B}[H") },
          "\(program.output)")
        #expect(!program.output.contains("Rewind"))
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }
  }
}
