// SPDX-License-Identifier: MIT

/// The control of a mixer in a renderer's graph: buses with gain, pan, mute, solo and polarity, and a matrix.
///
/// Each bus is a node. Edges lead from the channels of the buses to the outputs, and their gains are the settings. So each
/// change is a crossfade of ``Renderer/fadeSeconds``. Any thread but the render thread.
public final class MixerControl: Sendable {
  private struct State {
    var buses: [MixerBus]
    /// The gain of each edge that exists, by bus, channel and output.
    var gains: [[Int]: Float] = [:]
  }

  private let graph: ProcessingGraph
  private let state: POSIXMutex<State>
  /// The node whose output is the sum.
  public let node: GraphNode
  /// The nodes that sources connect to, one for each bus.
  public let inputs: [GraphNode]

  fileprivate init(_ graph: ProcessingGraph, node: GraphNode, inputs: [GraphNode]) {
    self.graph = graph
    self.node = node
    self.inputs = inputs
    state = POSIXMutex(
      State(buses: [MixerBus](repeating: MixerBus(), count: inputs.count)))
  }

  /// The settings of each bus.
  public var buses: [MixerBus] { state.withLock { $0.buses } }

  /// Changes settings of buses, which take effect in the same frame.
  ///
  /// - Parameter body: changes the settings, not their number. It must not call the mixer or the renderer.
  /// - Throws: ``ProcessingGraphError`` if a node of the mixer was removed; the settings are unchanged then.
  public func change(
    _ body: (inout [MixerBus]) -> Void
  ) throws(ProcessingGraphError) {
    try state.withLock { (state) throws(ProcessingGraphError) in
      var new = state
      body(&new.buses)
      precondition(new.buses.count == inputs.count, "a mixer keeps the number of its buses")
      try graph.edit { (edit) throws(ProcessingGraphError) in try apply(&new, in: &edit) }
      state = new
    }
  }

  private func apply(
    _ state: inout State, in edit: inout GraphEdit
  ) throws(ProcessingGraphError) {
    let hasSolo = state.buses.contains { $0.isSoloed }
    for (index, bus) in state.buses.enumerated() {
      let input = inputs[index]
      for channel in 0..<input.outputChannelCount {
        for output in 0..<node.outputChannelCount {
          let gain =
            hasSolo && !bus.isSoloed
            ? 0
            : bus.gain(
              from: channel, of: input.outputChannelCount, to: output, of: node.outputChannelCount)
          let edge = [index, channel, output]
          let current = state.gains[edge]
          if current ?? 0 == gain { continue }
          if current == nil {
            try edit.connect(
              input, channel: channel, to: node, targetChannel: output, channelCount: 1, gain: gain)
          } else {
            try edit.setGain(gain, from: input, channel: channel, to: node, targetChannel: output)
          }
          state.gains[edge] = gain
        }
      }
    }
  }
}

extension ProcessingGraph {
  /// Adds a mixer with settings for each bus. Connect sources to its ``MixerControl/inputs``.
  ///
  /// - Parameters:
  ///   - buses: the channels of each bus, at least one.
  ///   - channelCount: the outputs, at least one.
  ///   - name: the name that error messages use.
  /// - Returns: the control, which has the nodes.
  public func addMixer(
    buses: [Int], channelCount: Int, name: String = "mixer"
  ) -> MixerControl {
    precondition(buses.allSatisfy { $0 > 0 }, "a bus of a mixer has channels")
    let node = addMixer(channelCount: channelCount, name: name)
    let inputs = buses.enumerated().map { index, width in
      addMixer(channelCount: width, name: "\(name) bus \(index + 1)")
    }
    let mixer = MixerControl(self, node: node, inputs: inputs)
    do {
      try mixer.change { _ in }
    } catch {
      preconditionFailure("a new mixer has its nodes: \(error)")
    }
    return mixer
  }
}

extension GraphEdit {
  /// Removes a mixer with its buses. The edges that lead out of them fade out.
  public mutating func remove(_ mixer: MixerControl) throws(ProcessingGraphError) {
    try remove(mixer.node)
    for input in mixer.inputs { try remove(input) }
  }
}
