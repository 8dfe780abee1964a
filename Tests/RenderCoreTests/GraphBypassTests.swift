// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import RenderCore

@Suite("A bypassed effect")
struct GraphBypassTests {
  private static let cuts = GraphRig.cuts

  /// A generator that leads through an effect to the output.
  private struct Chain {
    let rig = GraphRig()
    let effect: RenderCallbackHandle

    init(factor: Float, delay: Int = 0) throws {
      let effect = rig.addEffect(factor: factor, delay: delay)
      _ = rig.addGenerator(step: 0.01)
      self.effect = effect
      let graph = rig.renderer.graph
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.insert(effect.node, from: graph.mix, to: graph.output)
      }
    }

    func bypass(_ isBypassed: Bool) throws {
      try rig.renderer.graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.setBypassed(isBypassed, effect.node)
      }
    }
  }

  /// Returns the sound of a generator that began at frame 0, from `delay` frames on.
  private func sound(_ frames: Range<Int>, delay: Int = 0, factor: Float = 1) -> [Float] {
    frames.map { $0 < delay ? 0 : generated(0.01, UInt64($0 - delay)) * factor }
  }

  @Test("Passes its input on with its latency, to the bit", arguments: cuts)
  func dry(_ cycles: [Int]) throws {
    for delay in [0, 100] {
      let chain = try Chain(factor: 0.5, delay: delay)
      chain.rig.render(1000, cycles: cycles)
      try chain.bypass(true)
      #expect(chain.rig.renderer.graph.isBypassed(chain.effect.node))
      #expect(chain.rig.renderer.graph.latencyFrames == delay)
      chain.rig.render(1000, cycles: cycles)
      let samples = chain.rig.samples
      #expect(Array(samples[..<1000]) == sound(0..<1000, delay: delay, factor: 0.5))
      // The dry path is filled, then fades in.
      let end = 1000 + delay + 240
      #expect(Array(samples[end...]) == sound(end..<2000, delay: delay))
      for frame in 1000..<end {
        let (wet, dry) = (
          sound(frame..<frame + 1, delay: delay, factor: 0.5)[0],
          sound(frame..<frame + 1, delay: delay)[0]
        )
        let (low, high) = (min(wet, dry) - 1e-6, max(wet, dry) + 1e-6)
        #expect(low <= samples[frame] && samples[frame] <= high)
      }
    }
  }

  @Test(
    "Does not render after the edit that follows the crossfade, and begins again", arguments: cuts)
  func calls(_ cycles: [Int]) throws {
    let chain = try Chain(factor: 0.5, delay: 100)
    chain.rig.render(1000, cycles: cycles)
    try chain.bypass(true)
    chain.rig.render(1000, cycles: cycles)
    try chain.rig.renderer.graph.edit { _ in }
    let calls = chain.rig.callCount(of: 0)
    chain.rig.render(1000, cycles: cycles)
    #expect(chain.rig.callCount(of: 0) == calls)
    try chain.bypass(false)
    chain.rig.render(1000, cycles: cycles)
    #expect(chain.rig.callCount(of: 0) > calls)
    let samples = chain.rig.samples
    #expect(Array(samples[2000..<3100]) == sound(2000..<3100, delay: 100))
    #expect(Array(samples[3340...]) == sound(3340..<4000, delay: 100, factor: 0.5))
  }

  @Test("Reverses half way without a step", arguments: cuts)
  func reversal(_ cycles: [Int]) throws {
    let chain = try Chain(factor: -1)
    chain.rig.render(1024, cycles: cycles)
    for isBypassed in [true, false, true, false] {
      try chain.bypass(isBypassed)
      chain.rig.render(100, cycles: cycles)
    }
    chain.rig.render(4000, cycles: cycles)
    let samples = chain.rig.samples
    // The sawtooth itself steps where it starts again.
    let wave = (0..<samples.count).map { generated(0.01, UInt64($0)) }
    let gains = zip(samples, wave).map { $1.magnitude > 0.01 ? $0 / $1 : nil }
    let steps = zip(gains, gains.dropFirst()).compactMap { before, after in
      before.flatMap { before in after.map { ($0 - before).magnitude } }
    }
    // Two edges of at most four steps at a time, each from -1 to 1.
    #expect(steps.max()! < 2 * 4 * 1.875 / 240)
    #expect(samples.suffix(1000) == wave.suffix(1000).map { -$0 })
  }

  @Test("Begins bypassed without a fade before the first cycle")
  func atRest() throws {
    let chain = try Chain(factor: 0.5, delay: 100)
    try chain.bypass(true)
    chain.rig.render(1000, cycles: [64])
    #expect(chain.rig.samples == sound(0..<1000, delay: 100))
    #expect(chain.rig.callCount(of: 0) == 0)
  }

  @Test("Passes its input to all nodes that read its output, also to new ones", arguments: cuts)
  func parallel(_ cycles: [Int]) throws {
    let chain = try Chain(factor: 0.5)
    let graph = chain.rig.renderer.graph
    let second = chain.rig.addEffect(factor: 0.25)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(chain.effect.node, to: second.node)
      try edit.connect(second.node, to: graph.output)
    }
    chain.rig.render(1000, cycles: cycles)
    try chain.bypass(true)
    chain.rig.render(1000, cycles: cycles)
    let third = chain.rig.addEffect(factor: 0.125)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(chain.effect.node, to: third.node)
      try edit.connect(third.node, to: graph.output)
      try edit.setGain(2, from: chain.effect.node, to: graph.output)
    }
    chain.rig.render(1000, cycles: cycles)
    let (samples, wave) = (chain.rig.samples, sound(0..<3000))
    for (range, factor) in [(0..<1000, 0.625), (1240..<2000, 1.25), (2240..<3000, 2.375)] {
      for frame in range {
        #expect((samples[frame] - wave[frame] * Float(factor)).magnitude < 1e-6)
      }
    }
  }

  @Test("Is removed and disconnected like another one", arguments: cuts)
  func removal(_ cycles: [Int]) throws {
    let chain = try Chain(factor: 0.5, delay: 100)
    let graph = chain.rig.renderer.graph
    chain.rig.render(1000, cycles: cycles)
    try chain.bypass(true)
    chain.rig.render(1000, cycles: cycles)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.disconnect(chain.effect.node, from: graph.output)
      try edit.remove(chain.effect.node)
      try edit.connect(graph.mix, to: graph.output)
    }
    chain.rig.render(1000, cycles: cycles)
    #expect(graph.latencyFrames == 0)
    #expect(Array(chain.rig.samples[2240...]) == sound(2240..<3000))
  }

  @Test("Takes no longer to compile behind many others, each with an edge for each channel")
  func many() throws {
    let rig = GraphRig(channels: 2)
    let graph = rig.renderer.graph
    let nodes = (0..<40).map { _ in rig.addEffect(factor: 0.5, channels: 2).node }
    try graph.edit { (edit) throws(ProcessingGraphError) in
      for (source, target) in zip([graph.input] + nodes, nodes + [graph.output]) {
        for channel in 0..<2 {
          try edit.connect(
            source, channel: channel, to: target, targetChannel: channel, channelCount: 1)
        }
      }
      for node in nodes { try edit.setBypassed(true, node) }
    }
    // Without the results of earlier nodes, each would double the work.
    #expect(graph.inputRouting.latencyFrames == [[0: 0...0], [1: 0...0]])
    rig.render(64, cycles: [64])
    #expect(rig.calls.allSatisfy { $0 == 0 })
  }

  @Test("Can only be an effect with as many outputs as inputs")
  func refusals() throws {
    let rig = GraphRig(channels: 2)
    let graph = rig.renderer.graph
    let uneven = unsafe graph.addEffect(
      { _, _ in 0 }, context: nil, channelCount: 2, outputChannelCount: 1, name: "uneven")
    let nodes = [uneven.node, graph.mix, graph.output, graph.input, rig.addGenerator(step: 0).node]
    for node in nodes + [graph.addMixer(channelCount: 2)] {
      #expect(throws: ProcessingGraphError.notBypassable(node.name)) {
        try graph.edit { (edit) throws(ProcessingGraphError) in
          try edit.setBypassed(true, node)
        }
      }
    }
    let other = GraphRig().addEffect(factor: 1)
    #expect(throws: ProcessingGraphError.unknownNode("effect")) {
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.setBypassed(true, other.node)
      }
    }
  }
}
