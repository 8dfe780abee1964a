// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import RenderCore

@Suite("A graph that is rewired")
struct GraphRewiringTests {
  @Test("Loses a monitor whose output leads elsewhere, with its edges")
  func rewiredMonitor() throws {
    let rig = GraphRig(channels: 2)
    let graph = rig.renderer.graph
    let monitor = rig.renderer.addMonitor()
    let effect = rig.addEffect(factor: 1, channels: 1)
    rig.render(64, cycles: [64])
    let node = graph.outputNode(of: monitor)!
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.disconnect(node, from: graph.output)
      try edit.connect(node, to: effect.node)
      try edit.connect(effect.node, to: graph.output)
    }
    rig.render(1000, cycles: [64])
    rig.renderer.remove(monitor)
    rig.render(64, cycles: [64])
    #expect(graph.node(of: monitor) == nil)
    let ends = rig.renderer.withModel { $0.edges.map { "\($0.source.name)-\($0.target.name)" } }
    #expect(ends == ["effect-output"])
  }

  @Test("Refuses edges out of the output, and from the mix to itself")
  func permanentNodes() {
    let graph = GraphRig().renderer.graph
    #expect(throws: ProcessingGraphError.cycle(path: ["mix", "mix"])) {
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.connect(graph.mix, to: graph.mix)
      }
    }
    #expect(throws: ProcessingGraphError.noSuchChannels(node: "output")) {
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.connect(graph.output, to: graph.mix)
      }
    }
  }

  @Test("Lets two nodes swap their order once the old edge has faded out")
  func order() throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let (a, b) = (rig.addEffect(factor: 0.5), rig.addEffect(factor: 0.5))
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(graph.mix, to: a.node)
      try edit.connect(a.node, to: b.node)
      try edit.connect(b.node, to: graph.output)
    }
    rig.render(64, cycles: [64])
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.disconnect(a.node, from: b.node)
    }
    let turn = { (edit: inout GraphEdit) throws(ProcessingGraphError) in
      try edit.connect(b.node, to: a.node)
    }
    #expect(throws: ProcessingGraphError.self) { try graph.edit(turn) }
    rig.render(1000, cycles: [64])
    try graph.edit(turn)
  }

  @Test("Calls callbacks in the order in which they were added")
  func callbackOrder() throws {
    let rig = GraphRig()
    let order = UnsafeMutablePointer<Int>.allocate(capacity: 4)
    unsafe order.initialize(repeating: 0, count: 4)
    defer { unsafe order.deallocate() }
    // The first number counts calls; each of the others is a callback's position in their order.
    let renderer = rig.renderer
    unsafe _ = renderer.addCallback(
      { context, _ in unsafe note(context, 1) }, context: order, outputs: 0..<0)
    unsafe _ = renderer.addCallback(
      { context, _ in unsafe note(context, 2) }, context: order, outputs: 0..<1)
    unsafe _ = renderer.addCallback(
      { context, _ in unsafe note(context, 3) }, context: order, outputs: 0..<0)
    rig.render(64, cycles: [64])
    #expect((1...3).map { unsafe order[$0] } == [1, 2, 3])
  }

  @Test("Keeps the channels and the gain of an edge that an effect replaces")
  func insertion() throws {
    let rig = GraphRig(channels: 4)
    let graph = rig.renderer.graph
    let callback = unsafe rig.renderer.addCallback({ _, _ in 0 }, context: nil, outputs: 2..<4)
    let effect = rig.addEffect(factor: 1, channels: 2)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.setGain(0.5, from: callback.node, to: graph.mix)
      try edit.insert(effect.node, from: callback.node, to: graph.mix)
    }
    rig.renderer.withModel { model in
      let edges = model.edges.filter { $0.source === effect.node.storage }
      #expect(edges.map(\.targetChannel) == [2] && edges.map(\.channelCount) == [2])
      #expect(edges.map(\.gain) == [0.5])
    }
  }

  @Test("Recovers from an effect that rendered infinity before its removal")
  func infinity() throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    _ = rig.addGenerator(step: 0)
    let effect = rig.addEffect(factor: .infinity)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(effect.node, from: graph.mix, to: graph.output)
    }
    rig.render(1000, cycles: [64])
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.remove(effect.node)
      try edit.connect(graph.mix, to: graph.output)
    }
    rig.render(1000, cycles: [64])
    #expect(rig.samples[1240...].allSatisfy { $0 == -0.5 })
  }

  @Test("Keeps a node that is connected again after its removal")
  func reconnection() throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let effect = rig.addEffect(factor: 1)
    let connect = { (edit: inout GraphEdit) throws(ProcessingGraphError) in
      try edit.connect(effect.node, to: graph.output)
    }
    try graph.edit(connect)
    rig.render(64, cycles: [64])
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.remove(effect.node)
      try connect(&edit)
      try edit.disconnect(effect.node, from: graph.output)
    }
    rig.render(1000, cycles: [64])
    try graph.edit(connect)
  }
}

/// Records a callback's position in the order of the calls.
@_noLocks
private func note(_ context: UnsafeMutableRawPointer?, _ callback: Int) -> Int32 {
  guard let order = unsafe context?.assumingMemoryBound(to: Int.self) else { return -1 }
  unsafe order[0] += 1
  unsafe order[callback] = unsafe order[0]
  return 0
}
