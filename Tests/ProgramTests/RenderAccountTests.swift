// SPDX-License-Identifier: MIT

import TestKit
import Testing

extension ProgramTests {
  @Suite("render --json")
  struct RenderAccounts {
    private let workshop = Workshop()
    private let song = Fixtures.path("mp3-short-44100-2.mp3")
    private let cut = Fixtures.path("mp3-truncated.mp3")
    private let page = Fixtures.path("not-audio.html")

    /// The file and the error of each object.
    private func render(
      _ locations: [String], exit: Int32
    ) throws -> [(file: String?, error: String?)] {
      let result = Program.run(
        ["render", "--json", "--force", "-o", workshop.path("out.wav")] + locations)
      #expect(result.exit == .status(exit), "\(result)")
      return try result.output.split(separator: "\n").map {
        let object = try JSONLine.reformatted(String($0))
        return (try JSONLine.string("file", in: object), try JSONLine.string("error", in: object))
      }
    }

    @Test("has no error if everything was rendered")
    func whole() throws {
      #expect(try render([song, song], exit: 0).map(\.error) == [nil, nil])
    }

    @Test("states why sound is missing")
    func loss() throws {
      let errors = try render([song, cut], exit: 1).map(\.error)
      #expect(errors.count == 2 && errors[0] == nil)
      #expect(errors[1]?.contains("s of sound are missing") == true)
      #expect(errors[1]?.hasPrefix(cut) == true)
    }

    @Test("has an object for each location that cannot be rendered, and states why")
    func refused() throws {
      let missing = workshop.path("none.mp3")
      try workshop.run("sox -R -n -r 8000 -e gsm-full-rate gsm.wav synth 1 sine 300")
      let gsm = workshop.path("gsm.wav")
      for locations in [
        [page], [missing], [page, missing], [song, page, missing], [gsm, song], [song, gsm],
      ] {
        let objects = try render(locations, exit: 1)
        #expect(objects.compactMap(\.file).sorted() == locations.sorted())
        for object in objects {
          #expect((object.error == nil) == (object.file == song), "\(object)")
        }
      }
    }

    @Test(
      "Packets that cannot be decoded are lost in render, and info, which does not decode, exits with 0"
    )
    func undecodable() throws {
      var bytes = contents(ofFile: Fixtures.path("mp1-mono-48000-1.mp1"))
      // From there on, the packets' bit allocation exceeds their size.
      let place = bytes.count / 2 / 192 * 192
      for index in place + 4..<place + 20 { bytes[index] = 0xEE }
      try workshop.write(bytes, "damaged.mp1")
      let damaged = workshop.path("damaged.mp1")
      let errors = try render([damaged], exit: 1).map(\.error)
      #expect(errors.count == 1)
      #expect(
        errors[0]?.contains("sound is missing at byte offset \(place): packets cannot") == true)
      for options in [[], ["--json"], ["--packets"]] {
        let result = Program.run(["info"] + options + [damaged])
        #expect(result.exit == .status(0) && result.errors == "", "\(result)")
      }
      #expect(Program.run(["info", "--help"]).output.contains("Nothing is decoded"))
    }

    @Test("A format without a decoder is refused before a file is made")
    func noFile() throws {
      try workshop.run("sox -R -n -r 8000 -e gsm-full-rate gsm.wav synth 1 sine 300")
      let result = Program.run(
        ["render", "-o", workshop.path("new.wav"), workshop.path("gsm.wav")])
      Failures.expectOneLine(result, "GSM", word: "no decoder", on: #_sourceLocation)
      try workshop.run("test ! -e new.wav")
    }
  }
}
