// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  /// `info` with tags and the pictures in them.
  @Suite("describes tags and pictures")
  struct TagInformation {
    private let folder = TemporaryDirectory()

    /// An MP3 with a title, an artist and two pictures, of which the second is the front cover.
    private func tagged() throws -> (path: String, cover: [UInt8]) {
      let path = folder.file("tagged.mp3")
      let script = #"""
        import sys
        from mutagen.id3 import ID3, TIT2, TPE1, APIC
        tag = ID3()
        tag.add(TIT2(encoding=3, text="Sines"))
        tag.add(TPE1(encoding=1, text="\u00c4 \"B\""))
        tag.add(APIC(encoding=3, mime="image/png", type=4, desc="back", data=b"\x89PNG" * 100))
        tag.add(APIC(encoding=3, mime="image/jpeg", type=3, desc="front", data=b"\xff\xd8x" * 30000))
        tag.save(sys.argv[1])
        """#
      let file = folder.file("tag.py")
      _ = ReferenceDecoder.output(
        "cp '\(Fixtures.path("mp3-short-44100-2.mp3"))' '\(path)'; cat > '\(file)' <<'END'\n"
          + "\(script)\nEND\n/usr/bin/python3 '\(file)' '\(path)'")
      return (path, Array(repeatElement([0xFF, 0xD8, 0x78], count: 30000).joined()))
    }

    @Test("in the sheet's first and last lines, and as members")
    func layouts() throws {
      let (path, _) = try tagged()
      let lines = Program.run(["info", path]).output.split(separator: "\n")
      #expect(
        lines.prefix(3) == ["Title      Sines", "Artist     Ä \"B\"", "File       \(path)"])
      #expect(
        lines.suffix(2)
          == [
            "Picture    back cover: image/png, 400 bytes", "Picture    cover: image/jpeg, 90 kB",
          ])
      let output = Program.run(["info", "--json", path]).output
      let members = Dictionary(
        uniqueKeysWithValues: try JSONLine.members(of: output).map { ($0.name, $0.value) })
      #expect(members["tags"] == #"{"title": "Sines", "artist": "Ä \"B\""}"#)
      let (back, front) = (
        #"{"kind": 4, "mediaType": "image/png", "text": "back", "byteCount": 400}"#,
        #"{"kind": 3, "mediaType": "image/jpeg", "text": "front", "byteCount": 90000}"#
      )
      #expect(members["pictures"] == "[\(back), \(front)]")
    }

    @Test("and writes the front cover, from a file, a server and a pipe")
    func picture() throws {
      let (path, cover) = try tagged()
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      web.serve("/a.mp3", .file(path))
      for location in [path, web.url("/a.mp3")] {
        for options in [[], ["--json"]] {
          let output = folder.file("cover.jpg")
          let result = Program.run(["info"] + options + ["--picture", output, location])
          #expect(result.exit == .status(0) && result.errors == "", "\(location) \(options)")
          let isSame = contents(ofFile: output) == cover
          #expect(isSame, "\(location) \(options)")
          unsafe unlink(output)
        }
      }
      let output = folder.file("cover.jpg")
      let text = ReferenceDecoder.output(
        "cat '\(path)' | '\(Program.path)' info --picture '\(output)' -")
      let isSame = contents(ofFile: output) == cover
      #expect(isSame && !text.isEmpty)
    }

    @Test("and reports why a picture cannot be written")
    func unwritable() throws {
      let (path, _) = try tagged()
      let output = folder.file("none") + "/cover.jpg"
      let result = Program.run(["info", "--picture", output, path])
      Failures.expectOneLine(result, "picture", word: output, on: #_sourceLocation)
    }
  }
}
