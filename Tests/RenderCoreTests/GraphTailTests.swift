// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import RenderCore

@Suite("Tails in a processing graph")
struct GraphTailTests {
  @Test("Add up along a path, without those of bypassed effects")
  func sums() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    let graph = renderer.graph
    #expect(graph.tailFrames == 0)
    let delay = graph.addDelay(channelCount: 1, maximumFrames: 1000)
    delay.set { _, rate in Int(rate / 480) }
    let effects = [50, 120].map { frames in
      unsafe graph.addEffect({ _, _ in 0 }, context: nil, channelCount: 1, tailFrames: frames).node
    }
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(delay.node, from: graph.mix, to: graph.output)
      try edit.connect(graph.mix, to: effects[0])
      try edit.connect(effects[0], to: graph.output)
    }
    #expect(graph.tailFrames == 100 && delay.node.tailFrames == 100)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(effects[1], from: effects[0], to: graph.output)
    }
    #expect(graph.tailFrames == 170)
    renderer.sampleRate = 96000
    #expect(graph.tailFrames == 200)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.setBypassed(true, delay.node)
      try edit.setBypassed(true, effects[0])
    }
    #expect(graph.tailFrames == 120)
  }

  @Test("Continue to sound after a removal, without a step", arguments: GraphRig.cuts)
  func removal(_ cycles: [Int]) throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let delay = graph.addDelay(channelCount: 1, maximumFrames: 1000)
    delay.set { _, _ in 1000 }
    _ = rig.addGenerator(step: 0)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(delay.node, from: graph.mix, to: graph.output)
    }
    rig.render(2000, cycles: cycles)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.remove(delay.node, keepsTail: true)
    }
    rig.render(2000, cycles: cycles)
    let samples = Array(rig.samples[2000...])
    #expect(samples[..<1000].allSatisfy { $0 == -0.5 })
    #expect(zip(samples, samples.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(samples[1240...].allSatisfy { $0 == 0 })
    try graph.edit { _ in }
    #expect(rig.renderer.withModel { !$0.contains(delay.node.storage) })
  }

  @Test("Do not delay the removal of a node without one, and a removal can be undone")
  func reversal() throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let effect = rig.addEffect(factor: 1)
    let generator = rig.addGenerator(step: 0)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(effect.node, from: generator.node, to: graph.mix)
    }
    rig.render(1000, cycles: [64])
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.remove(effect.node, keepsTail: true)
    }
    rig.render(100, cycles: [64])
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(generator.node, to: effect.node)
      try edit.connect(effect.node, to: graph.mix)
    }
    rig.render(1000, cycles: [64])
    try graph.edit { _ in }
    rig.render(1000, cycles: [64])
    #expect(rig.samples.suffix(1000).allSatisfy { $0 == -0.5 })
  }
}
