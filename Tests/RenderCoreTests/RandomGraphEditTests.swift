// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import RenderCore

/// Random edits of a running graph, from a seed. `DRAWBAR_GRAPH_SECONDS` sets how much sound is rendered,
/// `DRAWBAR_SEED` runs one seed.
@Suite("A graph under random edits")
struct RandomGraphEditTests {
  private static func number(_ variable: String) -> UInt64? {
    unsafe getenv(variable).flatMap { unsafe UInt64(String(cString: $0)) }
  }

  private static var seeds: [UInt64] { number("DRAWBAR_SEED").map { [$0] } ?? Array(1...8) }

  @Test("renders the samples of a model without plans", arguments: seeds)
  func exact(_ seed: UInt64) throws {
    var chance = SplitMix(state: seed)
    let rig = GraphRig()
    let graph = rig.renderer.graph
    var reference = GraphReference()
    var handles: [GraphNode?] = [graph.mix, graph.output]
    let frames = Int(Self.number("DRAWBAR_GRAPH_SECONDS") ?? 2) * 48000
    var expected: [Float] = []
    var edits = 0
    while rig.samples.count < frames {
      for _ in 0..<Int.random(in: 0...2, using: &chance) {
        try edit(rig, &reference, &handles, &chance)
        edits += 1
      }
      let count = Int.random(in: 1...(1 << Int.random(in: 0...9, using: &chance)), using: &chance)
      let cycle = Int.random(in: 0..<200, using: &chance) == 0 ? 8192 : count
      rig.render(cycle, cycles: [cycle])
      expected = reference.render(cycle)
      let given = rig.samples.suffix(cycle)
      guard given.elementsEqual(expected) else {
        let first = zip(given, expected).enumerated().first { $0.element.0 != $0.element.1 }
        Issue.record(
          "seed \(seed), after \(edits) edits, frame \(rig.samples.count - cycle): \(first!)")
        return
      }
    }
    let most = rig.samples.map(\.magnitude).max()!
    print("seed \(seed): \(edits) edits in \(rig.samples.count) frames, peak \(most)")
    #expect(edits > 100 && most > 0)
  }

  /// Makes the same random change to both.
  private func edit(
    _ rig: GraphRig, _ reference: inout GraphReference, _ handles: inout [GraphNode?],
    _ chance: inout SplitMix
  ) throws {
    let graph = rig.renderer.graph
    reference.begin()
    let present = reference.present
    let source = present.randomElement(using: &chance)!
    let target = present.randomElement(using: &chance)!
    let gain = [1, 0.5, -0.25, 0].randomElement(using: &chance)! as Float
    switch Int.random(in: 0..<12, using: &chance) {
    case 0 where present.count < 24:
      let step = Float.random(in: 0.001..<0.1, using: &chance)
      handles.append(rig.addGenerator(step: step).node)
      _ = reference.add(.generator(step: step))
    case 1 where present.count < 64:
      let factor = Float.random(in: -0.9..<0.9, using: &chance)
      handles.append(rig.addEffect(factor: factor).node)
      _ = reference.add(.effect(factor: factor))
    case 2 where target > 1 && !reference.isGenerator(target):
      try graph.edit { (edit) throws(ProcessingGraphError) in try edit.remove(handles[target]!) }
      reference.remove(target)
      reference.end()
    case 3, 4:
      guard reference.isConnected(source, to: target) else { return }
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.disconnect(handles[source]!, from: handles[target]!)
      }
      reference.disconnect(source, from: target)
      reference.end()
    case 5:
      guard reference.isConnected(source, to: target) else { return }
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.setGain(gain, from: handles[source]!, to: handles[target]!)
      }
      reference.setGain(gain, source, to: target)
      reference.end()
    case 6, 7:
      guard reference.isEffect(target) else { return }
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.setBypassed(!reference.isBypassed(target), handles[target]!)
      }
      reference.toggleBypass(target)
      reference.end()
    default:
      guard !reference.isGenerator(target), source != GraphReference.output,
        !reference.isConnected(source, to: target), !reference.closes(source, to: target)
      else { return }
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.connect(handles[source]!, to: handles[target]!, gain: gain)
      }
      reference.connect(source, to: target, gain: gain)
      reference.end()
    }
  }
}
