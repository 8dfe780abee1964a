// SPDX-License-Identifier: MIT

import Synchronization
import TestKit
import Testing

@testable import RenderCore

@Suite("A convolver in a graph")
struct ConvolverNodeTests {
  private static let latency = ConvolverControl.latencyFrames

  @Test(
    "delays parallel paths by its latency", arguments: GraphRig.cuts)
  func latency(_ cycles: [Int]) throws {
    let rig = GraphRig()
    _ = rig.addGenerator(step: 0.01)
    let graph = rig.renderer.graph
    let convolver = try graph.addConvolver(channelCount: 1, maximumFrames: 1000)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.setGain(-1, from: graph.mix, to: graph.output)
      try edit.connect(graph.mix, to: convolver.node)
      try edit.connect(convolver.node, to: graph.output)
    }
    rig.render(2000, cycles: cycles)
    #expect(rig.samples.allSatisfy { $0 == 0 })
    #expect(graph.latencyFrames == Self.latency && convolver.node.latencyFrames == Self.latency)
    #expect(convolver.maximumFrames == 1000)
    try convolver.set(ImpulseResponse(channels: [[3]], sampleRate: 48000))
    rig.render(4000, cycles: cycles)
    let frames = 5000..<6000
    let error = frames.map {
      (rig.samples[$0] - 2 * generated(0.01, UInt64($0 - Self.latency))).magnitude
    }.max()!
    #expect(error < 1e-5)
  }

  @Test("is inserted while the sound plays, without silence and without a click")
  func insertion() throws {
    let rig = GraphRig()
    _ = rig.addGenerator(step: 0.0001)
    let graph = rig.renderer.graph
    rig.render(1000, cycles: [64])
    let convolver = try graph.addConvolver(channelCount: 1, maximumFrames: 1000)
    try convolver.set(ImpulseResponse(channels: [[1]], sampleRate: 48000))
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(convolver.node, from: graph.mix, to: graph.output)
    }
    rig.render(1048, cycles: [64])
    // The generator rises by 0.0001 a frame up to frame 1024, and again from there.
    let isLoud = (300..<1000).allSatisfy { rig.samples[$0].magnitude > 0.3 }
    #expect(isLoud)
    let end = 1000 + Self.latency + 240
    let error = (end..<2000).map {
      (rig.samples[$0] - generated(0.0001, UInt64($0 - Self.latency))).magnitude
    }.max()!
    #expect(error < 1e-6)
  }

  @Test("takes responses from one thread while another one renders")
  func threads() throws {
    let rig = GraphRig()
    _ = rig.addGenerator(step: 0)
    let graph = rig.renderer.graph
    let convolver = try graph.addConvolver(channelCount: 1, maximumFrames: 2000)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(convolver.node, from: graph.mix, to: graph.output)
    }
    let hasEnded = Atomic(false)
    let rendered = Atomic(0)
    let thread = JoinableThread {
      while !hasEnded.load(ordering: .acquiring) {
        rig.render(1024, cycles: [64, 1, 7, 256])
        rendered.add(1, ordering: .releasing)
      }
    }
    var changes = 0
    while changes < 100 || rendered.load(ordering: .acquiring) < 50 {
      changes += 1
      let gain = Float(changes % 3 + 1)
      try convolver.set(ImpulseResponse(channels: [[gain]], sampleRate: 48000))
      if changes % 40 == 20 { rig.renderer.sampleRate = changes % 80 == 20 ? 44_100 : 48_000 }
    }
    try convolver.set(ImpulseResponse(channels: [[5]], sampleRate: rig.renderer.sampleRate))
    hasEnded.store(true, ordering: .releasing)
    thread.join()
    rig.render(4000, cycles: [64])
    #expect((rig.samples.last! + 2.5).magnitude < 1e-5)
  }

  @Test("counts samples that are not finite as the renderer does")
  func nonFinite() throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let convolver = try graph.addConvolver(channelCount: 1, maximumFrames: 1000)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(graph.input, to: graph.mix)
      try edit.insert(convolver.node, from: graph.mix, to: graph.output)
    }
    rig.render(inputs: [0, .nan, .infinity, 0])
    #expect(rig.renderer.nonFiniteSampleCount == 2)
  }

  @Test("follows the renderer's rate")
  func rate() throws {
    let rig = GraphRig()
    _ = rig.addGenerator(step: 0)
    let graph = rig.renderer.graph
    let convolver = try graph.addConvolver(channelCount: 1, maximumFrames: 10_000)
    // The sum of the response is its level at 0 Hz, at each rate.
    let taps = (0..<1000).map { frame -> Float in frame >= 200 && frame < 800 ? 0.01 : 0 }
    try convolver.set(ImpulseResponse(channels: [taps], sampleRate: 48000))
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(convolver.node, from: graph.mix, to: graph.output)
    }
    for rate in [48_000.0, 96_000, 44_100] {
      rig.renderer.sampleRate = rate
      rig.render(8000, cycles: [500])
      #expect((rig.samples.last! / -0.5 - 6).magnitude < 1e-3, "\(rate)")
    }
  }
}
