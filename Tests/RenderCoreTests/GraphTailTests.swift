// SPDX-License-Identifier: MIT

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
}
