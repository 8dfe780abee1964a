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
  /// - Parameter isLeaving: returns true for an edge that fades out. Such edges are ignored.
  func latencies(
    without isLeaving: (EdgeStorage) -> Bool = { $0.leavingSerial != nil }
  ) -> [Int] {
    longestSums(of: { $0.latencyFrames }, without: isLeaving, loopsCount: false)
  }

  /// Returns the longest tail of a path to each node's output, by slot, in frames. Ignores edges that fade out.
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
      // The delays whose output is included.
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
        // The rest of the loop has no input.
        known[silent.slot] = frames(silent)
      }
    }
    for node in [input, mix, output] + nodes { _ = sum(of: node) }
    return known.map { $0 ?? 0 }
  }

  /// Delays the shorter paths into each bus by the difference to the longest one, and makes the edges out of bypassed
  /// nodes dry. If an edge changes, a new one replaces it in a crossfade.
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
  /// through new nodes and edges. A path through a feedback loop includes every node of the loop once.
  func warmUpFrames() -> Int {
    let links = links
    let loops = loops
    var known = [Int?](repeating: nil, count: slotCount)
    func ownFrames(_ node: NodeStorage) -> Int {
      if !isNew(node) { return 0 }
      guard case .builtIn(let effect) = node.kind else { return node.latencyFrames }
      return node.latencyFrames + effect.warmUpFrames
    }
    func ownFrames(_ edge: EdgeStorage) -> Int { edge.isPlanned ? 0 : edge.delayFrames }
    func frames(after edge: EdgeStorage) -> Int {
      let source = edge.source
      let before = edge.isDry || isNew(source) ? frames(before: source) : 0
      // The sum of a loop includes all its nodes.
      let isIncluded = edge.isDry || loops.index(of: source) != nil
      return before + (isIncluded ? 0 : ownFrames(source)) + ownFrames(edge)
    }
    func frames(before node: NodeStorage) -> Int {
      if let frames = known[node.slot] { return frames }
      let index = loops.index(of: node)
      let nodes = index.map { loops.all[$0].nodes } ?? [node]
      var longest = 0
      var inside = 0
      for node in nodes {
        var delay = 0
        for edge in links.into(node) {
          if index != nil, loops.index(of: edge.source) == index {
            delay = max(delay, ownFrames(edge))
          } else {
            longest = max(longest, frames(after: edge))
          }
        }
        if index != nil { inside += ownFrames(node) + delay }
      }
      for node in nodes { known[node.slot] = longest + inside }
      return longest + inside
    }
    let heard = heard()
    var longest = 0
    for edge in edges where heard[edge.target.slot] && edge.leavingSerial == nil {
      longest = max(longest, frames(after: edge))
    }
    return longest
  }
}
