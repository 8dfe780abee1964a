// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import RenderCore

@Suite("Latency in a processing graph")
struct GraphLatencyTests {
  private static let cuts = GraphRig.cuts

  /// Returns the frames in which a constant of -0.5 has another value.
  private func wrongFrames(_ rig: GraphRig) -> [Int] {
    rig.samples.indices.filter { (rig.samples[$0] + 0.5).magnitude > 1e-6 }
  }

  /// Returns a rig that has rendered 64 frames of a constant.
  private func constantRig(_ cycles: [Int]) -> GraphRig {
    let rig = GraphRig()
    _ = rig.addGenerator(step: 0)
    rig.render(64, cycles: cycles)
    return rig
  }

  private func insert(_ nodes: [RenderCallbackHandle], _ graph: ProcessingGraph) throws {
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.disconnect(graph.mix, from: graph.output)
      var before = graph.mix
      for node in nodes {
        try edit.connect(before, to: node.node)
        before = node.node
      }
      try edit.connect(before, to: graph.output)
    }
  }

  @Test("An effect that is removed before it has faded in changes nothing", arguments: cuts)
  func reversalDuringWarmUp(_ cycles: [Int]) throws {
    let rig = constantRig(cycles)
    let graph = rig.renderer.graph
    let late = rig.addEffect(factor: 1, delay: 1000)
    try insert([late], graph)
    rig.render(500, cycles: cycles)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.remove(late.node)
      try edit.connect(graph.mix, to: graph.output)
    }
    rig.render(4000, cycles: cycles)
    #expect(wrongFrames(rig) == [])
  }

  @Test("Effects in series fade in when their path is filled", arguments: cuts)
  func series(_ cycles: [Int]) throws {
    let rig = constantRig(cycles)
    let effects = (0..<2).map { _ in rig.addEffect(factor: 1, delay: 512) }
    try insert(effects, rig.renderer.graph)
    rig.render(4000, cycles: cycles)
    #expect(wrongFrames(rig) == [])
  }

  @Test("A warm-up survives an edit before the next cycle", arguments: cuts)
  func warmUpOfSkippedPlan(_ cycles: [Int]) throws {
    let rig = constantRig(cycles)
    let late = rig.addEffect(factor: 1, delay: 1000)
    try insert([late], rig.renderer.graph)
    _ = rig.addEffect(factor: 1)
    rig.render(4000, cycles: cycles)
    #expect(wrongFrames(rig) == [])
  }

  @Test("A callback that is added beside a delayed path is delayed at once", arguments: cuts)
  func additionBesideLatePath(_ cycles: [Int]) throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let first = rig.addGenerator(step: 0.01)
    let late = rig.addEffect(factor: 1, delay: 100)
    rig.render(64, cycles: cycles)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(late.node, from: first.node, to: graph.mix)
    }
    rig.render(1000, cycles: cycles)
    _ = rig.addGenerator(step: 0.003)
    rig.render(1000, cycles: cycles)
    for frame in 1064..<2064 {
      let second = frame < 1164 ? 0 : generated(0.003, UInt64(frame - 1164))
      #expect(rig.samples[frame] == generated(0.01, UInt64(frame - 100)) + second)
    }
    #expect(rig.renderer.remove(late))
    #expect(graph.latencyFrames == 0)
    rig.render(1000, cycles: cycles)
    for frame in 2064 + 340..<3064 {
      #expect(rig.samples[frame] == generated(0.003, UInt64(frame - 1064)))
    }
  }

  @Test("The greatest latency applies to the edited graph")
  func limit() throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let most = ProcessingGraph.maximumLatencyFrames
    let effects = (0..<3).map { index in
      unsafe graph.addEffect(
        { _, _ in 0 }, context: nil, channelCount: 1, latencyFrames: most, name: "\(index)")
    }
    #expect(throws: ProcessingGraphError.tooLate(node: "1", frames: 2 * most)) {
      try insert([effects[0], effects[1]], graph)
    }
    try insert([effects[0]], graph)
    rig.render(64, cycles: [64])
    // The first effect leaves in the same edit.
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.remove(effects[0].node)
      try edit.connect(graph.mix, to: effects[2].node)
      try edit.connect(effects[2].node, to: graph.output)
    }
    #expect(graph.latencyFrames == most)
  }

  @Test("Edits without a cycle between them leave no edges behind")
  func togglesAtRest() throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let generator = rig.addGenerator(step: 0)
    let late = rig.addEffect(factor: 1, delay: 100)
    rig.render(64, cycles: [64])
    for _ in 0..<20 {
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.connect(generator.node, to: late.node)
        try edit.connect(late.node, to: graph.mix)
      }
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.disconnect(generator.node, from: late.node)
        try edit.disconnect(late.node, from: graph.mix)
      }
    }
    #expect(rig.renderer.withModel { $0.edges.count } <= 5)
    rig.render(4000, cycles: [64])
    #expect(wrongFrames(rig) == [])
  }

  @Test("A source that is removed behind a delayed edge before the first cycle leaves the graph")
  func earlyRemoval() throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let generator = rig.addGenerator(step: 0.01)
    let late = rig.addEffect(factor: 1, delay: 100)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.disconnect(generator.node, from: graph.mix)
      try edit.connect(generator.node, to: late.node)
      try edit.connect(late.node, to: graph.mix)
    }
    let source = rig.renderer.addSource()
    rig.renderer.remove(source.control)
    #expect(rig.renderer.withModel { $0.sources.isEmpty })
  }
}
