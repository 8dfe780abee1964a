// SPDX-License-Identifier: MIT

import RenderCore

/// A chain of effects between two nodes of a renderer that does not play yet.
struct EffectChain {
  let renderer: Renderer
  /// The last node before the target.
  private(set) var last: GraphNode
  private let target: GraphNode

  init(_ renderer: Renderer, from source: GraphNode, to target: GraphNode) {
    self.renderer = renderer
    last = source
    self.target = target
  }

  var channelCount: Int { renderer.outputChannels }

  /// Appends an effect on all channels.
  mutating func append(_ node: GraphNode) throws {
    let (last, target) = (last, target)
    try renderer.graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(node, from: last, to: target)
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
    let (graph, last, target) = (renderer.graph, last, target)
    let mixer = graph.addMixer(channelCount: channelCount)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.disconnect(last, from: target)
      try connect(&edit, last, mixer)
      try edit.connect(mixer, to: target)
    }
    self.last = mixer
  }
}

/// An effect that cannot be applied, for instance because the output has too few channels.
struct EffectError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
