// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("fails with one line and exit code 1")
  struct Failures {
    /// An unplayable input, and a word that the error line must contain.
    struct Input {
      var name: String
      var location: String
      var word: String
      /// Words before the program's path that drop its privileges.
      var command: [String] = []
      var program = Program.path
    }

    enum Command: String, Sendable, CaseIterable {
      case play, info, render
    }

    /// One input of each kind. The folder and the web server must outlive their use.
    static func inputs(in folder: TemporaryDirectory, _ web: LoopbackHTTPServer) -> [Input] {
      let html = Fixtures.path("not-audio.html")
      web.serve("/page", .file(html, type: "text/html"))
      web.serve("/page-as-audio", .file(html))
      web.serve("/empty", .body([]))
      let hls = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n"
      web.serve("/live.m3u8", .body(Array(hls.utf8), type: "application/vnd.apple.mpegurl"))
      let closed = LoopbackHTTPServer()
      let refused = closed.url("/stream")
      closed.stop()
      return [
        Input(name: "missing file", location: folder.file("none.mp3"), word: "no such file"),
        Input(name: "folder", location: folder.path, word: "irectory"),
        unreadable(in: folder),
        Input(name: "empty file", location: Fixtures.path("empty.mp3"), word: "empty"),
        Input(name: "JPEG", location: Fixtures.path("not-audio.jpg"), word: "JPEG"),
        Input(name: "HTML", location: html, word: "HTML"),
        Input(name: "HTML by HTTP", location: web.url("/page"), word: "HTML"),
        Input(name: "HTML as audio", location: web.url("/page-as-audio"), word: "HTML"),
        Input(name: "empty body", location: web.url("/empty"), word: "empty"),
        Input(name: "HLS", location: web.url("/live.m3u8"), word: "HLS"),
        Input(name: "404", location: web.url("/none"), word: "404"),
        Input(name: "refused", location: refused, word: "refused"),
        Input(name: "unknown host", location: "http://drawbar.invalid/a.mp3", word: "host"),
      ]
    }

    /// A file that the program's user may not read. Root may read all files, so the program then runs as the
    /// user `nobody`, if that user can reach it.
    static func unreadable(in folder: TemporaryDirectory) -> Input {
      let file = folder.file("private.mp3")
      _ = ReferenceDecoder.output(
        "cp '\(Fixtures.path("mp3-short-44100-2.mp3"))' '\(file)'; chmod 0 '\(file)'")
      var input = Input(name: "unreadable file", location: file, word: "no permission")
      if getuid() == 0 {
        let program = folder.file("drawbar")
        _ = ReferenceDecoder.output(
          "cp '\(Program.path)' '\(program)'; chmod 755 '\(folder.path)' '\(program)'")
        input.command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        input.program = program
      }
      return input
    }

    static func expectOneLine(
      _ result: Program.Result, _ what: String, word: String = "", by program: String = "drawbar",
      on location: SourceLocation
    ) {
      #expect(result.exit == .status(1), "\(what): \(result.errors)", sourceLocation: location)
      #expect(
        result.errors.hasPrefix("\(program): ") && result.errors.hasSuffix("\n")
          && result.errors.split(separator: "\n", omittingEmptySubsequences: false).count == 2,
        "\(what): \(result.errors)", sourceLocation: location)
      #expect(result.errors.contains(word), "\(what)", sourceLocation: location)
      #expect(result.seconds < 5, "\(what)", sourceLocation: location)
      #expect(!result.hasLeftSomething, "\(what)", sourceLocation: location)
    }

    @Test("for every unplayable input", arguments: Command.allCases)
    func inputs(_ command: Command) throws {
      let folder = TemporaryDirectory()
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      let output = folder.file("out.wav")
      let arguments =
        switch command {
        case .play: ["play", "--connect", "none"]
        case .info: ["info"]
        case .render: ["render", "-o", output]
        }
      try JACKServer.with { jack in
        for input in Self.inputs(in: folder, web) {
          let result = Program.run(
            arguments + [input.location], by: input.command, program: input.program)
          Self.expectOneLine(result, input.name, word: input.word, on: #_sourceLocation)
          #expect(result.output == "", "\(input.name)")
          // render creates no file.
          #expect(unsafe access(output, F_OK) != 0, "\(input.name)")
        }
        let left = try jack.ports().map(\.name).filter { !$0.hasPrefix("system:") }
        #expect(left == [])
      }
    }

    @Test("and one JSON object with the error, with info --json")
    func json() throws {
      let folder = TemporaryDirectory()
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      for input in Self.inputs(in: folder, web) {
        let result = Program.run(
          ["info", "--json", input.location], by: input.command, program: input.program)
        #expect(result.exit == .status(1), "\(input.name)")
        #expect(result.errors == "", "\(input.name)")
        #expect(result.seconds < 5, "\(input.name)")
        let error = try JSONLine.string("error", in: result.output)
        #expect(error?.contains(input.word) == true, "\(input.name): \(result.output)")
      }
    }

    @Test("for an argument that is not UTF-8; standard input works", arguments: Command.allCases)
    func otherText(_ command: Command) {
      let folder = TemporaryDirectory()
      let words =
        switch command {
        case .play: "play"
        case .info: "info"
        case .render: "render -o out.wav"
        }
      let script = """
        cd '\(folder.path)'; name=$(printf 'b\\377.mp3'); ulimit -f 20000
        cp '\(Fixtures.path("mp3-short-44100-2.mp3"))' "$name"
        """
      func run(_ words: String) -> Program.Result {
        Program.run([], by: ["bash", "-c", "\(script); exec \"$0\" \(words)"])
      }
      let result = run("\(words) \"$name\"")
      Self.expectOneLine(
        result, words, word: "'b\u{FFFD}.mp3' is not UTF-8", on: #_sourceLocation)
      if command == .play { return }
      let piped = run("\(words) - < \"$name\"")
      #expect(piped.exit == .status(0) && piped.errors == "")
    }

    @Test("when a later track cannot be played, and plays the others")
    func laterTrack() throws {
      let folder = TemporaryDirectory()
      let path = folder.file("out.wav")
      let short = Fixtures.path("mp3-short-44100-2.mp3")
      let result = Program.run(["render", "-o", path, short, folder.file("none.mp3"), short])
      Self.expectOneLine(result, "render", word: "none.mp3", on: #_sourceLocation)
      let frames = StereoFrames(interleaved: ReferenceDecoder.mpg123(short)).count
      let rendered = try FloatWave(path: path).frameCount
      #expect(rendered == 2 * frames)
    }

    @Test("when no JACK server of the name runs")
    func noServer() {
      let result = Program.run(
        ["play", "--server", "drawbar-no-such", Fixtures.path("mp3-short-44100-2.mp3")])
      Self.expectOneLine(result, "play", word: "drawbar-no-such", on: #_sourceLocation)
      #expect(result.output == "")
    }

    @Test("when render cannot write its file")
    func unwritable() {
      let result = Program.run(
        ["render", "-o", "/nowhere/out.wav", Fixtures.path("mp3-short-44100-2.mp3")])
      Self.expectOneLine(result, "render", word: "/nowhere/out.wav", on: #_sourceLocation)
    }

    @Test("when no port to connect to has the given name")
    func noPort() throws {
      try JACKServer.with { _ in
        let result = Program.run(
          ["play", "--connect", "nobody:in_1", Fixtures.path("mp3-short-44100-2.mp3")])
        Self.expectOneLine(result, "play", word: "nobody:in_1", on: #_sourceLocation)
      }
    }

    @Test(
      "or, for wrong usage, with exit code 64",
      arguments: [
        ["play"], ["info"], ["render", "a.mp3"], ["render", "-o", "b.wav"], ["sing", "a.mp3"],
        ["play", "--ports", "0", "a.mp3"], ["play", "--volume", "-1", "a.mp3"],
        ["play", "--buffer", "61", "a.mp3"], ["play", "--no-such", "a.mp3"],
        ["play", "--spool", "dir", "--no-spool", "a.mp3"], ["play", "--spool", "", "a.mp3"],
        ["play", "--spool-size", "0", "a.mp3"],
        ["render", "--period", "8193", "-o", "b.wav", "a.mp3"],
        ["render", "--rate", "1", "-o", "b.wav", "a.mp3"], ["info", "--slice", "0", "a.mp3"],
        ["info", "--picture", "-", "a.mp3"],
        ["info", "--picture", "b.jpg", "a.mp3", "b.mp3"],
        ["bench", "--load", ""], ["bench", "--load", ","], ["bench", "--periods", ""],
        ["bench", "--periods", ","],
      ])
    func usage(_ arguments: [String]) {
      let result = Program.run(arguments)
      #expect(result.exit == .status(64))
      #expect(result.output == "")
      #expect(result.errors.contains("Usage: drawbar"))
    }
  }
}
