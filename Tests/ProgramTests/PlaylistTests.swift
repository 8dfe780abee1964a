// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("with a playlist")
  struct Playlists {
    let folder = TemporaryDirectory()
    let short = Fixtures.path("mp3-short-44100-2.mp3")

    func write(_ name: String, _ text: String) -> String {
      let path = folder.file(name)
      let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
      defer { close(descriptor) }
      let bytes = Array(text.utf8)
      #expect(unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
      return path
    }

    func render(_ locations: [String]) -> (result: Program.Result, samples: [UInt8]) {
      let output = folder.file("out.wav")
      unsafe unlink(output)
      let result = Program.run(["render", "-o", output] + locations)
      return (result, contents(ofFile: output))
    }

    @Test("renders its tracks' sound, from a file and from a server")
    func render() throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      web.serve("/music/short.mp3", .file(short))
      let expected = render([short, short]).samples
      #expect(!expected.isEmpty)
      let local = write("l.m3u", "#EXTM3U\r\n#EXTINF:1,One\r\n\(short)\r\nfile://\(short)\r\n")
      web.serve(
        "/lists/radio",
        .body(
          Array("[playlist]\nFile1=../music/short.mp3\nFile2=/music/short.mp3".utf8),
          type: "audio/x-scpls"))
      for location in [local, web.url("/lists/radio")] {
        let (result, samples) = render([location])
        #expect(result.exit == .status(0) && result.errors == "", "\(result)")
        #expect(samples == expected)
      }
    }

    @Test("continues after missing entries, reports each in a line, and exits with 1")
    func failures() throws {
      let closed = LoopbackHTTPServer()
      let dead = closed.url("/dead.mp3")
      closed.stop()
      let list = write(
        "l.m3u", "\(dead)\nC:\\x.mp3\nnone.mp3\n\(short)\n\(dead)\nnone.m3u\n\(short)\n")
      let (result, samples) = render([list])
      #expect(result.exit == .status(1))
      #expect(samples == render([short, short]).samples)
      let lines = result.errors.split(separator: "\n")
      #expect(
        lines.count == 5 && lines.allSatisfy { $0.hasPrefix("drawbar: ") }, "\(result.errors)")
      for word in ["line 2: C:\\x.mp3", "none.mp3", "none.m3u", "refused"] {
        #expect(result.errors.contains(word), "\(word)")
      }
    }

    @Test("that cannot be used reports it in one line")
    func refusals() throws {
      let cases = [
        ("hls.m3u8", "#EXTM3U\n#EXT-X-VERSION:3\n", "HLS"),
        ("e.m3u", "#EXTM3U\n", "without entries"),
        ("x.xspf", "<playlist>", "XML"),
      ]
      for (name, text, word) in cases {
        let path = write(name, text)
        for command in [["info"], ["render", "-o", folder.file("out.wav")]] {
          let result = Program.run(command + [path])
          Failures.expectOneLine(result, name, word: word, on: #_sourceLocation)
          #expect(result.errors.contains(path))
        }
      }
    }

    @Test("lists its entries with info, and opens none of them")
    func info() throws {
      let list = write(
        "l.m3u",
        "#EXTM3U\n#PLAYLIST:Evening\n#EXTINF:65,A - B\nnone.mp3\nhttp://u:secret@drawbar.invalid/x\n"
      )
      let text = Program.run(["info", list])
      #expect(text.exit == .status(0) && text.errors == "", "\(text)")
      #expect(
        text.output == """
          File      \(list)
          Playlist  M3U, 2 entries
          Title     Evening
             1      1:05  \(folder.file("none.mp3"))  A - B
             2         -  http://drawbar.invalid/x

          """)
      let json = Program.run(["info", "--jsonl", list])
      #expect(json.exit == .status(0))
      #expect(
        json.output.hasPrefix("{\"file\":\"\(list)\",\"playlist\":\"m3u\",\"title\":\"Evening\","))
      #expect(json.output.contains("\"durationSeconds\":65.0") && !json.output.contains("secret"))
      #expect(json.output.hasSuffix("\"error\":null}\n"))
    }

    @Test("plays to JACK, and ends while its server is silent")
    func play() throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      web.serve("/silent.pls", .silence)
      let list = write("l.m3u", "none.mp3\n\(short)\n\(short)\n")
      try JACKServer.with { _ in
        let program = TerminalProgram(["play", "--connect", "none", "--buffer", "0.2", list])
        #expect(program.shows("[2/2]"), "\(program.output)")
        #expect(program.end().exit == .status(1))
        #expect(program.output.contains("none.mp3"))
        let silent = Program.start(["play", "--connect", "none", web.url("/silent.pls")])
        #expect(eventually { web.requests.count == 1 })
        silent.signalGroup(SIGTERM)
        let result = Program.end(of: silent, seconds: 5)
        #expect(result.exit == .status(0) && result.seconds < 1, "\(result)")
      }
    }
  }
}
