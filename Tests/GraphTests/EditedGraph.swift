// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import TestKit

@testable import RenderCore

/// A graph and its model, with the same edits. The nodes have no latency; GraphLatencyTests covers latency.
struct EditedGraph {
  private let rig = GraphRig()
  private(set) var reference = GraphReference()
  /// The graph's node for each node of the model; nil once it is removed.
  private var nodes: [GraphNode?]
  /// The filter banks, and the model's.
  private var banks: [Int: (FilterBankControl, FilterBankStorage)] = [:]
  private var chance: SplitMix
  private(set) var editCount = 0
  private(set) var mostNodes = 0
  private(set) var mostEdges = 0
  private(set) var mostLooped = 0

  private static let sampleRate = 48000.0

  /// Whether edits also add filter banks, limiters, compressors and delays. Delays make feedback loops possible.
  private let hasBuiltInEffects: Bool

  init(seed: UInt64, hasBuiltInEffects: Bool) {
    chance = SplitMix(state: seed)
    self.hasBuiltInEffects = hasBuiltInEffects
    nodes = [rig.renderer.graph.mix, rig.renderer.graph.output]
  }

  /// Renders a cycle of random length, and returns the graph's and the model's samples.
  mutating func renderCycle() -> (given: [Float], expected: [Float]) {
    let longest = 1 << Int.random(in: 0...9, using: &chance)
    let isLong = Int.random(in: 0..<200, using: &chance) == 0
    let frames = isLong ? 8192 : Int.random(in: 1...longest, using: &chance)
    rig.forgetSamples()
    rig.render(frames, cycles: [frames])
    return (rig.samples, reference.render(frames))
  }

  /// Makes a random change of the graph.
  mutating func edit() throws {
    let before = editCount
    while editCount == before {
      switch Int.random(in: 0..<16, using: &chance) {
      case 0: add()
      case 1: try remove()
      case 2, 3: changeFilters()
      case 4, 5, 6: try setGain()
      case 7, 8: try toggleBypass()
      case 9, 10, 11: try disconnect()
      default: try connect()
      }
    }
    let present = reference.present
    mostNodes = max(mostNodes, present.count)
    mostEdges = max(mostEdges, reference.edges.count)
    if editCount % 64 == 0 {
      mostLooped = max(mostLooped, present.count(where: reference.isInLoop))
    }
  }

  private mutating func change(
    _ body: (inout GraphEdit) throws(ProcessingGraphError) -> Void,
    _ change: (inout GraphReference) -> Void
  ) throws {
    reference.begin()
    try rig.renderer.graph.edit(body)
    change(&reference)
    reference.end()
    editCount += 1
  }

  // MARK: Nodes

  private mutating func add() {
    let present = reference.present
    if present.count >= 64 { return }
    let graph = rig.renderer.graph
    let generators = present.count(where: reference.isGenerator)
    let delays = present.count(where: reference.isDelay)
    switch Int.random(in: 0..<(hasBuiltInEffects ? 9 : 5), using: &chance) {
    case 0, 1:
      if generators >= 16 { return }
      let step = Float.random(in: 0.001..<0.1, using: &chance)
      add(rig.addGenerator(step: step).node, .generator(step: step))
    case 2, 3:
      let factor = Float.random(in: -0.9..<0.9, using: &chance)
      let handle = rig.addEffect(factor: factor, limit: 1)
      add(handle.node, .effect(factor: factor, limit: 1))
    case 4:
      add(graph.addMixer(channelCount: 1), .sum)
    case 5:
      let bank = graph.addFilterBank(channelCount: 1)
      let storage = FilterBankStorage(channels: 1, sampleRate: Self.sampleRate)
      banks[nodes.count] = (bank, storage)
      add(bank.node, .builtIn(storage))
    case 6:
      let limiter = graph.addLimiter(channelCount: 1)
      let storage = LimiterStorage(
        Limiter(channels: 1, lookAheadFrames: 0, findsTruePeaks: false),
        sampleRate: Self.sampleRate)
      limiter.ceiling = 0.5
      storage.change { $0.ceiling = 0.5 }
      add(limiter.node, .builtIn(storage))
    case 7:
      add(
        graph.addDynamics(channelCount: 1).node,
        .builtIn(DynamicsStorage(sampleRate: Self.sampleRate)))
    default:
      if delays >= 4 { return }
      let frames = Int.random(in: 64...2000, using: &chance)
      let delay = graph.addDelay(channelCount: 1, minimumFrames: 64, maximumFrames: 2000)
      delay.set { _, _ in frames }
      add(delay.node, .delay(frames: frames))
    }
  }

