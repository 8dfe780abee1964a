// SPDX-License-Identifier: MIT

import TestKit
import Testing

extension ProgramTests {
  @Suite("prints")
  struct Information {
    static let names = [
      "file", "format", "dataFormat", "sampleRate", "channels", "bitsPerChannel",
      "framesPerPacket", "dataOffset", "audioDataByteCount", "packetCount", "packetsSHA", "bitRate",
      "durationSeconds", "durationSource", "primingFrames", "remainderFrames", "validFrames",
      "seekable", "tags", "pictures", "decoder", "decodedIn",
      "lossCount", "lostSeconds", "losses", "error",
    ]

    @Test("a path as it is, whatever characters it has")
    func path() throws {
      let folder = TemporaryDirectory()
      let song = folder.file("a\n\u{85}\"\\\t\u{7F}.mp3")
      let list = folder.file("a\nlist.m3u")
      let result = Subprocess.run(["cp", Fixtures.path("gapless-1.mp3"), song])
      #expect(result.exit == .status(0))
      try folder.write("b.mp3\n", "a\nlist.m3u")
      for path in [song, list] {
        let facts = Program.run(["info", "--jsonl", path])
        let reader = "import json, sys; print(json.loads(sys.argv[1])['file'] == sys.argv[2])"
        let read = Subprocess.run(["python3", "-c", reader, facts.output, path])
        #expect(read.output == "True\n", "\(facts.output)")
      }
    }

    @Test("an MP3's facts as one JSON object, the same each time")
    func mpeg() throws {
      let path = Fixtures.path("gapless-1.mp3")
      let result = Program.run(["info", "--json", path])
      #expect(result.exit == .status(0) && result.errors == "")
      #expect(Program.run(["info", "--json", path]).output == result.output)
      let members = try JSONLine.members(of: result.output)
      #expect(members.map(\.name) == Self.names)
      let values = Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) })
      let frames = ReferenceDecoder.mpg123(path).count / 2
      #expect(values["file"] == "\"\(path)\"")
      #expect(values["dataFormat"] == "\".mp3\"")
      #expect(values["sampleRate"] == "44100.0" && values["channels"] == "2")
      #expect(values["bitRate"] == "256000" && values["framesPerPacket"] == "1152")
      #expect(values["error"] == "null" && values["bitsPerChannel"] == "null")
      let seconds = try #require(Double(values["durationSeconds"] ?? ""))
      #expect(abs(seconds - Double(frames) / 44100) < 1e-6)
      let edges = [values["primingFrames"], values["remainderFrames"]].compactMap { Int($0 ?? "") }
      let packets = try #require(Int(values["packetCount"] ?? ""))
      #expect(edges.count == 2 && frames + edges.reduce(0, +) == packets * 1152)
      #expect(values["validFrames"] == "\(frames)" && values["durationSource"] == "\"packetTable\"")
      #expect(values["seekable"] == "true")
      #expect(values["tags"] == "{}" && values["pictures"] == "[]")
      #expect(values["decoder"] == "\"libmpg123\"" && values["decodedIn"] == "\"callback\"")
    }

    @Test("a WAVE file's facts, also over HTTP and as text")
    func wave() throws {
      let path = Fixtures.path("wav-s24-48000-1.wav")
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      web.serve("/tone.wav", .file(path, type: "audio/wav", ranges: .honoured))
      let file = try JSONLine.members(of: Program.run(["info", "--json", path]).output)
      let http = try JSONLine.members(
        of: Program.run(["info", "--json", web.url("/tone.wav")]).output)
      #expect(file.map(\.name) == Self.names)
      #expect(file.dropFirst().map(\.value) == http.dropFirst().map(\.value))
      #expect(http.first?.value == "\"\(web.url("/tone.wav"))\"")
      let text = Program.run(["info", path])
      #expect(text.exit == .status(0) && text.errors == "")
      #expect(text.output.contains("24-bit signed integer") && text.output.contains("48000 Hz"))
      #expect(text.output.contains("Channels   1 (mono)\n"))
      let surround = Program.run(["info", Fixtures.path("wav-ext-s24-96000-6.wav")])
      #expect(surround.output.contains("Channels   6 (L R C LFE Ls Rs)\n"))
    }

    @Test("its version, alone on standard output")
    func version() {
      let result = Program.run(["--version"])
      #expect(result.exit == .status(0) && result.errors == "")
      #expect(result.output.hasPrefix("drawbar ") && result.output.hasSuffix("\n"))
      #expect(result.output.split(separator: "\n").count == 1)
    }

    @Test(
      "its usage, in 80 columns",
      arguments: [
        "", "play", "info", "render", "eq", "monitor", "latency", "ports", "bench", "bench run",
        "bench show", "bench compare",
      ])
    func help(_ command: String) {
      let words = command.split(separator: " ").map(String.init)
      let result = Program.run(words + ["--help"])
      #expect(result.exit == .status(0) && result.errors == "")
      #expect(result.output.contains("USAGE: drawbar"))
      #expect(result.output.contains("OVERVIEW: "))
      // Each option has a description.
      for line in result.output.split(separator: "\n") {
        #expect(line.count <= 80, "\(line)")
        guard line.hasPrefix("  -") else { continue }
        #expect(line.split(separator: "  ").count >= 2 || line.count > 24, "\(line)")
      }
      #expect(Program.run(["help"] + words).output == result.output)
    }
  }
}
