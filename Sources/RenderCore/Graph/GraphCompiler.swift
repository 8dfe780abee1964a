// SPDX-License-Identifier: MIT

/// A compiler of a graph into a plan's operations. Each node comes after the nodes that lead into it; the delays of a
/// feedback loop are read before its other nodes and written after them. A buffer is reused as soon as its last reader
/// has run.
@safe
struct GraphCompiler {
  private let model: GraphModel
  private(set) var operations: [GraphOperation] = []
  /// Operations that read the inputs. They come first, since the inputs' memory may be the outputs'.
  private var prologue: [GraphOperation] = []
  /// The edges of the model.
  private let links: EdgeIndex
  private let loops: GraphLoops
  /// The indices of the loops compiled so far.
  private var compiledLoops: Set<Int> = []
  /// The nodes that render, by slot.
  private let isHeard: [Bool]
  /// The output buffers of the nodes compiled so far, by slot.
  private var results: [BufferRange?]
  /// The input buffers of compiled nodes that have dry edges out of them, by slot.
  private var dryResults: [BufferRange?]
  /// The buffers of each bus, contiguous, before memory is assigned.
  private var buses: [BufferRange] = []
  private(set) var units: [UnsafeMutablePointer<SourceUnit>] = unsafe []
  /// Whether all nodes that take time are sources.
  private(set) var hasOnlySources = true
  /// The number of buffers that the plan needs besides the outputs'.
  private(set) var poolCount = 0

  init(_ model: GraphModel) {
    self.model = model
    links = model.links
    loops = model.loops
    isHeard = model.heard()
    results = Array(repeating: nil, count: model.slotCount)
    dryResults = results
    for monitor in model.monitors { unsafe prologue.append(.takeInputs(monitor.unit)) }
    for capture in model.captures(of: model.input) {
      unsafe prologue.append(.captureInputs(capture.unit))
    }
    let heard = assemble(model.output, bus: 0)
    // Sources' clocks run and callbacks are called even if their output leads nowhere.
    for node in model.nodes where node.isAlwaysRendered { _ = emit(node) }
    if !model.captures(of: model.output).isEmpty { hasOnlySources = false }
    let lastSource = operations.lastIndex { if case .source = $0 { true } else { false } }
    if !hasOnlySources { operations.insert(.markSources, at: lastSource.map { $0 + 1 } ?? 0) }
    if let lastSource { operations.insert(.workAhead, at: lastSource + 1) }
    startTimers()
    let isEmpty = operations.allSatisfy { if case .clear = $0 { true } else { false } }
    if !isEmpty { operations.append(.makeFinite) }
    for capture in model.captures(of: model.output) {
      unsafe operations.append(.captureOutputs(capture.unit))
    }
    operations = prologue + operations
    assignBuffers(heard: heard)
  }

  /// Inserts an operation that starts the timer before each node whose time does not begin at the end of another
  /// node's.
  private mutating func startTimers() {
    var timed: [GraphOperation] = []
    var isRunning = false
    for operation in operations {
      switch operation {
      case .monitor, .monitorOutput, .effect, .beginLoop:
        if !isRunning { timed.append(.startTimer) }
        isRunning = true
      case .markSources, .call: isRunning = true
      case .source, .workAhead: isRunning = false
      default: break
      }
      timed.append(operation)
    }
    operations = timed
  }

  // MARK: Order

  /// Adds the operations that sum the edges into a bus.
  ///
  /// - Returns: the buffers of the sum.
  private mutating func assemble(_ node: NodeStorage, bus: Int) -> BufferRange {
    let width = node.inputWidths[bus]
    var sum: BufferRange?
    for edge in model.edges(into: node, bus: bus) {
      if sum == nil, edge.isWhole, isOnlyWay(edge) {
        let buffers = emitSource(of: edge)
        if !edge.isAsItIs { unsafe operations.append(.scale(edge.state, buffers)) }
        sum = buffers
        continue
      }
      let buffers = emitSource(of: edge)
      let target = sum ?? makeCleared(width)
      sum = target
      let count = Int32(edge.channelCount)
      unsafe operations.append(
        .add(
          edge.state,
          BufferRange(first: buffers.first + Int32(edge.sourceChannel), count: count),
          to: BufferRange(first: target.first + Int32(edge.targetChannel), count: count)))
    }
    return sum ?? makeCleared(width)
  }

