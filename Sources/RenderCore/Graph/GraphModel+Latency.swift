// SPDX-License-Identifier: MIT

extension GraphModel {
  /// Throws if the edges form a cycle.
  func checkCycles() throws(ProcessingGraphError) {
    var done: Set<ObjectIdentifier> = []
    for node in [input, mix, output] + nodes {
      var path: [NodeStorage] = []
      try follow(node, path: &path, done: &done)
    }
  }

  private func follow(
    _ node: NodeStorage, path: inout [NodeStorage], done: inout Set<ObjectIdentifier>
  ) throws(ProcessingGraphError) {
    if let first = path.firstIndex(where: { $0 === node }) {
      throw .cycle(path: (path[first...] + [node]).map(\.name))
    }
    guard !done.contains(ObjectIdentifier(node)) else { return }
    path.append(node)
    for edge in edges where edge.source === node {
      try follow(edge.target, path: &path, done: &done)
    }
    path.removeLast()
    done.insert(ObjectIdentifier(node))
  }

  /// Returns the latency of the longest path to each node's output, in frames.
  ///
  /// - Parameter isLeaving: whether an edge fades out. Such edges do not count.
  func latencies(
    without isLeaving: (EdgeStorage) -> Bool = { $0.leavingSerial != nil }
  ) -> [ObjectIdentifier: Int] {
    var known: [ObjectIdentifier: Int] = [:]
    func latency(of node: NodeStorage) -> Int {
      if let latency = known[ObjectIdentifier(node)] { return latency }
      let inputs = edges.filter { $0.target === node && !isLeaving($0) }
      let latest = inputs.map { latency(of: $0.source) }.max() ?? 0
      known[ObjectIdentifier(node)] = latest + node.latencyFrames
      return latest + node.latencyFrames
    }
    for node in [input, mix, output] + nodes { _ = latency(of: node) }
    return known
  }

  /// Delays the shorter paths into each bus by the difference to the longest one. Where an edge's delay changes, a new
  /// edge replaces it in a crossfade.
  mutating func compensate() {
    let latencies = latencies()
    for edge in edges where edge.leavingSerial == nil {
      let arrival = latencies[ObjectIdentifier(edge.target)]! - edge.target.latencyFrames
      let delay = arrival - latencies[ObjectIdentifier(edge.source)]!
      // A tap has one path.
      if case .capture = edge.target.kind { continue }
      if delay == edge.delayFrames { continue }
      let gain = edge.gain
      let wasHeard = edge.isPlanned
      if wasHeard { leave(edge) } else { edges.removeAll { $0 === edge } }
      let old = edges.last {
        $0.delayFrames == delay
          && $0.connects(
            edge.source, channel: edge.sourceChannel, to: edge.target, bus: edge.bus,
            targetChannel: edge.targetChannel, channelCount: edge.channelCount)
      }
      if let old {
        old.gain = gain
        old.leavingSerial = nil
        continue
      }
      connect(
        edge.source, channel: edge.sourceChannel, to: edge.target, bus: edge.bus,
        targetChannel: edge.targetChannel, channelCount: edge.channelCount, gain: gain,
        isHard: !wasHeard && edge.initialGain == gain, delayFrames: delay)
    }
  }

  /// Returns the frames that new nodes and delays need before their output is complete: those of the longest path
  /// through new nodes and edges.
  func warmUpFrames() -> Int {
    var known: [ObjectIdentifier: Int] = [:]
    func frames(after edge: EdgeStorage) -> Int {
      frames(of: edge.source) + (edge.isPlanned ? 0 : edge.delayFrames)
    }
    func frames(of node: NodeStorage) -> Int {
      if let frames = known[ObjectIdentifier(node)] { return frames }
      var longest = 0
      if isNew(node) {
        let inputs = edges.filter { $0.target === node }
        longest = (inputs.map(frames(after:)).max() ?? 0) + node.latencyFrames
        if case .builtIn(let effect) = node.kind { longest += effect.warmUpFrames }
      }
      known[ObjectIdentifier(node)] = longest
      return longest
    }
    let heard = heard()
    return edges.filter { heard.contains(ObjectIdentifier($0.target)) && $0.leavingSerial == nil }
      .map(frames(after:)).max() ?? 0
  }
}
