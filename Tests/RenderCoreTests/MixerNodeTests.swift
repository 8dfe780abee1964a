// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import RenderCore

@Suite("A mixer in a graph")
struct MixerNodeTests {
  private static let cuts = GraphRig.cuts

  @Test("sums its inputs with the gains of the edges", arguments: cuts)
  func sum(_ cycles: [Int]) throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let first = rig.addGenerator(step: 0.01)
    let second = rig.addGenerator(step: 0.003)
    let mixer = graph.addMixer(channelCount: 1)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      for (node, gain) in [(first.node, Float(0.5)), (second.node, -0.25)] {
        try edit.disconnect(node, from: graph.mix)
        try edit.connect(node, to: mixer, gain: gain)
      }
      try edit.connect(mixer, to: graph.mix)
    }
    rig.render(2000, cycles: cycles)
    let isSum = rig.samples.enumerated().allSatisfy { frame, sample in
      sample == 0.5 * generated(0.01, UInt64(frame)) - 0.25 * generated(0.003, UInt64(frame))
    }
    #expect(isSum)
  }

  @Test("changes no bit between two nodes, and is removed with a fade")
  func transparent() throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    _ = rig.addGenerator(step: 0.01)
    let mixer = graph.addMixer(channelCount: 1, name: "submix")
    #expect(mixer.name == "submix" && mixer.latencyFrames == 0)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(mixer, from: graph.mix, to: graph.output)
    }
    rig.render(500, cycles: [64])
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.remove(mixer)
      try edit.connect(graph.mix, to: graph.output)
    }
    rig.render(1000, cycles: [64])
    let before = rig.samples.prefix(500).enumerated()
    #expect(before.allSatisfy { $1 == generated(0.01, UInt64($0)) })
    // Both fades end at their gains.
    let after = rig.samples.enumerated().dropFirst(512 + 240)
    #expect(after.allSatisfy { $1 == generated(0.01, UInt64($0)) })
    try graph.edit { _ in }
    #expect(throws: ProcessingGraphError.unknownNode("submix")) {
      try graph.edit { (edit) throws(ProcessingGraphError) in try edit.remove(mixer) }
    }
  }

  @Test("that is the renderer's own cannot be removed")
  func permanent() {
    let graph = GraphRig().renderer.graph
    #expect(throws: ProcessingGraphError.permanentNode("mix")) {
      try graph.edit { (edit) throws(ProcessingGraphError) in try edit.remove(graph.mix) }
    }
  }
}
