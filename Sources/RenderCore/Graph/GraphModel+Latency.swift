// SPDX-License-Identifier: MIT

extension GraphModel {
  private enum Visit {
    case none, onPath, done
  }

  /// Throws if the edges form a loop without a delay that can close it, or a loop with a monitor.
  func checkCycles() throws(ProcessingGraphError) {
    let links = links
    var visits = [Visit](repeating: .none, count: slotCount)
    var path: [NodeStorage] = []
    for node in [input, mix, output] + nodes {
      try follow(node, links, path: &path, visits: &visits)
    }
    for loop in loops.all {
      for node in loop.nodes {
        switch node.kind {
        case .monitor, .monitorOutput: throw .loopWithMonitor(nodes: loop.nodes.map(\.name))
        default: break
        }
      }
    }
  }

  private func follow(
    _ node: NodeStorage, _ links: EdgeIndex, path: inout [NodeStorage], visits: inout [Visit]
  ) throws(ProcessingGraphError) {
    switch visits[node.slot] {
    case .done: return
    case .onPath:
      let first = path.firstIndex { $0 === node }!
      throw .cycle(path: (path[first...] + [node]).map(\.name))
    case .none: break
    }
    visits[node.slot] = .onPath
    path.append(node)
    for edge in links.outOf(node) where edge.target.loopDelay == nil {
      try follow(edge.target, links, path: &path, visits: &visits)
    }
    path.removeLast()
    visits[node.slot] = .done
  }

  /// Returns the latency of the longest path to each node's output, by slot, in frames.
  ///
  /// - Parameter isLeaving: whether an edge fades out. Such edges do not count.
  func latencies(
    without isLeaving: (EdgeStorage) -> Bool = { $0.leavingSerial != nil }
  ) -> [Int] {
    longestSums(of: { $0.latencyFrames }, without: isLeaving, loopsCount: false)
  }

  /// Returns the longest tail of a path to each node's output, by slot, in frames. Edges that fade out do not count.
  func tails() -> [Int] {
    longestSums(
      of: { isBypassed($0) ? 0 : $0.tailFrames }, without: { $0.leavingSerial != nil },
      loopsCount: true)
  }

  /// Returns the longest sum of the nodes' frames on a path to each node's output, by slot.
  ///
  /// - Parameter loopsCount: whether a path through a feedback loop includes every node of the loop once. If false, a
  ///   path through a delay of the loop counts only for nodes that no other path reaches.
  private func longestSums(
    of frames: (NodeStorage) -> Int, without isLeaving: (EdgeStorage) -> Bool, loopsCount: Bool
  ) -> [Int] {
    let links = links
    let loops = GraphLoops(self, without: isLeaving)
    var known = [Int?](repeating: nil, count: slotCount)
    func sum(of node: NodeStorage) -> Int {
      if let sum = known[node.slot] { return sum }
      if let index = loops.index(of: node) {
        addSums(of: loops.all[index])
        return known[node.slot] ?? 0
      }
      var longest = 0
      for edge in links.into(node) where !isLeaving(edge) {
        longest = max(longest, sum(of: edge.source))
      }
      known[node.slot] = longest + frames(node)
      return longest + frames(node)
    }
    func addSums(of loop: GraphLoops.Loop) {
      let index = loops.index(of: loop.nodes[0])
      if loopsCount {
        let outside = loop.nodes.flatMap { links.into($0) }
          .filter { !isLeaving($0) && loops.index(of: $0.source) != index }
        let longest = outside.map { sum(of: $0.source) }.max() ?? 0
        let sum = loop.nodes.reduce(longest) { $0 + frames($1) }
        for node in loop.nodes { known[node.slot] = sum }
        return
      }
      // The delays whose output counts.
      var through: [NodeStorage] = []
      while true {
        var seen: [Int: Int?] = [:]
        func reached(_ node: NodeStorage) -> Int? {
          if let sum = known[node.slot] { return sum }
          if let sum = seen[node.slot] { return sum }
          var longest: Int?
          for edge in links.into(node) where !isLeaving(edge) {
            let source = edge.source
            let isInside = loops.index(of: source) == index
            let isOpen = source.loopDelay == nil || through.contains { $0 === source }
            let sum = !isInside ? sum(of: source) : isOpen ? reached(source) : nil
            if let sum { longest = max(longest ?? sum, sum) }
          }
          seen[node.slot] = .some(longest.map { $0 + frames(node) })
          return longest.map { $0 + frames(node) }
        }
        let sums = loop.nodes.map { reached($0) }
        for (node, sum) in zip(loop.nodes, sums) { known[node.slot] = sum }
        let next = loop.delays.map(\.node).filter { delay in
          known[delay.slot] != nil && !through.contains { $0 === delay }
        }
        through += next
        if !next.isEmpty { continue }
        guard let silent = loop.nodes.first(where: { known[$0.slot] == nil }) else { return }
        // Nothing leads into the rest of the loop.
        known[silent.slot] = frames(silent)
      }
    }
    for node in [input, mix, output] + nodes { _ = sum(of: node) }
    return known.map { $0 ?? 0 }
  }

