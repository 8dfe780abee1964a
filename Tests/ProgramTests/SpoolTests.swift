// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("keeps fetched bytes while it plays them")
  struct Spools {
    private let directory = TemporaryDirectory()
    private let web = LoopbackHTTPServer()

    private func files() -> [Substring] {
      Subprocess.run(["ls", "-A", directory.path]).output.split(separator: "\n")
    }

    private func start() -> Subprocess {
      web.serve("/long", .file(Endings.long))
      return Program.start(
        Endings.play + ["--spool", directory.path] + [web.url("/long")])
    }

    private func awaitClient(of server: JACKServer) throws {
      let end = monotonicSeconds() + 10
      while try !server.run(["jack_lsp"]).contains("drawbar:") {
        try #require(monotonicSeconds() < end)
      }
    }

    @Test("in a file that it removes at a signal, or the next run removes after a kill")
    func removed() throws {
      defer { web.stop() }
      try JACKServer.with { server in
        try JACKServer.holdingMetadata {
          let killed = start()
          #expect(eventually { files().count == 1 }, "\(killed.errors)")
          // libjack opens the metadata store with its client; a kill in that moment would leave the store locked.
          try awaitClient(of: server)
          killed.signalGroup(SIGKILL)
          #expect(Program.end(of: killed).exit != .status(0))
        }
        let left = files()
        #expect(left.count == 1)
        let ended = start()
        #expect(eventually { files().count == 1 && files() != left }, "\(ended.errors)")
        ended.signalGroup(SIGINT)
        #expect(Program.end(of: ended).exit == .status(0))
        #expect(files().isEmpty)
      }
    }

    @Test("but creates no missing home directory")
    func noHome() throws {
      defer { web.stop() }
      web.serve("/short", .file(Fixtures.path("mp3-short-44100-2.mp3")))
      let home = directory.path + "/home"
      try JACKServer.with { _ in
        for caches in ["", home + "/.cache"] {
          let program = Program.start(
            Endings.play + [web.url("/short")], with: ["XDG_CACHE_HOME": caches, "HOME": home])
          let end = Program.end(of: program)
          #expect(end.exit == .status(0) && end.errors == "", "\(end)")
          #expect(files().isEmpty, "\(caches)")
        }
      }
    }

    @Test("or plays on without them if the directory cannot be created")
    func impossible() throws {
      defer { web.stop() }
      web.serve("/short", .file(Fixtures.path("mp3-short-44100-2.mp3")))
      try JACKServer.with { _ in
        let result = Program.run(
          Endings.play + ["--spool", Endings.long + "/below", web.url("/short")])
        #expect(result.exit == .status(0) && result.errors == "", "\(result)")
      }
    }
  }
}
