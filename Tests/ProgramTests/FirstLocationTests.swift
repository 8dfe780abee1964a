// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("whose first location cannot be used")
  struct FirstLocations {
    private let folder = TemporaryDirectory()
    private let short = Fixtures.path("mp3-short-44100-2.mp3")

    @Test(
      "continues with the others, whatever its position in the list",
      arguments: ["none.mp3", "", "empty.mp3", "hls.m3u8", "none.m3u", "http://127.0.0.1:1/a.mp3"])
    func list(_ name: String) throws {
      try folder.write("", "empty.mp3")
      try folder.write("#EXTM3U\n#EXT-X-VERSION:3\n", "hls.m3u8")
      let bad = name.hasPrefix("http") ? name : folder.file(name)
      let frames = StereoFrames(interleaved: ReferenceDecoder.mpg123(short)).count
      for (index, locations) in [
        [bad, short, short], [short, bad, short], [bad, bad, short, short],
      ]
      .enumerated() {
        let path = folder.file("\(index).wav")
        let result = Program.run(["render", "-o", path] + locations)
        #expect(result.exit == .status(1))
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == locations.count - 2, "\(result.errors)")
        #expect(lines.allSatisfy { $0.hasPrefix("drawbar: ") })
        #expect(try FloatWave(path: path).frameCount == 2 * frames)
      }
    }

    @Test("plays the others to JACK")
    func play() throws {
      try JACKServer.with { jack in
        let bad = [folder.file("none.mp3"), folder.path]
        let program = Program.start(Endings.play + bad + [Endings.long])
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually { Endings.isPresent(jack) }, "\(program.errors)")
        program.signalGroup(SIGINT)
        let ended = Program.end(of: program)
        #expect(ended.errors.split(separator: "\n").count == 2, "\(ended.errors)")
        #expect(Program.run(Endings.play + bad + [short]).exit == .status(1))
      }
    }

    @Test(
      "ends within a second of q while a server does not answer, and leaves the terminal as it was")
    func quit() throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      web.serve("/silent", .silence)
      try JACKServer.with { _ in
        for command in [
          Endings.play + [web.url("/silent")], ["monitor", "--with", web.url("/silent")],
        ] {
          let requests = web.requests.count
          let program = TerminalProgram(command)
          defer { program.signal(SIGKILL) }
          let modes = program.originalModes
          #expect(eventually { web.requests.count > requests })
          program.type("mq")
          let end = program.end()
          #expect(end.exit == .status(0) && end.seconds < 1, "\(end) \(program.output)")
          #expect(program.localModes == modes && modes & tcflag_t(ECHO) != 0)
        }
      }
    }
  }
}