  private mutating func add(_ node: GraphNode, _ model: GraphReference.Node) {
    nodes.append(node)
    reference.begin()
    _ = reference.add(model)
    editCount += 1
  }

  private mutating func remove() throws {
    // Removals are rare, so that the graph stays large.
    guard Int.random(in: 0..<2, using: &chance) == 0,
      let node = reference.present.randomElement(using: &chance), node > 1,
      !reference.isGenerator(node)
    else { return }
    let handle = nodes[node]!
    try change({ (edit) throws(ProcessingGraphError) in try edit.remove(handle) }) {
      $0.remove(node)
    }
    (nodes[node], banks[node]) = (nil, nil)
  }

  private mutating func toggleBypass() throws {
    let effects = reference.present.filter(reference.isEffect)
    guard let node = effects.randomElement(using: &chance) else { return }
    // An effect before a delay limits the sound of a loop, so it stays on.
    if reference.edges.contains(where: { $0.source == node && reference.isDelay($0.target) }) {
      return
    }
    let (handle, isBypassed) = (nodes[node]!, !reference.isBypassed(node))
    try change({ (edit) throws(ProcessingGraphError) in
      try edit.setBypassed(isBypassed, handle)
    }) { $0.toggleBypass(node) }
  }

  private mutating func changeFilters() {
    guard let node = banks.keys.sorted().randomElement(using: &chance),
      let (bank, storage) = banks[node]
    else { return }
    let sections = (0..<Int.random(in: 0...3, using: &chance)).map { _ in
      BiquadCoefficients.random(using: &chance)
    }
    try? bank.set { _ in [sections] }
    try? storage.set { _ in [sections] }
    editCount += 1
  }

  // MARK: Edges

  private mutating func randomGain(from source: Int) -> Float {
    let gains: [Float] = reference.isDelay(source) ? [0.5, -0.25, 0] : [1, 0.5, -0.25, 0]
    return gains.randomElement(using: &chance)!
  }

  private mutating func setGain() throws {
    guard let edge = reference.connected.randomElement(using: &chance) else { return }
    let gain = randomGain(from: edge.source)
    let (source, target) = (nodes[edge.source]!, nodes[edge.target]!)
    try change({ (editor) throws(ProcessingGraphError) in
      try editor.setGain(gain, from: source, to: target)
    }) { $0.setGain(gain, edge.source, to: edge.target) }
  }

  private mutating func disconnect() throws {
    let connected = reference.connected
    // The graph tends to two edges a node.
    guard Int.random(in: 0..<connected.count + 1, using: &chance) > reference.present.count,
      let edge = connected.randomElement(using: &chance)
    else { return }
    let (source, target) = (nodes[edge.source]!, nodes[edge.target]!)
    try change({ (editor) throws(ProcessingGraphError) in
      try editor.disconnect(source, from: target)
    }) { $0.disconnect(edge.source, from: edge.target) }
  }

  private mutating func connect() throws {
    let present = reference.present
    guard reference.connected.count < 2 * present.count + 8,
      let source = present.randomElement(using: &chance),
      let target = present.randomElement(using: &chance),
      source != GraphReference.output, !reference.isGenerator(target),
      !reference.isConnected(source, to: target), !reference.closes(source, to: target)
    else { return }
    // Only a limited sound enters a loop.
    if reference.isDelay(target) {
      guard case .effect = reference.nodes[source], !reference.isBypassed(source) else { return }
    }
    let gain = randomGain(from: source)
    let (from, to) = (nodes[source]!, nodes[target]!)
    try change({ (edit) throws(ProcessingGraphError) in
      try edit.connect(from, to: to, gain: gain)
    }) { $0.connect(source, to: target, gain: gain) }
  }
}

extension BiquadCoefficients {
  /// Returns a stable section of random poles and zeros with a gain of at most 1 at most frequencies.
  fileprivate static func random(using chance: inout SplitMix) -> BiquadCoefficients {
    let radius = Double.random(in: 0..<0.9, using: &chance)
    let angle = Double.random(in: 0..<3, using: &chance)
    let scale = (1 - radius) * (1 - radius)
    return BiquadCoefficients(
      b0: scale, b1: Double.random(in: -1...1, using: &chance) * scale, b2: 0,
      a1: -2 * radius * cos(angle), a2: radius * radius)
  }
}
