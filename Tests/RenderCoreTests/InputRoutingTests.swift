// SPDX-License-Identifier: MIT

import Synchronization
import Testing

@testable import RenderCore

@Suite("The routing of a renderer's inputs")
struct InputRoutingTests {
  private let renderer = Renderer(sampleRate: 48000, outputChannels: 2, inputChannels: 2)
  private var graph: ProcessingGraph { renderer.graph }

  private func edit(_ body: (inout GraphEdit) throws(ProcessingGraphError) -> Void) throws {
    try graph.edit(body)
  }

  private func effect(_ latencyFrames: Int = 0) -> GraphNode {
    unsafe graph.addEffect(
      { _, _ in 0 }, context: nil, channelCount: 2, latencyFrames: latencyFrames
    ).node
  }

  private func filters() -> GraphNode { graph.addFilterBank(channelCount: 2).node }

  @Test("Is empty without a path")
  func none() {
    let source = renderer.addSource()
    _ = unsafe renderer.addCallback({ _, _ in 0 }, context: nil, inputs: 0..<0)
    #expect(graph.inputRouting.latencyFrames == [[:], [:]])
    withExtendedLifetime(source.control) {}
  }

  @Test("Follows the channels of edges, and adds latencies")
  func edges() throws {
    try edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(graph.input, channel: 1, to: graph.output, channelCount: 1)
    }
    #expect(graph.inputRouting.latencyFrames == [[1: 0...0], [:]])
    let late = graph.addLimiter(channelCount: 2, lookAheadFrames: 10).node
    try edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(late, from: graph.input, to: graph.output)
    }
    // The insertion leads channel 1 through the first channel of the node.
    #expect(graph.inputRouting.latencyFrames == [[1: 10...10], [:]])
    try edit { (edit) throws(ProcessingGraphError) in
      try edit.setGain(0, from: late, to: graph.output)
    }
    #expect(graph.inputRouting.latencyFrames == [[:], [:]])
  }

  @Test(
    "Passes the channels of a filter bank, a mixer and a bypassed effect, and all of another effect"
  )
  func channels() throws {
    let node = effect(3)
    try edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(graph.input, to: node)
      try edit.connect(node, to: graph.output)
    }
    #expect(graph.inputRouting.latencyFrames == [[0: 3...3, 1: 3...3], [0: 3...3, 1: 3...3]])
    try edit { (edit) throws(ProcessingGraphError) in try edit.setBypassed(true, node) }
    #expect(graph.inputRouting.latencyFrames == [[0: 3...3], [1: 3...3]])
    let (bank, mixer) = (filters(), graph.addMixer(channelCount: 2))
    try edit { (edit) throws(ProcessingGraphError) in
      try edit.remove(node)
      try edit.connect(graph.input, to: bank)
      try edit.connect(bank, to: mixer)
      try edit.connect(mixer, channel: 0, to: graph.output, targetChannel: 1, channelCount: 1)
    }
    #expect(graph.inputRouting.latencyFrames == [[:], [0: 0...0]])
  }

  @Test("Leads from the inputs that a callback reads to its outputs")
  func callbacks() {
    _ = unsafe renderer.addCallback({ _, _ in 0 }, context: nil, outputs: 1..<2, inputs: 0..<1)
    #expect(graph.inputRouting.latencyFrames == [[:], [0: 0...0]])
    _ = unsafe renderer.addCallback({ _, _ in 0 }, context: nil, outputs: 0..<1)
    #expect(graph.inputRouting.latencyFrames == [[0: 0...0, 1: 0...0], [0: 0...0]])
  }

  @Test("Follows the matrix of a monitor, and the effects before and behind it")
  func monitors() throws {
    let monitor = renderer.addMonitor()
    #expect(graph.inputRouting.latencyFrames == [[0: 0...0], [1: 0...0]])
    monitor.settings.crosspoints = [[0, 1], [0, -1, 5]]
    #expect(graph.inputRouting.latencyFrames == [[1: 0...0], [1: 0...0]])
    let (sum, heard) = (graph.node(of: monitor)!, graph.outputNode(of: monitor)!)
    let (before, behind) = (effect(100), effect(7))
    try edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(behind, from: sum, to: heard)
      try edit.connect(graph.input, channel: 0, to: before, channelCount: 1)
      try edit.connect(before, to: sum)
    }
    // The monitored inputs do not wait for a path that leads into the monitor.
    let both = [0: 107...107, 1: 7...7]
    #expect(graph.inputRouting.latencyFrames == [both, both])
  }

  @Test("Is reported at once and after each change, and after no other edit")
  func reports() throws {
    let reports = Mutex<[InputRouting]>([])
    renderer.observeInputRouting { routing in reports.withLock { $0.append(routing) } }
    let monitor = renderer.addMonitor()
    monitor.update { $0.gain = 0.5 }
    let node = effect(5)
    monitor.settings.crosspoints[0] = []
    renderer.remove(monitor)
    renderer.observeInputRouting(nil)
    try edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(graph.input, to: node)
      try edit.connect(node, to: graph.output)
    }
    let latencies = reports.withLock { $0.map(\.latencyFrames) }
    #expect(
      latencies == [[[:], [:]], [[0: 0...0], [1: 0...0]], [[:], [1: 0...0]], [[:], [:]]])
  }
}
