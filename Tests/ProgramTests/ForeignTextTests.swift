// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("prints text from outside")
  struct ForeignText {
    /// Escape, C1, U+0085, the separators, marks, embeddings, overrides and isolates.
    static let hostile =
      "a\u{1B}[2J\u{9B}31m\u{85}\u{2028}\u{2029}\u{202E}\u{2066}\u{200F}\u{61C}\u{7F}\rb"
    private let folder = TemporaryDirectory()
    private let short = Fixtures.path("mp3-short-44100-2.mp3")

    /// The scalars that a terminal or a line reader could take for commands.
    static func controls(in text: String) -> [String] {
      text.unicodeScalars.filter { scalar in
        switch scalar.value {
        case 0x0A: false
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x206F: true
        default: false
        }
      }.map { String($0.value, radix: 16) }
    }

    private func expectClean(
      _ result: Program.Result, exit: Int32, _ location: Testing.SourceLocation = #_sourceLocation
    ) {
      #expect(result.exit == .status(exit), "\(result)", sourceLocation: location)
      #expect(Self.controls(in: result.output) == [], sourceLocation: location)
      #expect(Self.controls(in: result.errors) == [], sourceLocation: location)
    }

    private func copy(_ file: String, to path: String) {
      #expect(Subprocess.run(["cp", file, path]).exit == .status(0))
    }

    @Test("without terminal control characters: the names of input files")
    func inputs() {
      let song = folder.file(Self.hostile + ".mp3")
      copy(short, to: song)
      let facts = Program.run(["info", "--jsonl", song])
      expectClean(facts, exit: 0)
      let reader = "import json, sys; print(json.loads(sys.argv[1])['file'] == sys.argv[2])"
      let read = Subprocess.run(["python3", "-c", reader, facts.output, song])
      #expect(read.output == "True\n", "\(facts.output)")
      expectClean(Program.run(["info", song]), exit: 0)
      let missing = folder.file(Self.hostile)
      for command in [["play"], ["info"], ["info", "--json"], ["render", "-o", "/dev/null"]] {
        expectClean(Program.run(command + [missing]), exit: 1)
      }
      let folders = folder.file(Self.hostile + "folder")
      #expect(unsafe mkdir(folders, 0o755) == 0)
      expectClean(Program.run(["info", folders]), exit: 1)
    }

    @Test("and the names of output files, and other arguments")
    func arguments() throws {
      let name = Self.hostile
      let existing = folder.file(name + ".wav")
      copy(short, to: existing)
      for path in [
        existing, "/nowhere/\(name).wav", "/nowhere/\(name).flac", folder.file("x.\(name)"),
      ] {
        expectClean(Program.run(["render", "-o", path, short]), exit: 1)
      }
      expectClean(Program.run(["info", "--picture", "/nowhere/\(name)", short]), exit: 1)
      expectClean(Program.run(["play", "--server", name, short]), exit: 1)
      expectClean(Program.run(["ports", "--server", name]), exit: 1)
      for words in [["info", "--\(name)", short], ["render", "--rate", name, short], [name]] {
        expectClean(Program.run(words), exit: 64)
      }
      try JACKServer.with { _ in
        expectClean(Program.run(["play", "--connect", name, short]), exit: 1)
      }
    }

    @Test("and tags, lists and servers' texts")
    func contents() throws {
      // A carriage return or U+0085 would end the line in ffmpeg's reader, but not in Drawbar's.
      let word = Self.hostile
      let song = folder.file("tagged.mp3")
      let made = Subprocess.run([
        "ffmpeg", "-v", "error", "-i", short, "-c", "copy", "-metadata", "title=\(word)",
        "-metadata",
        "artist=\(word)", song,
      ])
      #expect(made.exit == .status(0), "\(made.errors)")
      for option in [[], ["--json"], ["--packets"]] {
        expectClean(Program.run(["info"] + option + [song]), exit: 0)
      }
      // In a list a carriage return ends a line.
      let line = word.replacing("\r", with: "")
      try folder.write(
        "#EXTM3U\n#PLAYLIST:\(line)\n#EXTINF:1,\(line)\n\(line).mp3\n\(line)://x/\n", "l.m3u")
      try folder.write("<\u{202E}x>", "foreign.xspf")
      try folder.write(
        "<playlist version='1' xmlns='http://xspf.org/ns/0/'><trackList><track>&\u{202E};"
          + "</track></trackList></playlist>", "entity.xspf")
      for option in [[], ["--json"]] {
        for (name, status) in [("l.m3u", 0), ("foreign.xspf", 1), ("entity.xspf", 1)]
          as [(String, Int32)]
        {
          expectClean(Program.run(["info"] + option + [folder.file(name)]), exit: status)
        }
      }
      expectClean(Program.run(["render", "-o", "/dev/null", folder.file("l.m3u")]), exit: 1)
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      web.serve("/scheme", .redirect(to: "\u{202E}x://\u{9B}31m"))
      web.serve("/away", .redirect(to: "/\u{202E}none"))
      web.serve("/type", .body([0, 1, 2], type: "audio/\u{202E}\u{9B}x"))
      for path in ["/scheme", "/away", "/type", "/none?\u{202E}\u{9B}"] {
        for option in [[], ["--json"]] {
          expectClean(Program.run(["info"] + option + [web.url(path)]), exit: 1)
        }
      }
    }

    @Test("and the names of measured files")
    func measured() {
      let song = folder.file(Self.hostile + ".mp3")
      copy(short, to: song)
      let json = folder.file("runs.json")
      let result = Program.run(
        [
          "bench", "--periods", "256", "--seconds", "0.2", "--repeat", "1", "--input", song,
          "--json", json,
        ], seconds: 60)
      expectClean(result, exit: 0)
      let text = String(decoding: TestKit.contents(ofFile: json), as: UTF8.self)
      #expect(Self.controls(in: text) == [] && text.contains("\\u202e"))
      for options in [[], ["--json"]] {
        expectClean(Program.run(["bench", "compare", json, json] + options), exit: 0)
      }
    }

    /// A timing document in which every text is hostile.
    private static func timingDocument(periodFrames: Int) -> String {
      let text = hostile.unicodeScalars.map { scalar in
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
      let distribution = """
        {"p50Nanoseconds":1,"p90Nanoseconds":1,"p99Nanoseconds":1,"p999Nanoseconds":1,"p9999Nanoseconds":1,\
        "maximumNanoseconds":1,"buckets":[{"nanoseconds":1,"count":1}]}
        """
      return """
        {"formatVersion":1,"command":"\(text)","machine":{"kernel":"\(text)","system":"\(text)",\
        "processor":"\(text)","processors":2,"governor":"\(text)","preemption":"\(text)",\
        "loadAverages":[],"programVersion":"\(text)","stalls":{"scheduling":"\(text)",\
        "measuredNanoseconds":1000000000,"longestNanoseconds":1,"longer":[]}},"sustainableLoads":[],\
        "runs":[{"subject":"\(text)","conditions":{"periodFrames":\(periodFrames),"sampleRate":48000,\
        "input":"\(text)","streams":1,"load":"\(text)"},"repetition":0,"scheduling":"\(text)",\
        "cycles":1,"missedCycles":0,"xruns":0,"packets":0,"lostRecords":0,"causes":{"\(text)":1},\
        "dspLoad":0,"distributions":{"\(text)":\(distribution),"duration":\(distribution)},\
        "series":{"points":[],"marks":[]},"incidents":[]}]}
        """
    }

    @Test("and timing documents, as a table, a comparison, percentiles, pictures and a page")
    func timingDocuments() throws {
      try folder.write(Self.timingDocument(periodFrames: 64), "a.json")
      try folder.write(Self.timingDocument(periodFrames: 64), "b.json")
      try folder.write(Self.timingDocument(periodFrames: 128), "c.json")
      let (a, b, c) = (folder.file("a.json"), folder.file("b.json"), folder.file("c.json"))
      let (page, text, json) = (folder.file("p.html"), folder.file("p.hgrm"), folder.file("p.json"))
      let pictures = folder.file("svg")
      let shown = Program.run(
        [
          "bench", "show", "--html", page, "--hgrm", text, "--svg", pictures, "--json", json, a,
        ])
      expectClean(shown, exit: 0)
      #expect(shown.output.contains("64 frames"))
      let written =
        [page, text, json]
        + ["lateness", "duration", "deadline", "series-1", "histogram-1"].map {
          pictures + "/\($0).svg"
        }
      for path in written {
        let contents = String(decoding: TestKit.contents(ofFile: path), as: UTF8.self)
        #expect(!contents.isEmpty && Self.controls(in: contents) == [], "\(path)")
      }
      for options in [[], ["--json"]] {
        expectClean(Program.run(["bench", "compare", a, b] + options), exit: 0)
        expectClean(Program.run(["bench", "compare", a, c] + options), exit: 1)
      }
    }

    @Test("and equaliser files")
    func equalizers() throws {
      let line = Self.hostile.replacing("\r", with: "")
      let name = line + ".txt"
      let filter = "Filter 1: ON PK Fc 1000 Hz Gain -3 dB Q 1\n"
      try folder.write(filter, name)
      try folder.write(
        filter + "Include: \(name)\nConvolution: \(line).wav\nCopy: X=L\n", "outer.txt")
      try folder.write(filter + "\(line): \(line)\nFilter 2: ON \(line)\n", "broken.txt")
      try folder.write("Include: \(line)\n", "none.txt")
      try folder.write(
        "filters:\n  \"\(line)\":\n    type: \(line)\n", "broken.yml")
      for options in [[], ["--json"], ["--force", "--svg", folder.file("eq.svg")]] {
        for (file, status) in [
          ("outer.txt", 0), ("broken.txt", 1), ("none.txt", 1), ("broken.yml", 1), (name, 0),
        ] as [(String, Int32)] {
          expectClean(Program.run(["eq", folder.file(file)] + options), exit: status)
        }
      }
      let picture = String(
        decoding: TestKit.contents(ofFile: folder.file("eq.svg")), as: UTF8.self)
      #expect(Self.controls(in: picture) == [])
      let sound = ["render", "-o", "/dev/null", short, "--eq"]
      for file in ["outer.txt", "broken.txt", "none.txt", "broken.yml"] {
        expectClean(Program.run(sound + [folder.file(file)]), exit: 1)
      }
    }

    @Test("also on the panel and on the session bus")
    func player() throws {
      let song = folder.file("tagged.mp3")
      let made = Subprocess.run([
        "ffmpeg", "-v", "error", "-i", Endings.long, "-c", "copy", "-metadata",
        "title=\(Self.hostile)", song,
      ])
      #expect(made.exit == .status(0), "\(made.errors)")
      try JACKServer.with { _ in
        let bus = try SessionBusServer()
        let program = TerminalProgram(Endings.play + [song], with: bus.environment)
        defer { program.signal(SIGKILL) }
        #expect(program.shows("Playing    0:00"), "\(program.output)")
        // The program itself writes CR, and Escape with `[K`, `[J` or a number and `A`.
        let rest = program.output.replacing(/\u{1B}\[[0-9]*[AJK]/, with: "")
        #expect(Self.controls(in: rest).allSatisfy { $0 == "d" }, "\(rest)")
        #expect(eventually { SessionBus.metadata("xesam:title", on: bus) != nil })
        let title = SessionBus.metadata("xesam:title", on: bus) ?? ""
        #expect(Self.controls(in: title) == [] && title.hasPrefix("a") && title.hasSuffix("b"))
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }

    @Test("in lines of bounded length: a list with a line of 3 MB")
    func longLine() throws {
      let long = String(repeating: "x", count: 3_000_000)
      try folder.write("\(long)\nC:\\\(long.prefix(900_000))\n", "long.m3u")
      for command in [["info"], ["render", "-o", "/dev/null"]] {
        let result = Program.run(command + [folder.file("long.m3u")])
        #expect(result.exit == .status(1) && result.output.utf8.count < 5000)
        let lines = result.errors.split(separator: "\n")
        #expect((1...2).contains(lines.count) && lines.allSatisfy { $0.utf8.count < 1200 })
      }
      let facts = Program.run(["info", "--jsonl", folder.file("long.m3u")])
      #expect(facts.output.utf8.count < 300_000)
    }

    @Test(
      "and in a bounded number of lines: lists in lists, and a list whose tracks are all missing"
    )
    func manyLines() throws {
      let names = (0..<60).map { "l\($0).m3u" }
      for name in names {
        let others = names.joined(separator: "\n")
        try folder.write("\(others)\n" + String(repeating: "C:\\x.mp3\n", count: 50), name)
      }
      try folder.write(
        (0..<2000).map { "none\($0).mp3" }.joined(separator: "\n") + "\n\(short)\n", "missing.m3u")
      try folder.write(
        "\(short)\n" + (0..<2000).map { "none\($0).mp3" }.joined(separator: "\n") + "\n\(short)\n",
        "later.m3u")
      for (name, word) in [
        ("l0.m3u", "more"), ("missing.m3u", "1990 more"), ("later.m3u", "1990 more"),
      ] {
        let result = Program.run(["render", "-o", "/dev/null", folder.file(name)])
        #expect(result.exit == .status(1))
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 11 && lines.last?.contains(word) == true, "\(name): \(lines.count)")
      }
      let info = Program.run(["info", folder.file("l0.m3u")])
      #expect(info.errors.split(separator: "\n").count == 11)
    }
  }
}
