// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  /// Random sequences of network faults, each made from its seed, with the real pauses between retries. They run
  /// in parallel, because these pauses take most of the time. `DRAWBAR_SEED` repeats a failed sequence.
  @Suite("over a network with random faults")
  struct NetworkSequences {
    /// The sequence of the server's answers, and the program's run against it.
    private struct Sequence {
      var seed: UInt64
      var file: String
      var url: String
      var requestCount: Int
      /// Whether the last answer is a fault.
      var lasts: Bool
    }

    private static func seeds(_ range: Range<UInt64>) -> Range<UInt64> {
      guard let text = unsafe getenv("DRAWBAR_SEED"),
        let seed = unsafe UInt64(String(cString: text))
      else { return range }
      return seed..<seed + 1
    }

    /// Short files, including damaged ones.
    private static func files() -> [String] {
      let endings = [".wav", ".aiff", ".caf", ".flac", ".oga", ".opus", ".mp3", ".aac", ".m4a"]
      return Fixtures.corpusNames(endings: endings, below: 70_000)
    }

    private static func serve(
      _ seed: UInt64, _ names: [String], on server: LoopbackHTTPServer
    ) -> Sequence {
      var chance = SplitMix(state: seed)
      let file = Fixtures.corpusFolder + names.randomElement(using: &chance)!
      let faults = FaultSequence(contents(ofFile: file), &chance)
      server.serve("/\(seed)", inOrder: faults.plans)
      return Sequence(
        seed: seed, file: file, url: server.url("/\(seed)"), requestCount: faults.plans.count,
        lasts: faults.lasting != nil)
    }

    /// Expects a run to end like the run over the local file, or to fail because of a lasting fault.
    ///
    /// - Returns: whether the run ended like the local one.
    private static func expect(
      _ result: Program.Result, like local: Program.Result, _ sequence: Sequence,
      _ server: LoopbackHTTPServer
    ) -> Bool {
      let comment = Comment("seed \(sequence.seed), \(sequence.file)")
      let errors = result.errors.replacing(sequence.url, with: sequence.file)
      let isSame = result.exit == local.exit && errors == local.errors
      let requests = server.requests.count { $0.target == "/\(sequence.seed)" }
      if sequence.lasts, requests >= sequence.requestCount, !isSame {
        let lines = errors.split(separator: "\n")
        #expect(result.exit == .status(1), comment)
        #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("drawbar: ") }, comment)
      } else {
        #expect(isSame, "\(comment): \(result.errors)")
      }
      return isSame
    }

    @Test("renders the same as from the local file, or fails with the reason")
    func render() throws {
      let names = Self.files()
      let server = LoopbackHTTPServer()
      defer { server.stop() }
      let folder = TemporaryDirectory()
      let sequences = Self.seeds(0..<16).map { Self.serve($0, names, on: server) }
      func arguments(_ location: String, _ name: String) -> [String] {
        ["render", "-o", folder.file(name), location]
      }
      let runs = sequences.map { Program.start(arguments($0.url, "\($0.seed).wav")) }
      defer { for run in runs { run.signalGroup(SIGKILL) } }
      for (sequence, run) in zip(sequences, runs) {
        let result = Program.end(of: run, seconds: 180)
        let local = Program.run(arguments(sequence.file, "local-\(sequence.seed).wav"))
        if Self.expect(result, like: local, sequence, server) {
          let isSame =
            contents(ofFile: folder.file("\(sequence.seed).wav"))
            == contents(ofFile: folder.file("local-\(sequence.seed).wav"))
          #expect(isSame, "seed \(sequence.seed), \(sequence.file)")
        }
      }
    }

    @Test("plays to the end, and reports the same losses as for the local file")
    func play() throws {
      let names = Self.files()
      let server = LoopbackHTTPServer()
      defer { server.stop() }
      try JACKServer.with(.waiting(period: 1024)) { _ in
        let sequences = Self.seeds(100..<104).map { Self.serve($0, names, on: server) }
        let runs = sequences.map { Program.start(["play", "--connect", "none", $0.url]) }
        defer { for run in runs { run.signalGroup(SIGKILL) } }
        for (sequence, run) in zip(sequences, runs) {
          let result = Program.end(of: run, seconds: 180)
          let local = Program.run(["play", "--connect", "none", sequence.file], seconds: 60)
          _ = Self.expect(result, like: local, sequence, server)
        }
      }
    }
  }
}
