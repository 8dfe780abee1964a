// SPDX-License-Identifier: MIT

import RenderCore

/// The effects between the mix and the outputs of a renderer that does not play yet, each after the ones before it.
struct EffectChain {
  let renderer: Renderer
  /// The node that leads to the outputs.
  private(set) var last: GraphNode

  init(_ renderer: Renderer) {
    self.renderer = renderer
    last = renderer.graph.mix
  }

  var channelCount: Int { renderer.outputChannels }

  /// Appends an effect on all channels.
  mutating func append(_ node: GraphNode) throws {
    let (graph, last) = (renderer.graph, last)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(node, from: last, to: graph.output)
    }
    self.last = node
  }

  /// Appends a mixer.
  ///
  /// - Parameter connect: connects the node before the mixer to the mixer.
  mutating func appendMixer(
    _ connect: (inout GraphEdit, _ source: GraphNode, _ mixer: GraphNode)
      throws(ProcessingGraphError)
      -> Void
  ) throws {
    let (graph, last) = (renderer.graph, last)
    let mixer = graph.addMixer(channelCount: channelCount)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.disconnect(last, from: graph.output)
      try connect(&edit, last, mixer)
      try edit.connect(mixer, to: graph.output)
    }
    self.last = mixer
  }
}

/// An effect for channels that the output does not have.
struct EffectError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
