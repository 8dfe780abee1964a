// SPDX-License-Identifier: MIT

/// The outputs of a renderer that each input reaches, and the latency of each path in frames.
public struct InputRouting: Sendable, Equatable {
  /// For each output, in order: the latency of each input, counted from 0, that leads to it. Several paths of an input can
  /// have different latencies.
  public var latencyFrames: [[Int: ClosedRange<Int>]]

  /// Creates a routing with these latencies.
  public init(latencyFrames: [[Int: ClosedRange<Int>]] = []) {
    self.latencyFrames = latencyFrames
  }
}

extension ProcessingGraph {
  /// The outputs that the inputs reach: by edges, by monitors, and by callbacks, which read the inputs that they were added
  /// with. Edges that fade out and edges with a gain of 0 do not count.
  public var inputRouting: InputRouting {
    renderer.withModel { model in
      var trace = InputTrace(model)
      return InputRouting(latencyFrames: trace.pathsToOutput())
    }
  }
}

/// A search along the edges of a graph from its nodes back to the inputs.
private struct InputTrace {
  /// The inputs that lead to a channel.
  typealias Paths = [Int: ClosedRange<Int>]

  private let model: GraphModel
  private let links: EdgeIndex
  private var known: [[Paths]?]
  private var knownInputs: [[Paths]?]

  init(_ model: GraphModel) {
    self.model = model
    links = model.links
    known = Array(repeating: nil, count: model.slotCount)
    knownInputs = known
  }

  /// Returns the paths to each output. If paths through a feedback loop differ in latency, the first one found is used.
  mutating func pathsToOutput() -> [Paths] {
    let delays = model.loops.delays
    for delay in delays { known[delay.slot] = Array(repeating: [:], count: delay.outputWidth) }
    while true {
      let result = paths(into: model.output)
      var loops = known
      for delay in delays {
        for (channel, found) in paths(into: delay).enumerated() {
          loops[delay.slot]![channel].merge(found) { old, _ in old }
        }
      }
      let isComplete = delays.allSatisfy { loops[$0.slot]! == known[$0.slot]! }
      if isComplete { return result }
      known = Array(repeating: nil, count: model.slotCount)
      knownInputs = known
      for delay in delays { known[delay.slot] = loops[delay.slot] }
    }
  }

  /// Returns the paths to each channel of a node's first input bus, or of all its input buses together.
  mutating func paths(into node: NodeStorage) -> [Paths] {
    if let paths = knownInputs[node.slot] { return paths }
    var result = [Paths](repeating: [:], count: node.inputWidths.max() ?? 0)
    for edge in links.into(node) where edge.leavingSerial == nil && edge.gain != 0 {
      let paths = edge.isDry ? paths(into: edge.source) : paths(outOf: edge.source)
      for channel in 0..<edge.channelCount {
        Self.merge(
          paths[edge.sourceChannel + channel], laterBy: edge.delayFrames,
          into: &result[edge.targetChannel + channel])
      }
    }
    knownInputs[node.slot] = result
    return result
  }

  private mutating func paths(outOf node: NodeStorage) -> [Paths] {
    if let paths = known[node.slot] { return paths }
    var result = [Paths](repeating: [:], count: node.outputWidth)
    switch node.kind {
    case .input: for channel in result.indices { result[channel] = [channel: 0...0] }
    case .source, .capture: break
    case .mix, .output, .monitorOutput: result = paths(into: node)
    case .monitor(let monitor):
      result = paths(into: node)
      for (output, row) in monitor.settings.crosspoints.prefix(result.count).enumerated() {
        for (input, gain) in row.prefix(model.input.outputWidth).enumerated() where gain != 0 {
          Self.merge([input: 0...0], into: &result[output])
        }
      }
    case .callback(let callback) where !callback.isEffect:
      let bus = unsafe callback.unit.pointee.inputs
      for channel in result.indices {
        for input in 0..<bus.channelCount { result[channel][bus.firstChannel + input] = 0...0 }
      }
    case .callback: result = mixed(paths(into: node), of: node)
    case .builtIn(let effect):
      let paths = paths(into: node)
      if effect.mixesChannels {
        result = mixed(paths, of: node)
      } else {
        for channel in result.indices {
          Self.merge(paths[channel], laterBy: node.latencyFrames, into: &result[channel])
        }
      }
    }
    known[node.slot] = result
    return result
  }

  /// Returns the paths out of a node whose outputs each depend on all inputs.
  private func mixed(_ paths: [Paths], of node: NodeStorage) -> [Paths] {
    var all: Paths = [:]
    for channel in paths { Self.merge(channel, laterBy: node.latencyFrames, into: &all) }
    return [Paths](repeating: all, count: node.outputWidth)
  }

  private static func merge(_ paths: Paths, laterBy frames: Int = 0, into result: inout Paths) {
    for (input, latency) in paths {
      let (low, high) = (latency.lowerBound + frames, latency.upperBound + frames)
      let old = result[input] ?? low...high
      result[input] = min(old.lowerBound, low)...max(old.upperBound, high)
    }
  }
}
