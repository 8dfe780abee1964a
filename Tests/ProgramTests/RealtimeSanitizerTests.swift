// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  /// `scripts/test` builds the programs with RealtimeSanitizer and runs suites of these tests with them. This
  /// suite proves that the programs are really watched.
  @Suite("under RealtimeSanitizer")
  struct RealtimeSanitizer {
    private static let programs =
      [Program.path] + ExamplePlayer.allCases.map(\.path) + [VocalRemoverTests.path]

    @Test("is watched, like the examples, if DRAWBAR_RTSAN is set")
    func isWatched() {
      let isAsked = unsafe getenv("DRAWBAR_RTSAN") != nil
      for path in Self.programs { #expect(Program.isWatched(path) == isAsked, "\(path)") }
    }

    @Test("ends, with a report, when its callback allocates")
    func catchesAllocation() throws {
      guard Program.isWatched(Program.path) else { return }
      let folder = Program.path.prefix(upTo: Program.path.lastIndex(of: "/")!)
      try JACKServer.with { _ in
        // A file of 44.1 kHz on a server of 48 kHz is resampled, here in the callback.
        let program = Program.start(
          ["play", "--decode", "callback", Endings.long],
          with: ["LD_PRELOAD": "\(folder)/libAllocatingResampler.so"])
        defer { program.signalGroup(SIGKILL) }
        #expect(program.wait(seconds: 20) == .status(43))
        let report = program.errors
        #expect(report.contains("ERROR: RealtimeSanitizer: unsafe-library-call"), "\(report)")
        #expect(report.contains("`malloc`") && report.contains("AllocatingResampler"), "\(report)")
      }
    }
  }
}