  /// Returns true if no other edge reads the source's buffers, so the edge may scale them in place.
  private func isOnlyWay(_ edge: EdgeStorage) -> Bool {
    let slot = edge.source.slot
    if edge.source === model.input || results[slot] != nil || dryResults[slot] != nil {
      return false
    }
    return links.outOf(edge.source).count == 1
  }

  private mutating func makeBuffers(_ width: Int) -> BufferRange {
    if width == 0 { return .none }
    let first = buses.last.map { $0.first + $0.count } ?? 0
    buses.append(BufferRange(first: first, count: Int32(width)))
    return buses.last!
  }

  private mutating func makeCleared(_ width: Int) -> BufferRange {
    let buffers = makeBuffers(width)
    if width > 0 { operations.append(.clear(buffers)) }
    return buffers
  }

  /// Adds the operations of the node that an edge leads out of.
  ///
  /// - Returns: the buffers that the edge reads.
  private mutating func emitSource(of edge: EdgeStorage) -> BufferRange {
    let node = edge.source
    if !edge.isDry { return emit(node) }
    emitLoop(of: node)
    // During a crossfade the node also renders, and its input buffers stay for the dry edges.
    if hasEdges(outOf: node, isDry: false) { _ = emit(node) }
    let result = dryResults[node.slot] ?? assemble(node, bus: 0)
    dryResults[node.slot] = result
    return result
  }

  /// Adds a node's operations, after those of the nodes that lead into it.
  ///
  /// - Returns: the buffers of its output.
  private mutating func emit(_ node: NodeStorage) -> BufferRange {
    emitLoop(of: node)
    if let known = results[node.slot] { return known }
    let result: BufferRange
    switch node.kind {
    case .input:
      result = makeBuffers(node.outputWidth)
      prologue.append(.copyInputs(to: result))
    case .mix: result = assemble(node, bus: 0)
    case .output, .capture: result = .none
    case .source(let source):
      result = makeBuffers(node.outputWidth)
      unsafe operations.append(.source(source.unit, to: result))
      unsafe units.append(source.unit)
    case .callback(let callback):
      hasOnlySources = false
      if !callback.isEffect { emitCallbacks(before: node) }
      let inputs = node.inputWidths.isEmpty ? .none : assemble(node, bus: 0)
      if callback.isEffect { dryResults[node.slot] = inputs }
      result = makeBuffers(node.outputWidth)
      unsafe operations.append(.call(callback.unit, node: node.id, inputs: inputs, outputs: result))
    case .monitor(let monitor): result = emit(monitor, node, isLast: false)
    case .monitorOutput(let monitor):
      if let input = directInput(of: node) {
        result = emit(monitor, input, isLast: true)
      } else {
        result = assemble(node, bus: 0)
        unsafe operations.append(.monitorOutput(monitor.unit, node: node.id, result))
      }
    case .builtIn(let effect):
      hasOnlySources = false
      result = assemble(node, bus: 0)
      if hasEdges(outOf: node, isDry: true) {
        let copy = makeBuffers(node.outputWidth)
        operations.append(.copy(result, to: copy))
        dryResults[node.slot] = copy
      }
      operations.append(.effect(effect.operation, node: node.id, result))
    }
    results[node.slot] = result
    return result
  }

  /// Adds the operations of the feedback loop that a node is part of, if it is the first node of it.
  private mutating func emitLoop(of node: NodeStorage) {
    guard let index = loops.index(of: node), compiledLoops.insert(index).inserted else { return }
    hasOnlySources = false
    let loop = loops.all[index]
    // Nodes outside the loop that lead into it render the whole cycle first.
    for node in loop.nodes {
      for edge in links.into(node) where loops.index(of: edge.source) != index {
        _ = emitSource(of: edge)
      }
    }
    operations.append(
      .beginLoop(frames: Int32(loop.sliceFrames), node: loop.delays[0].node.id))
    for (node, delay) in loop.delays {
      let result = makeBuffers(node.outputWidth)
      unsafe operations.append(.readDelay(delay.loopUnit, node: node.id, result))
      results[node.slot] = result
    }
    for node in loop.nodes {
      for edge in links.outOf(node) where isHeard[edge.target.slot] { _ = emitSource(of: edge) }
    }
    for (node, delay) in loop.delays {
      let input = assemble(node, bus: 0)
      unsafe operations.append(.writeDelay(delay.loopUnit, node: node.id, input))
    }
    operations.append(.endLoop)
  }

