// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import RenderCore

@Suite("A meter in a graph")
struct MeterNodeTests {
  @Test(
    "measures peaks and squares, and changes no bit",
    arguments: GraphRig.cuts)
  func measures(_ cycles: [Int]) throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    _ = rig.addGenerator(step: 0.01)
    let meter = graph.addMeter(channelCount: 1)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(meter.node, from: graph.mix, to: graph.output)
    }
    rig.render(4000, cycles: cycles)
    let expected = (0..<4000).map { generated(0.01, UInt64($0)) }
    let isSame = rig.samples == expected
    #expect(isSame && meter.node.latencyFrames == 0)
    let level = meter.takeLevels()[0]
    let squares = expected.reduce(0) { $0 + Double($1) * Double($1) }
    #expect(level.frames == 4000 && level.peak == 0.5)
    #expect(abs(level.sumOfSquares / squares - 1) < 1e-6)
    #expect(meter.takeLevels()[0].peak == 0)
  }
}
