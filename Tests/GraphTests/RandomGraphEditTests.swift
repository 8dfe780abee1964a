// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import RenderCore

/// Random edits of a running graph, from a seed. `DRAWBAR_GRAPH_SECONDS` sets the length of the rendered sound,
/// `DRAWBAR_SEED` runs one seed.
@Suite("A graph under random edits")
struct RandomGraphEditTests {
  private static func number(_ variable: String) -> UInt64? {
    unsafe getenv(variable).flatMap { unsafe UInt64(String(cString: $0)) }
  }

  private static var seeds: [UInt64] { number("DRAWBAR_SEED").map { [$0] } ?? Array(1...4) }

  @Test("renders the samples of a model without plans, at 1000 edits a second", arguments: seeds)
  func exact(_ seed: UInt64) throws {
    try compare(EditedGraph(seed: seed, hasBuiltInEffects: false), seed)
  }

  @Test("renders a model's samples also with built-in effects and feedback loops", arguments: seeds)
  func builtIn(_ seed: UInt64) throws {
    try compare(EditedGraph(seed: seed, hasBuiltInEffects: true), seed)
  }

  private func compare(_ edited: EditedGraph, _ seed: UInt64) throws {
    var edited = edited
    let frames = Int(Self.number("DRAWBAR_GRAPH_SECONDS") ?? 5) * 48000
    var peak: Float = 0
    var residentBytes = 0
    while edited.reference.frame < UInt64(frames) {
      while edited.editCount * 48 < Int(edited.reference.frame) { try edited.edit() }
      let start = Int(edited.reference.frame)
      let (given, expected) = edited.renderCycle()
      if let index = given.indices.first(where: { given[$0] != expected[$0] }) {
        Issue.record(
          """
          seed \(seed), edit \(edited.editCount), frame \(start + index): \(given[index]), not \
          \(expected[index])
          """)
        return
      }
      peak = max(peak, given.map(\.magnitude).max() ?? 0)
      if start < frames / 2 { residentBytes = ProcessResources.residentBytes() ?? 0 }
    }
    let grown = (ProcessResources.residentBytes() ?? 0) - residentBytes
    print(
      """
      seed \(seed): \(edited.editCount) edits in \(frames) frames, at most \(edited.mostNodes) nodes, \
      \(edited.mostEdges) edges and \(edited.mostLooped) nodes in loops, peak \(peak), \
      \(residentBytes >> 20) MiB resident, \(grown >> 10) KiB more in the second half
      """)
    #expect(edited.mostNodes > 32 && peak > 0 && peak < 1e6)
  }
}
