// SPDX-License-Identifier: MIT

import TestKit
import Testing

extension ProgramTests {
  @Suite("writes to standard output")
  struct StandardOutputs {
    private let workshop: Workshop

    init() throws {
      workshop = Workshop()
      try workshop.run("cp '\(Fixtures.path("gapless-1.mp3"))' song.mp3")
    }

    /// Runs a shell command in the folder, with `drawbar` as the program.
    private func run(_ words: String) -> Program.Result {
      Program.run(
        [],
        by: [
          "bash", "-c",
          """
          cd '\(workshop.path)'; ulimit -S -f 20000; program=$0
          drawbar() { "$program" "$@"; }
          \(words)
          """,
        ])
    }

    @Test("a rendering appended to the present bytes, with unknown sizes")
    func renderedBehind() throws {
      let result = run(
        """
        echo before > log
        drawbar render -o - song.mp3 >> log && drawbar render -o out.wav song.mp3
        """)
      #expect(result.exit == .status(0) && result.errors == "", "\(result.errors)")
      let (log, file) = (try workshop.read("log"), try workshop.read("out.wav"))
      #expect(log.starts(with: Array("before\n".utf8)))
      let wave = Array(log.dropFirst(7))
      #expect(wave.count == file.count)
      // The size fields: of RIFF, of the decoded sound (fact) and of the data.
      let isSize = { (byte: Int) in 4..<8 ~= byte || 82..<86 ~= byte || 90..<94 ~= byte }
      #expect(zip(wave, file).enumerated().allSatisfy { isSize($0) || $1.0 == $1.1 })
      for field in [4..<8, 90..<94] where field.upperBound <= wave.count {
        #expect(wave[field].allSatisfy { $0 == 0xFF })
      }
    }

    @Test("a rendering into a socket")
    func renderedIntoSocket() throws {
      let result = run(
        """
        python3 -c '
        import socket, subprocess, sys, threading
        ours, theirs = socket.socketpair()
        child = subprocess.Popen([sys.argv[1], "render", "-o", "-", "song.mp3"], stdout=theirs)
        theirs.close()
        count = 0
        while piece := ours.recv(65536): count += len(piece)
        print(child.wait(), count > 500000)
        ' "$program"
        """)
      #expect(result.output == "0 True\n" && result.errors == "")
    }

    @Test("and reports if it is closed, and reuses its descriptor for no opened file")
    func closed() throws {
      let before = try workshop.read("song.mp3")
      for command in ["render -o -", "info", "info --json"] {
        let result = run("drawbar \(command) song.mp3 >&-")
        Failures.expectOneLine(
          result, command, word: "cannot write standard output: Bad file descriptor",
          on: #_sourceLocation)
      }
      #expect(try workshop.read("song.mp3") == before)
    }

    @Test("and reports a failed write")
    func full() throws {
      let bench = run(
        """
        # What a server shares with its clients are files, too.
        ulimit -S -f unlimited
        drawbar bench --periods 1024 --seconds 0.2 --repeat 1 --json run.json > /dev/full
        """)
      let line = "drawbar: cannot write standard output: disk full\n"
      #expect(bench.exit == .status(1) && bench.errors == line, "\(bench.errors)")
      for command in [
        "info song.mp3", "info --json song.mp3 song.mp3", "info --packets song.mp3",
        "info list.m3u", "bench show run.json", "bench compare run.json run.json",
        "render -o - song.mp3",
      ] {
        let result = run("echo song.mp3 > list.m3u; drawbar \(command) > /dev/full")
        Failures.expectOneLine(
          result, command, word: "cannot write standard output: disk full",
          on: #_sourceLocation)
      }
    }

    @Test("the graph, and reports a failed write")
    func graph() throws {
      try JACKServer.with { _ in
        for command in [
          "ports", "ports --json", "ports --watch",
          "ports connect system:capture_1 system:playback_1",
          "monitor --json --from none --to none",
        ] {
          Failures.expectOneLine(
            run("drawbar \(command) > /dev/full"), command,
            word: "cannot write standard output: disk full", on: #_sourceLocation)
        }
      }
    }

    @Test("and reports nothing when its reader has closed it")
    func unread() {
      let result = run("drawbar info --packets song.mp3 | head -n 1; echo ${PIPESTATUS[0]}")
      #expect(result.errors == "" && result.output.hasPrefix("File"))
    }
  }
}
