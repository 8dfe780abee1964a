// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

/// Programs that a session starts together, and that end together.
@Suite("Programs that start and end together", .serialized, .timeLimit(.minutes(2)))
struct TogetherTests {
  @Test("leave the JACK server responsive, twenty times")
  func metadata() throws {
    try JACKServer.with(.waiting()) { jack in
      let file = Fixtures.path("wav-s16-48000-1.wav")
      for round in 0..<20 {
        let programs = ["one", "two", "three"].map {
          Program.start(["play", "--connect", "none", "--no-mpris", "--name", $0, file])
        }
        defer { for program in programs { program.signalGroup(SIGKILL) } }
        var names: [String] = []
        let areThere = eventually {
          names = (try? jack.ports().map(\.name)) ?? []
          return ["one", "two", "three"].allSatisfy { names.contains($0 + ":out_2") }
        }
        try #require(areThere, "round \(round): \(names), \(programs.map(\.errors)), \(jack.log)")
        for program in programs { program.signalGroup(SIGINT) }
        for program in programs { #expect(program.wait(seconds: 3) == .status(0)) }
        let answer = Subprocess.run(["timeout", "3", "jack_lsp", "-s", JACKServer.name])
        try #require(answer.exit == .status(0), "round \(round)")
      }
    }
  }
}
