// SPDX-License-Identifier: MIT

import TestKit
import Testing

extension ProgramTests {
  /// Files whose index lies behind their audio, which need a source that can be repositioned.
  @Suite("describes a file with its index at the end")
  struct IndexInformation {
    private let folder = TemporaryDirectory()

    /// The same sound with `moov` behind `mdat`, which is ffmpeg's default, and before it.
    private func files() -> (last: String, first: String) {
      let (last, first) = (folder.file("last.m4a"), folder.file("first.m4a"))
      let wave = Fixtures.path("gapless-1.wav")
      _ = ReferenceDecoder.output(
        "ffmpeg -v error -i '\(wave)' -c:a aac -b:a 320k '\(last)'"
          + " && ffmpeg -v error -i '\(last)' -c copy -movflags faststart '\(first)'")
      return (last, first)
    }

    private func value(_ name: String, _ result: Program.Result) throws -> String? {
      try JSONLine.members(of: result.output).first { $0.name == name }?.value
    }

    @Test(
      "like one with its index first, from a file and from a server with ranges")
    func ranges() throws {
      let (last, first) = files()
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      web.serve("/last.m4a", .file(last, type: "audio/mp4", ranges: .honoured))
      let expected = Program.run(["info", "--json", first])
      #expect(expected.exit == .status(0))
      for location in [last, web.url("/last.m4a")] {
        for slice in ["100000", "7"] {
          let result = Program.run(["info", "--json", "--slice", slice, location])
          #expect(result.exit == .status(0), "\(result.output)")
          for name in ["packetCount", "audioDataByteCount", "primingFrames", "error"] {
            #expect(try value(name, result) == value(name, expected), "\(location) \(name)")
          }
        }
        let head = Program.run(["info", location])
        #expect(head.exit == .status(0) && head.output.contains("AAC ('aac ')"))
      }
      // Each of the three runs requests the start, the index and the audio.
      #expect(web.requests.count <= 9)
    }

    @Test("with the reason why it cannot be played, from a server without ranges and from a pipe")
    func withoutRanges() throws {
      let (last, _) = files()
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      var plan = ResponsePlan.file(last, type: "audio/mp4")
      plan.fields.append(("Accept-Ranges", "none"))
      web.serve("/last.m4a", plan)
      let http = Program.run(["info", web.url("/last.m4a")])
      Failures.expectOneLine(http, "HTTP", word: "'optm'", on: #_sourceLocation)
      let pipe = Program.run(
        [], by: ["sh", "-c", "cat '\(last)' | \"$0\" info -"])
      Failures.expectOneLine(pipe, "pipe", word: "'optm'", on: #_sourceLocation)
    }
  }
}
