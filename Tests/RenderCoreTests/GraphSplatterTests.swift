// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import RenderCore

@Suite("An edit of a graph that plays a tone")
struct GraphSplatterTests {
  enum Change: CaseIterable {
    case gain, polarity, disconnection, connection, bypass, endOfBypass, insertion, toggling
  }

  /// Renders a tone, directly or through an effect that attenuates it. The change begins with frame 4096. Returns the
  /// samples from frame 3000 on.
  private func hear(_ change: Change, hertz: Double) throws -> [Float] {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let effect = rig.addEffect(factor: 0.25).node
    let isThrough = change == .bypass || change == .endOfBypass || change == .toggling
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(graph.input, to: isThrough ? effect : graph.output)
      if isThrough { try edit.connect(effect, to: graph.output) }
      if change == .connection { try edit.disconnect(graph.input, from: graph.output) }
      try edit.setBypassed(change == .endOfBypass, effect)
    }
    let tone = CosineTone(hertz: hertz, sampleRate: 48000).samples(16_384, amplitude: 0.25)
    for start in stride(from: 0, to: tone.count, by: 64) {
      if start == 4096 { try edit(graph, effect, change) }
      if change == .toggling, start > 4096, start < 12_000 {
        try graph.setBypassed(start % 128 == 0, effect)
      }
      rig.render(inputs: Array(tone[start..<start + 64]))
    }
    return Array(rig.samples[3000...])
  }

  private func edit(_ graph: ProcessingGraph, _ effect: GraphNode, _ change: Change) throws {
    try graph.edit { (edit) throws(ProcessingGraphError) in
      switch change {
      case .gain: try edit.setGain(0.1, from: graph.input, to: graph.output)
      case .polarity: try edit.setGain(-1, from: graph.input, to: graph.output)
      case .disconnection: try edit.disconnect(graph.input, from: graph.output)
      case .connection: try edit.connect(graph.input, to: graph.output)
      case .bypass: try edit.setBypassed(true, effect)
      case .endOfBypass: try edit.setBypassed(false, effect)
      case .insertion: try edit.insert(effect, from: graph.input, to: graph.output)
      case .toggling: break
      }
    }
  }

  @Test("leaves at most -125 dBFS above 3 kHz of 60 Hz", arguments: Change.allCases)
  func low(_ change: Change) throws {
    let decibels = Splatter.decibels(try hear(change, hertz: 60), sampleRate: 48000)
    if showsFigures { print("figures edit \(change) 60 Hz: \(decibels) dBFS") }
    #expect(decibels <= -125)
  }

  @Test("leaves at most -140 dBFS above 6 kHz of 1 kHz", arguments: Change.allCases)
  func middle(_ change: Change) throws {
    let heard = try hear(change, hertz: 1000).map(Double.init)
    let decibels = Splatter.decibels(heard, sampleRate: 48000, above: 6000)
    if showsFigures { print("figures edit \(change) 1 kHz: \(decibels) dBFS") }
    #expect(decibels <= -140)
  }
}
