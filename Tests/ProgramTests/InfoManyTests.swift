// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  /// `info` with several files, with pipes and with servers, and its list of packets.
  @Suite("describes several files and any source")
  struct ManyInformation {
    private static let short = Fixtures.path("mp3-short-44100-2.mp3")
    private static let tone = Fixtures.path("wav-s24-48000-1.wav")

    /// The members of one line of `info --jsonl`, as texts.
    private func members(_ line: Substring) throws -> [String: String] {
      let text = try JSONLine.reformatted(String(line))
      return Dictionary(uniqueKeysWithValues: try JSONLine.members(of: text).map { ($0.0, $0.1) })
    }

    @Test("with each file's object on a line, and continues after a missing file")
    func lines() throws {
      let missing = TemporaryDirectory().file("none.mp3")
      let result = Program.run(["info", "--jsonl", Self.short, missing, Self.tone])
      #expect(result.exit == .status(1) && result.errors == "")
      let lines = result.output.split(separator: "\n")
      try #require(lines.count == 3)
      let objects = try lines.map(members)
      #expect(objects.map { $0["format"] } == ["\"MPG3\"", "null", "\"WAVE\""])
      #expect(objects.map { $0["error"] == "null" } == [true, false, true])
      #expect(objects[1]["file"] == "\"\(missing)\"")
      for line in lines {
        let text = try JSONLine.reformatted(String(line))
        #expect(try JSONLine.members(of: text).map(\.name) == Information.names)
      }
      let good = Program.run(["info", "--jsonl", Self.short, Self.tone])
      #expect(good.exit == .status(0))
      #expect(good.output == lines[0] + "\n" + lines[2] + "\n")
    }

    @Test("alike with --json and --jsonl, except for the layout")
    func layouts() throws {
      for path in [Self.short, Self.tone, Fixtures.path("not-audio.jpg")] {
        let pretty = Program.run(["info", "--json", path]).output
        let line = Program.run(["info", "--jsonl", path]).output
        #expect(try JSONLine.reformatted(String(line.dropLast())) == pretty)
      }
    }

    @Test("as text for each readable file, with a line for the others")
    func text() {
      let missing = TemporaryDirectory().file("none.mp3")
      let result = Program.run(["info", Self.short, missing, Self.tone])
      #expect(result.exit == .status(1))
      #expect(result.errors == "drawbar: no such file: \(missing); check the path\n")
      let sheets = result.output.split(separator: "\n\n")
      #expect(sheets.count == 2)
      #expect(sheets.first?.hasPrefix("File       \(Self.short)\n") == true)
      #expect(sheets.last?.hasPrefix("File       \(Self.tone)\n") == true)
    }

    @Test(
      "with a digest of the packets' offsets and sizes, which ffprobe confirms",
      arguments: [
        "mp3-vbr2-44100-2.mp3", "mp3-short-44100-2.mp3", "mp3-cbr-16000-1.mp3", "mp2-22050-2.mp2",
        "mp3-id3-big.mp3",
      ])
    func digest(_ name: String) throws {
      let path = Fixtures.path(name)
      let script =
        "import sys,struct,hashlib; h=hashlib.sha256(); "
        + "[h.update(struct.pack('<qi',int(p),int(s))) for s,p in "
        + "(l.strip().split(',')[:2] for l in sys.stdin if l.strip())]; print(h.hexdigest())"
      let expected = ReferenceDecoder.output(
        "ffprobe -v quiet -select_streams a:0 -show_entries packet=size,pos -of csv=p=0 '\(path)'"
          + " | python3 -c \"\(script)\"")
      let output = Program.run(["info", "--json", path]).output
      let digest = try JSONLine.string("packetsSHA", in: output)
      #expect(digest == String(decoding: expected.dropLast(), as: UTF8.self))
      #expect(digest?.count == 64)
    }

    @Test("without a digest if all packets have one size")
    func noDigest() throws {
      let output = Program.run(["info", "--json", Self.tone]).output
      #expect(try JSONLine.string("packetsSHA", in: output) == nil)
    }

    @Test("alike however the bytes are sliced", arguments: ["1", "7", "4096"])
    func slices(_ count: String) {
      let names = [
        "mp3-short-44100-2.mp3", "mp3-garbage.mp3", "mp3-tags-tail.mp3",
        "wav-one-frame-44100-2.wav",
        "wav-unknown-size.wav", "not-audio.jpg", "empty.mp3",
      ]
      let paths = names.map(Fixtures.path)
      for options in [["--jsonl"], ["--jsonl", "--packets"], []] {
        let whole = Program.run(["info"] + options + paths)
        let sliced = Program.run(["info", "--slice", count] + options + paths)
        let isSame = sliced.output == whole.output && sliced.errors == whole.errors
        #expect(isSame, "\(options)")
        #expect(sliced.exit == .status(1))
      }
    }

    @Test("packet by packet: number, first frame, byte offset and size")
    func packets() throws {
      let output = Program.run(["info", "--jsonl", "--packets", Self.short]).output
      let object = try members(output.dropLast())
      let rows = [[0, 0, 417, 417], [1, 1152, 834, 418], [2, 2304, 1252, 418]]
      #expect(object["packets"]?.hasPrefix("\(rows)".dropLast()) == true)
      let text = Program.run(["info", "--packets", Self.short])
      let lines = text.output.split(separator: "\n").suffix(6).map { line in
        line.split(separator: " ").joined(separator: " ")
      }
      #expect(lines.first == "Packet Frame Byte Size")
      #expect(lines.dropFirst().first == "0 0 417 417" && lines.last == "4 4608 2088 418")
      // Constant-size packets are listed one by one, too.
      let folder = TemporaryDirectory()
      let beginning = folder.file("a.wav")
      _ = ReferenceDecoder.output("head -c 3000 '\(Self.tone)' > '\(beginning)'")
      let wave = Program.run(["info", "--jsonl", "--packets", beginning]).output
      let members = try members(wave.dropLast())
      let count = try #require(Int(members["packetCount"] ?? ""))
      #expect(members["packets"]?.split(separator: "[").count == count)
      let last = count - 1
      let offset = try #require(Int(members["dataOffset"] ?? "")) + 3 * last
      #expect(members["packets"]?.hasSuffix("[\(last), \(last), \(offset), 3]]") == true)
    }

    @Test("alike from a pipe, except that it cannot be repositioned")
    func pipe() throws {
      let folder = TemporaryDirectory()
      let copy = folder.file("copy")
      for path in [Self.short, Self.tone, Fixtures.path("mp3-vbr2-44100-2.mp3")] {
        let file = try members(Program.run(["info", "--jsonl", path]).output.dropLast())
        let bytes = ReferenceDecoder.output("cat '\(path)' | '\(Program.path)' info --jsonl -")
        var pipe = try members(Substring(String(decoding: bytes.dropLast(), as: UTF8.self)))
        #expect(pipe["seekable"] == "false" && pipe["file"] == "\"standard input\"")
        pipe["seekable"] = "true"
        pipe["file"] = file["file"]
        #expect(pipe == file)
        // Standard input from a file can be repositioned, whatever its initial offset.
        let redirected = ReferenceDecoder.output(
          "(echo 0123456789; cat '\(path)') > '\(copy)';"
            + " (head -c 11 >/dev/null; '\(Program.path)' info --jsonl -) < '\(copy)'")
        var shifted = try members(
          Substring(String(decoding: redirected.dropLast(), as: UTF8.self)))
        #expect(shifted["seekable"] == "true")
        shifted["file"] = file["file"]
        #expect(shifted == file)
      }
    }

    @Test("alike over HTTP, with ranges, without ranges, and without a statement about them")
    func web() throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      let path = Fixtures.path("mp3-id3-big.mp3")
      web.serve("/ranges", .file(path, ranges: .honoured))
      web.serve("/unsaid", .file(path))
      var none = ResponsePlan.file(path)
      none.fields.append(("Accept-Ranges", "none"))
      web.serve("/none", none)
      let file = try members(Program.run(["info", "--jsonl", path]).output.dropLast())
      for (target, isSeekable) in [("/ranges", "true"), ("/none", "false"), ("/unsaid", "true")] {
        let result = Program.run(["info", "--jsonl", web.url(target)])
        #expect(result.exit == .status(0))
        var http = try members(result.output.dropLast())
        #expect(http["seekable"] == isSeekable && http["file"] == "\"\(web.url(target))\"")
        http["seekable"] = "true"
        http["file"] = file["file"]
        #expect(http == file)
      }
      // With ranges, the picture in the tag is not fetched; the tag's padding is.
      #expect(web.requests.map { $0.fields["range"] } == [nil, "bytes=300075-", nil, nil])
    }

    @Test("from its head alone if the stream is endless")
    func endless() throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      let bytes = contents(ofFile: Fixtures.path("mp3-notag-44100-2.mp3"))
      web.serve(
        "/live",
        ResponsePlan(
          fields: [("Content-Type", "audio/mpeg")],
          body: .generated(byteCount: .max) { offset, count in
            (0..<count).map { bytes[Int((offset + UInt64($0)) % UInt64(bytes.count))] }
          }, framing: .untilClose))
      let result = Program.run(["info", "--jsonl", web.url("/live")])
      #expect(result.exit == .status(0))
      let object = try members(result.output.dropLast())
      #expect(object["dataFormat"] == "\".mp3\"" && object["sampleRate"] == "44100.0")
      #expect(object["packetsSHA"] == "null" && object["durationSeconds"] == "null")
      #expect(object["seekable"] == "false" && object["error"] == "null")
    }

    @Test("with the known facts and the error if a transfer breaks")
    func broken() throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      var plan = ResponsePlan.file(Fixtures.path("mp3-vbr2-44100-2.mp3"))
      plan.fault = .finish(afterBytes: 100_000)
      web.serve("/a.mp3", plan)
      let result = Program.run(["info", "--jsonl", web.url("/a.mp3")])
      #expect(result.exit == .status(1) && result.errors == "")
      let object = try members(result.output.dropLast())
      #expect(object["format"] == "\"MPG3\"")
      // The received frames count, not the 529,200 frames that the tag states.
      let frames = try #require(Int(object["validFrames"] ?? ""))
      #expect((1..<529_200).contains(frames))
      #expect(object["error"]?.contains("connection lost after 100000") == true)
    }

    @Test("and reports that a file has no picture if asked for one")
    func noPicture() {
      let folder = TemporaryDirectory()
      let output = folder.file("cover.jpg")
      let text = Program.run(["info", "--picture", output, Self.short])
      #expect(text.exit == .status(1))
      #expect(text.errors == "drawbar: \(Self.short) has no picture\n")
      #expect(text.output.contains("MPEG audio layer III"))
      let json = Program.run(["info", "--json", "--picture", output, Self.short])
      #expect(json.exit == .status(1) && json.errors == "")
      #expect(json.output.contains("\"error\": \"\(Self.short) has no picture\""))
      #expect(unsafe access(output, F_OK) != 0)
    }
  }
}
