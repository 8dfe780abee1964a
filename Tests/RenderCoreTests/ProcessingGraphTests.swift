// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import RenderCore

@Suite("A processing graph")
struct ProcessingGraphTests {
  private static let fade = 240
  private static let cuts = GraphRig.cuts

  @Test("An effect is inserted and removed in a crossfade", arguments: cuts)
  func insertion(_ cycles: [Int]) throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    _ = rig.addGenerator(step: 0.01)
    let effect = rig.addEffect(factor: 0.5)
    rig.render(512, cycles: cycles)
    #expect(rig.calls[1] == 0)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(effect.node, from: graph.mix, to: graph.output)
    }
    rig.render(512, cycles: cycles)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.remove(effect.node)
      try edit.connect(graph.mix, to: graph.output)
    }
    rig.render(512, cycles: cycles)
    var (dry, wet) = (Gain(1), Gain(0))
    for frame in 0..<1536 {
      if frame == 512 {
        dry.go(to: 0, frames: Self.fade)
        wet.go(to: 1, frames: Self.fade)
      } else if frame == 1024 {
        dry.go(to: 1, frames: Self.fade)
        wet.go(to: 0, frames: Self.fade)
      }
      dry.advance()
      wet.advance()
      let sample = generated(0.01, UInt64(frame))
      let expected = dry.value * sample + wet.value * (sample * 0.5)
      #expect(rig.samples[frame] == expected, "frame \(frame)")
      if rig.samples[frame] != expected { return }
    }
    // The effect is removed, and is not called any more.
    let calls = rig.calls[1]
    try graph.edit { _ in }
    rig.render(64, cycles: cycles)
    #expect(rig.calls[1] == calls)
    #expect(throws: ProcessingGraphError.unknownNode("effect")) {
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.connect(effect.node, to: graph.output)
      }
    }
  }

  @Test("An edit is reversed half way without a step", arguments: cuts)
  func reversal(_ cycles: [Int]) throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let generator = rig.addGenerator(step: 0)
    rig.render(100, cycles: cycles)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.disconnect(generator.node, from: graph.mix)
    }
    rig.render(100, cycles: cycles)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(generator.node, to: graph.mix)
    }
    rig.render(400, cycles: cycles)
    var gain = Gain(1)
    for frame in 0..<600 {
      if frame == 100 { gain.go(to: 0, frames: Self.fade) }
      if frame == 200 { gain.go(to: 1, frames: Self.fade) }
      gain.advance()
      #expect(rig.samples[frame] == gain.value * -0.5)
    }
    #expect(rig.samples.min()! == -0.5 && rig.samples.max()! < -0.1)
  }

  @Test("Paths of different latency are aligned", arguments: cuts)
  func compensation(_ cycles: [Int]) throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let generator = rig.addGenerator(step: 0.01)
    let late = rig.addEffect(factor: 1, delay: 100)
    rig.render(64, cycles: cycles)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      // Both the dry path and the delayed one lead to the output.
      try edit.connect(generator.node, to: late.node)
      try edit.connect(late.node, to: graph.output)
    }
    #expect(graph.latencyFrames == 100)
    rig.render(1000, cycles: cycles)
    for frame in 64 + 100 + Self.fade..<1064 {
      #expect(rig.samples[frame] == 2 * generated(0.01, UInt64(frame - 100)))
    }
    // Until the delayed path is filled, the output is unchanged.
    for frame in 0..<164 { #expect(rig.samples[frame] == generated(0.01, UInt64(frame))) }
    try graph.edit { (edit) throws(ProcessingGraphError) in try edit.remove(late.node) }
    #expect(graph.latencyFrames == 0)
    rig.render(1000, cycles: cycles)
    for frame in 1064 + Self.fade..<2064 {
      #expect(rig.samples[frame] == generated(0.01, UInt64(frame)))
    }
  }

  @Test("A cycle is refused with its path, and changes nothing")
  func cycle() throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let effects = ["one", "two", "three"].map { rig.addEffect(factor: 1, name: $0) }
    let error = #expect(throws: ProcessingGraphError.self) {
      try graph.edit { (edit) throws(ProcessingGraphError) in
        for index in 0..<3 {
          try edit.connect(effects[index].node, to: effects[(index + 1) % 3].node)
        }
      }
    }
    guard case .cycle(let path) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(path.count == 4 && path.first == path.last && Set(path) == ["one", "two", "three"])
    #expect(throws: ProcessingGraphError.notConnected(from: "one", to: "two")) {
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.disconnect(effects[0].node, from: effects[1].node)
      }
    }
  }

  @Test("An impossible edit is refused with the name of the node")
  func refusals() throws {
    let rig = GraphRig(channels: 2)
    let graph = rig.renderer.graph
    let other = GraphRig(channels: 2)
    let generator = rig.addGenerator(step: 0.01)
    let effect = rig.addEffect(factor: 1, channels: 2)
    func error(
      _ body: @escaping (inout GraphEdit) throws(ProcessingGraphError) -> Void
    ) -> ProcessingGraphError? {
      #expect(throws: ProcessingGraphError.self) { try graph.edit(body) }
    }
    #expect(
      error { (edit) throws(ProcessingGraphError) in
        try edit.connect(other.addEffect(factor: 1).node, to: graph.output)
      } == .unknownNode("effect"))
    #expect(
      error { (edit) throws(ProcessingGraphError) in
        try edit.connect(generator.node, channel: 2, to: effect.node)
      } == .noSuchChannels(node: "callback"))
    #expect(
      error { (edit) throws(ProcessingGraphError) in
        try edit.connect(generator.node, channel: .min, to: effect.node)
      } == .noSuchChannels(node: "callback"))
    #expect(
      error { (edit) throws(ProcessingGraphError) in
        try edit.connect(generator.node, to: effect.node, targetChannel: .min)
      } == .noSuchChannels(node: "effect"))
    #expect(
      error { (edit) throws(ProcessingGraphError) in
        try edit.connect(generator.node, to: effect.node, bus: 1)
      } == .noSuchChannels(node: "effect"))
    #expect(
      error { (edit) throws(ProcessingGraphError) in
        try edit.connect(generator.node, to: effect.node, targetChannel: 1, channelCount: 2)
      } == .noSuchChannels(node: "effect"))
    #expect(
      error { (edit) throws(ProcessingGraphError) in
        try edit.connect(generator.node, to: graph.mix)
      } == .alreadyConnected(from: "callback", to: "mix"))
    #expect(
      error { (edit) throws(ProcessingGraphError) in try edit.remove(graph.mix) }
        == .permanentNode("mix"))
    let late = [1, ProcessingGraph.maximumLatencyFrames].map { frames in
      unsafe graph.addEffect(
        { _, _ in 0 }, context: nil, channelCount: 2, latencyFrames: frames, name: "late"
      ).node
    }
    #expect(
      error { (edit) throws(ProcessingGraphError) in
        try edit.insert(late[0], from: graph.mix, to: graph.output)
        try edit.insert(late[1], from: late[0], to: graph.output)
      } == .tooLate(node: "late", frames: ProcessingGraph.maximumLatencyFrames + 1))
    rig.render(64, cycles: [64])
    #expect(rig.samples == (0..<64).map { generated(0.01, $0) })
  }

  @Test(
    "Inputs lead through an effect to the output, and unchanged to a capture")
  func inputs() throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    var reader = rig.renderer.addCapture()
    let effect = rig.addEffect(factor: 0.5)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(graph.input, to: effect.node)
      try edit.connect(effect.node, to: graph.output)
    }
    let ramp = (0..<512).map { Float($0) }
    rig.render(inputs: ramp)
    rig.render(inputs: ramp)
    #expect(Array(rig.samples[512...]) == ramp.map { $0 * 0.5 })
    var captured: [Float] = []
    while case .frames = reader.read({ _, _, samples in
      for index in samples.indices { captured.append(samples[index]) }
    }) {}
    #expect(captured.suffix(512) == ramp[...])
  }
}
