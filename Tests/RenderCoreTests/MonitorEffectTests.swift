// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import RenderCore

@Suite("Effects behind a monitor")
struct MonitorEffectTests {
  /// Returns a rig of one channel with a monitor.
  private func monitored(
    _ change: (inout MonitorSettings) -> Void = { _ in }
  ) -> (rig: GraphRig, monitor: MonitorControl) {
    let rig = GraphRig()
    var settings = MonitorSettings(inputs: 1, outputs: 1)
    change(&settings)
    return (rig, rig.renderer.addMonitor(settings))
  }

  private func insert(_ node: GraphNode, behind monitor: MonitorControl, _ rig: GraphRig) throws {
    let graph = rig.renderer.graph
    let (sum, heard) = (graph.node(of: monitor)!, graph.outputNode(of: monitor)!)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(node, from: sum, to: heard)
    }
  }

  /// Renders until the gains are at rest.
  private func settle(_ rig: GraphRig, _ monitor: MonitorControl, at value: Float) {
    rig.render(inputs: .init(repeating: value, count: 1000))
    _ = monitor.takeLevels()
  }

  @Test("Change the sum before it is limited and measured")
  func order() throws {
    let (rig, monitor) = monitored { $0.limit = 0.5 }
    try insert(rig.addEffect(factor: 2).node, behind: monitor, rig)
    settle(rig, monitor, at: 0.125)
    rig.render(inputs: .init(repeating: 0.125, count: 100))
    #expect(rig.samples.suffix(100).allSatisfy { $0 == 0.25 })
    let quiet = monitor.takeLevels()
    #expect(quiet.inputs[0].peak == 0.125 && quiet.outputs[0].peak == 0.25)
    #expect(quiet.outputs[0].frameCount == 100 && quiet.limiterGain == 1)
    rig.render(inputs: .init(repeating: 0.5, count: 1000))
    #expect(rig.samples.suffix(100).allSatisfy { $0 <= 0.5 && $0 > 0.49 })
    let loud = monitor.takeLevels()
    #expect(loud.outputs[0].peak <= 0.5 && abs(loud.limiterGain - 0.5) < 1e-3)
  }

  @Test("Change no bit and no level if they are neutral", arguments: [false, true], [false, true])
  func neutral(_ limits: Bool, _ hasSource: Bool) throws {
    let rigs = [false, true].map { _ in
      monitored {
        $0.limit = limits ? 0.25 : nil
        $0.highPassHertz = 100
      }
    }
    for (rig, _) in rigs where hasSource { _ = rig.addGenerator(step: 0.01) }
    let (changed, monitor) = rigs[1]
    try insert(changed.addEffect(factor: 1).node, behind: monitor, changed)
    var chance = SeededGenerator(seed: 5)
    for _ in 0..<20 {
      let inputs = (0..<Int.random(in: 1...500, using: &chance)).map { _ in
        Float.random(in: -1...1, using: &chance)
      }
      for (rig, _) in rigs { rig.render(inputs: inputs) }
    }
    #expect(rigs[0].rig.samples == changed.samples)
    #expect(rigs[0].monitor.takeLevels() == monitor.takeLevels())
  }

  @Test("Stay when the monitor is removed")
  func removal() throws {
    let (rig, monitor) = monitored()
    _ = rig.addGenerator(step: 0.01)
    try insert(rig.addEffect(factor: 0.5).node, behind: monitor, rig)
    settle(rig, monitor, at: 0.125)
    rig.renderer.remove(monitor)
    rig.render(inputs: .init(repeating: 0.125, count: 1000))
    let expected = (1000..<2000).map { generated(0.01, $0) * 0.5 }
    #expect(rig.samples.suffix(1000) == expected[...])
    let graph = rig.renderer.graph
    #expect(graph.node(of: monitor) == nil && graph.outputNode(of: monitor) == nil)
  }

  @Test("Can be faded out behind the limiter")
  func fadeOut() throws {
    let (rig, monitor) = monitored { $0.limit = 0.25 }
    settle(rig, monitor, at: 0.5)
    let graph = rig.renderer.graph
    let heard = graph.outputNode(of: monitor)!
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.setGain(0, from: heard, to: graph.output)
    }
    rig.render(inputs: .init(repeating: 0.5, count: 1000))
    let samples = rig.samples.suffix(1000)
    #expect(zip(samples, samples.dropFirst()).allSatisfy { $0 >= $1 })
    #expect(samples.dropFirst(240).allSatisfy { $0 == 0 })
  }
}