  private func hasEdges(outOf node: NodeStorage, isDry: Bool) -> Bool {
    links.outOf(node).contains { $0.isDry == isDry && isHeard[$0.target.slot] }
  }

  /// Adds the operation of a monitor's input.
  ///
  /// - Parameter isLast: whether the monitor's output follows at once.
  /// - Returns: its buffers.
  private mutating func emit(
    _ monitor: MonitorStorage, _ node: NodeStorage, isLast: Bool
  ) -> BufferRange {
    hasOnlySources = false
    let buffers = assemble(node, bus: 0)
    var isFirst = false
    if case .clear(buffers) = operations.last {
      operations.removeLast()
      isFirst = true
    }
    unsafe operations.append(
      .monitor(monitor.unit, node: node.id, buffers, isFirst: isFirst, isLast: isLast))
    return buffers
  }

  /// Returns the monitor whose output is this node, if it has no other input and the monitor has no other output.
  private func directInput(of node: NodeStorage) -> NodeStorage? {
    let edges = links.into(node)
    guard let edge = edges.first, edges.count == 1, edge.isWhole, edge.isAsItIs, isOnlyWay(edge),
      case .monitor(let input) = edge.source.kind,
      case .monitorOutput(let output) = node.kind, input === output
    else { return nil }
    return edge.source
  }

  /// Adds the callbacks that were added before another one and lead nowhere: callbacks are called in the order in which
  /// they were added.
  private mutating func emitCallbacks(before node: NodeStorage) {
    for earlier in model.nodes.prefix(while: { $0 !== node }) {
      guard case .callback(let callback) = earlier.kind, !callback.isEffect else { continue }
      if links.outOf(earlier).isEmpty { _ = emit(earlier) }
    }
  }

  // MARK: Buffers

  /// Assigns memory to each bus from its first to its last use; the outputs' own memory to the bus of the output node.
  private mutating func assignBuffers(heard: BufferRange) {
    var lastUse = [Int](repeating: 0, count: buses.count)
    for (index, operation) in operations.enumerated() {
      operation.forEachBuffers { lastUse[bus(of: $0)] = index }
    }
    var places = [Int32?](repeating: nil, count: buses.count)
    if heard.count > 0 { places[bus(of: heard)] = 0 }
    // For each buffer besides the outputs', the last operation that uses it.
    var taken: [Int] = []
    for (index, operation) in operations.enumerated() {
      operation.forEachBuffers { buffers in
        let bus = bus(of: buffers)
        if places[bus] != nil { return }
        let place = Self.take(Int(buses[bus].count), of: &taken, at: index, until: lastUse[bus])
        places[bus] = heard.count + Int32(place)
      }
    }
    poolCount = taken.count
    operations = operations.map { operation in
      operation.mapBuffers { buffers in
        if buffers.count == 0 { return .none }
        let bus = bus(of: buffers)
        return BufferRange(
          first: places[bus]! + buffers.first - buses[bus].first, count: buffers.count)
      }
    }
  }

  /// Returns the index of the bus that the buffers belong to.
  private func bus(of buffers: BufferRange) -> Int {
    var (low, high) = (0, buses.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if buses[middle].first <= buffers.first { low = middle } else { high = middle }
    }
    return low
  }

  /// Takes adjacent buffers whose last use is over.
  private static func take(
    _ count: Int, of taken: inout [Int], at index: Int, until last: Int
  ) -> Int {
    var start = 0
    while start < taken.count {
      let end = min(start + count, taken.count)
      guard let used = taken[start..<end].lastIndex(where: { $0 >= index }) else { break }
      start = used + 1
    }
    while taken.count < start + count { taken.append(-1) }
    for place in start..<start + count { taken[place] = last }
    return start
  }
}