  /// Delays the shorter paths into each bus by the difference to the longest one, and lets the edges out of bypassed nodes
  /// be dry. Where an edge changes, a new one replaces it in a crossfade.
  mutating func align() {
    let latencies = latencies()
    for edge in edges where edge.leavingSerial == nil {
      let arrival = latencies[edge.target.slot] - edge.target.latencyFrames
      let isDry = isBypassed(edge.source)
      var delay = arrival - latencies[edge.source.slot]
      // In a loop, a path can be later than the other paths into its bus.
      if delay < 0 { delay = 0 }
      if isDry { delay += edge.source.latencyFrames }
      // A tap has one path.
      if case .capture = edge.target.kind { continue }
      if delay == edge.delayFrames, isDry == edge.isDry { continue }
      let (gain, scheduled) = (edge.gain, edge.scheduled)
      let wasHeard = edge.isPlanned
      if wasHeard { leave(edge) } else { remove(edge) }
      let old = edges.last {
        $0.delayFrames == delay && $0.isDry == isDry
          && $0.connects(
            edge.source, channel: edge.sourceChannel, to: edge.target, bus: edge.bus,
            targetChannel: edge.targetChannel, channelCount: edge.channelCount)
      }
      if let old {
        set(gain, of: old)
        old.takeSchedule(scheduled)
        continue
      }
      connect(
        edge.source, channel: edge.sourceChannel, to: edge.target, bus: edge.bus,
        targetChannel: edge.targetChannel, channelCount: edge.channelCount, gain: gain,
        isHard: !wasHeard && edge.initialGain == gain, delayFrames: delay)
      edges.last?.takeSchedule(scheduled)
    }
  }

  /// Returns the frames that new nodes and delays need before their output is complete: those of the longest path
  /// through new nodes and edges.
  func warmUpFrames() -> Int {
    let links = links
    var known = [Int](repeating: -1, count: slotCount)
    var knownInputs = known
    func frames(after edge: EdgeStorage) -> Int {
      (edge.isDry ? frames(before: edge.source) : frames(of: edge.source))
        + (edge.isPlanned ? 0 : edge.delayFrames)
    }
    func frames(before node: NodeStorage) -> Int {
      if knownInputs[node.slot] >= 0 { return knownInputs[node.slot] }
      let longest = links.into(node).reduce(0) { max($0, frames(after: $1)) }
      knownInputs[node.slot] = longest
      return longest
    }
    let loops = loops
    func frames(of node: NodeStorage) -> Int {
      if known[node.slot] >= 0 { return known[node.slot] }
      var longest = 0
      if isNew(node) {
        // The warm-up does not include the path around the loop.
        if loops.isCut(node) { known[node.slot] = 0 }
        longest = frames(before: node) + node.latencyFrames
        if case .builtIn(let effect) = node.kind { longest += effect.warmUpFrames }
      }
      known[node.slot] = longest
      return longest
    }
    let heard = heard()
    var longest = 0
    for edge in edges where heard[edge.target.slot] && edge.leavingSerial == nil {
      longest = max(longest, frames(after: edge))
    }
    return longest
  }
}
