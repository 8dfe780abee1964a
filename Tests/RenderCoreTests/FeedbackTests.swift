// SPDX-License-Identifier: MIT

import Equalizers
import Synchronization
import TestKit
import Testing

@testable import RenderCore

/// The calls of an effect. Allocates nothing, since the effect runs on the render thread.
@safe
private struct Calls {
  var count = 0
  var firstTime: UInt32 = 0
  var hash: UInt64 = 0

  @_noLocks
  init() {}

  @_noLocks
  static func combined(_ hash: UInt64, _ frameCount: Int, _ time: UInt32) -> UInt64 {
    (hash &* 31 &+ UInt64(frameCount)) &* 31 &+ UInt64(time)
  }
}

/// Records its calls and outputs silence.
@_noLocks
private func note(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let calls = unsafe context?.assumingMemoryBound(to: Calls.self) else { return -1 }
  let (count, time) = unsafe (call.pointee.frameCount, call.pointee.frameTime)
  if unsafe calls.pointee.count == 0 { unsafe calls.pointee.firstTime = time }
  unsafe calls.pointee.count += 1
  unsafe calls.pointee.hash = Calls.combined(
    calls.pointee.hash, count, time &- calls.pointee.firstTime)
  return 0
}

@Suite("A feedback loop")
struct FeedbackTests {
  private static let cuts = GraphRig.cuts
  private static let fade = 240

  /// A generator before a mixer whose output goes through a delay, and perhaps other nodes, back to the mixer.
  private struct Echo {
    let rig = GraphRig()
    let mixer: GraphNode
    let delay: DelayControl
    var graph: ProcessingGraph { rig.renderer.graph }

    init(
      delay frames: Int, minimum: Int = 64, gain: Float = 0.5,
      effects: (GraphRig) throws -> [GraphNode] = { _ in [] }
    ) throws {
      _ = rig.addGenerator(step: 0.01)
      let graph = rig.renderer.graph
      mixer = graph.addMixer(channelCount: 1)
      delay = graph.addDelay(channelCount: 1, minimumFrames: minimum, maximumFrames: 20_000)
      delay.set { _, _ in frames }
      let (mixer, delay) = (mixer, delay)
      let others = try effects(rig)
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.insert(mixer, from: graph.mix, to: graph.output)
        try edit.connect(mixer, to: delay.node)
        var last = delay.node
        for node in others {
          try edit.connect(last, to: node)
          last = node
        }
        try edit.connect(last, to: mixer, gain: gain)
      }
    }
  }

  /// Returns the generator's frames with their echoes.
  private func expected(_ frames: Int, delay: Int, gain: Float) -> [Float] {
    var samples: [Float] = []
    for frame in 0..<frames {
      let echo = frame < delay ? 0 : gain * samples[frame - delay]
      samples.append(generated(0.01, UInt64(frame)) + echo)
    }
    return samples
  }

  @Test(
    "adds each echo to the bit for all cycle lengths, also longer than the delay",
    arguments: cuts)
  func echoes(_ cycles: [Int]) throws {
    for (frames, minimum) in [(64, 64), (65, 64), (500, 64), (1000, 1000), (8193, 300)] {
      let echo = try Echo(delay: frames, minimum: minimum)
      echo.rig.render(20_000, cycles: cycles)
      let isExact = echo.rig.samples == expected(20_000, delay: frames, gain: 0.5)
      #expect(isExact, "\(frames) frames, at least \(minimum)")
    }
  }

  @Test(
    "renders the same bits for all cycle lengths, with effects in it and after a change of the delay",
    arguments: cuts)
  func effects(_ cycles: [Int]) throws {
    func heard(_ cycles: [Int]) throws -> [Float] {
      let echo = try Echo(delay: 300, gain: 0.9) { rig in
        let graph = rig.renderer.graph
        let bank = graph.addFilterBank(channelCount: 1)
        let sections = try [section(.lowPass, 3000), section(.peaking, 500, gain: 6)]
          .map { try $0.coefficients(sampleRate: 48000) }
        try bank.set { _ in [sections] }
        let limiter = graph.addLimiter(channelCount: 1, lookAheadFrames: 48)
        return [bank.node, rig.addEffect(factor: 0.8).node, limiter.node]
      }
      echo.rig.render(3000, cycles: cycles)
      echo.delay.set { _, _ in 700 }
      echo.rig.render(6000, cycles: cycles)
      return echo.rig.samples
    }
    let (samples, reference) = (try heard(cycles), try heard([100]))
    let isSame = samples == reference
    #expect(isSame)
    #expect(samples.contains { $0.magnitude > 0.6 })
  }

  @Test("calls effects with at most the shortest delay's frames, in order")
  func slices() throws {
    let calls = UnsafeMutablePointer<Calls>.allocate(capacity: 1)
    unsafe calls.initialize(to: Calls())
    defer { unsafe calls.deallocate() }
    let echo = try Echo(delay: 500, minimum: 100) { rig in
      [unsafe rig.renderer.graph.addEffect(note, context: calls, channelCount: 1).node]
    }
    echo.rig.render(930, cycles: [64, 866])
    let counts = [64] + [Int](repeating: 100, count: 8) + [66]
    let times: [UInt32] = [0, 64, 164, 264, 364, 464, 564, 664, 764, 864]
    let hash = zip(counts, times).reduce(UInt64(0)) { Calls.combined($0, $1.0, $1.1) }
    unsafe #expect(calls.pointee.count == counts.count && calls.pointee.hash == hash)
  }

  @Test("fades in and out, and begins at rest again", arguments: cuts)
  func edits(_ cycles: [Int]) throws {
    let echo = try Echo(delay: 64)
    let (graph, mixer, delay) = (echo.graph, echo.mixer, echo.delay.node)
    echo.rig.render(1000, cycles: cycles)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.disconnect(delay, from: mixer)
    }
    echo.rig.render(1000, cycles: cycles)
    let dry = (1000 + Self.fade..<2000).map { generated(0.01, UInt64($0)) }
    #expect(Array(echo.rig.samples[(1000 + Self.fade)...]) == dry)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(delay, to: mixer, gain: 0.5)
    }
    echo.rig.render(1000, cycles: cycles)
    #expect(echo.rig.samples[2000 + 64 + Self.fade..<3000].elementsEqual(dry.prefix(696)) == false)
    try graph.edit { (edit) throws(ProcessingGraphError) in try edit.remove(delay) }
    echo.rig.render(1000, cycles: cycles)
    try graph.edit { _ in }
    echo.rig.render(100, cycles: cycles)
    let end = (4000..<4100).map { generated(0.01, UInt64($0)) }
    #expect(Array(echo.rig.samples[4000...]) == end)
    #expect(echo.rig.renderer.withModel { !$0.contains(delay.storage) })
  }

  @Test("without a long enough delay is refused with its path, and so is one with a monitor")
  func refusals() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1, inputChannels: 1)
    let graph = renderer.graph
    let mixer = graph.addMixer(channelCount: 1)
    for minimum in [0, 63] {
      let delay = graph.addDelay(
        channelCount: 1, minimumFrames: minimum, maximumFrames: 1000)
      #expect(throws: ProcessingGraphError.cycle(path: ["mixer", "delay", "mixer"])) {
        try graph.edit { (edit) throws(ProcessingGraphError) in
          try edit.connect(mixer, to: delay.node)
          try edit.connect(delay.node, to: mixer)
        }
      }
    }
    let monitor = renderer.addMonitor(MonitorSettings(inputs: 1, outputs: 1))
    let delay = graph.addDelay(channelCount: 1, minimumFrames: 64, maximumFrames: 1000)
    let output = try #require(graph.outputNode(of: monitor))
    let nodes = ["mix", "monitor", "monitor output", "delay"]
    #expect(throws: ProcessingGraphError.loopWithMonitor(nodes: nodes)) {
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.connect(output, to: delay.node)
        try edit.connect(delay.node, to: graph.mix)
      }
    }
    #expect(throws: ProcessingGraphError.notBypassable("delay")) {
      try graph.setBypassed(true, delay.node)
    }
  }

  @Test(
    "is as late as the paths that lead into it, and its nodes' latency adds to the delay",
    arguments: cuts)
  func latency(_ cycles: [Int]) throws {
    // A pulse of one frame, 100 frames late, and a loop with another 30.
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let late = rig.addEffect(factor: 1, delay: 100)
    let inner = rig.addEffect(factor: 1, delay: 30)
    let mixer = graph.addMixer(channelCount: 1)
    let delay = graph.addDelay(channelCount: 1, minimumFrames: 64, maximumFrames: 1000)
    delay.set { _, _ in 200 }
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(graph.input, to: late.node)
      try edit.connect(late.node, to: mixer)
      try edit.connect(mixer, to: delay.node)
      try edit.connect(delay.node, to: inner.node)
      try edit.connect(inner.node, to: mixer, gain: 0.5)
      try edit.connect(mixer, to: graph.output)
    }
    #expect(graph.latencyFrames == 100)
    var left = 2000
    var index = 0
    while left > 0 {
      let count = min(left, cycles[index % cycles.count])
      var input = [Float](repeating: 0, count: count)
      if index == 0 { input[0] = 1 }
      rig.render(inputs: input)
      left -= count
      index += 1
    }
    let pulses = rig.samples.enumerated().filter { $0.element > 0.1 }.map(\.offset)
    #expect(pulses == [100, 330, 560, 790])
  }

  @Test(
    "fades in without a step when it is inserted into a sound, also in later echoes",
    arguments: cuts)
  func insertion(_ cycles: [Int]) throws {
    let rig = GraphRig()
    _ = rig.addGenerator(step: 0)
    let graph = rig.renderer.graph
    rig.render(1000, cycles: cycles)
    let mixer = graph.addMixer(channelCount: 1)
    let delay = graph.addDelay(channelCount: 1, minimumFrames: 64, maximumFrames: 1000)
    delay.set { _, _ in 700 }
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(mixer, from: graph.mix, to: graph.output)
      try edit.connect(mixer, to: delay.node)
      try edit.connect(delay.node, to: mixer, gain: 0.5)
    }
    rig.render(20_000, cycles: cycles)
    // A fade in a fade, from 0.5 to 0.75. An echo that began hard would step by 0.125 later.
    let steepest = zip(rig.samples, rig.samples.dropFirst()).map { ($0 - $1).magnitude }.max()!
    #expect(steepest < 0.25 * 2.5 / Float(Self.fade))
    #expect((rig.samples.last! + 1).magnitude < 1e-4)
  }

  @Test("does not keep NaN, infinity or denormals")
  func recovery() throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let mixer = graph.addMixer(channelCount: 1)
    let delay = graph.addDelay(channelCount: 1, minimumFrames: 64, maximumFrames: 64)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(graph.input, to: mixer)
      try edit.connect(mixer, to: delay.node)
      try edit.connect(delay.node, to: mixer, gain: 0.9)
      try edit.connect(mixer, to: graph.output)
    }
    rig.render(inputs: [.nan, .infinity, 1] + [Float](repeating: 0, count: 253))
    // NaN and infinity are replaced in the outputs, too.
    #expect(rig.renderer.nonFiniteSampleCount == 4)
    #expect(rig.samples[66] == 0.9 && rig.samples.allSatisfy(\.isFinite))
    rig.render(inputs: [Float](repeating: 0, count: 8192))
    for _ in 0..<8 { rig.render(inputs: [Float](repeating: 0, count: 8192)) }
    #expect(rig.samples.suffix(8192).allSatisfy { $0 == 0 })
  }

  @Test("has the latency of the paths into it, with several delays, loops and paths")
  func latencies() throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    func delay() -> GraphNode {
      graph.addDelay(channelCount: 1, minimumFrames: 64, maximumFrames: 100).node
    }
    let late = rig.addEffect(factor: 1, delay: 100).node
    let inner = rig.addEffect(factor: 1, delay: 50).node
    let (mixer, one, two) = (graph.addMixer(channelCount: 1), delay(), delay())
    // Two delays in one loop, and a late path beside the direct one to the first of them.
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(graph.input, to: late)
      try edit.connect(late, to: mixer)
      try edit.connect(mixer, to: inner)
      try edit.connect(inner, to: one)
      try edit.connect(mixer, to: one)
      try edit.connect(one, to: two)
      try edit.connect(two, to: mixer)
      try edit.connect(mixer, to: graph.output)
    }
    #expect(graph.latencyFrames == 100)
    rig.renderer.withModel { model in
      let latencies = model.latencies()
      #expect([mixer, inner, one, two].map { latencies[$0.storage.slot] } == [100, 150, 150, 150])
      let delays = model.links.into(one.storage).map(\.delayFrames)
      #expect(delays == [0, 50])
      #expect(model.links.into(mixer.storage).map(\.delayFrames) == [0, 0])
    }
    // A loop behind the other one, and a path beside both.
    let (second, third) = (graph.addMixer(channelCount: 1), delay())
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.disconnect(mixer, from: graph.output)
      try edit.connect(two, to: second)
      try edit.connect(second, to: third)
      try edit.connect(third, to: second)
      try edit.connect(second, to: graph.output)
      try edit.connect(graph.input, to: graph.output)
    }
    #expect(graph.latencyFrames == 150)
    rig.renderer.withModel { model in
      let direct = model.links.into(model.output).first { $0.source === model.input }
      #expect(direct?.delayFrames == 150)
    }
    #expect(graph.tailFrames == 64 * 3)
  }

  @Test("leaves the graph by itself once it has faded out", arguments: cuts)
  func removal(_ cycles: [Int]) throws {
    let echo = try Echo(delay: 64)
    echo.rig.render(1000, cycles: cycles)
    try echo.graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.remove(echo.delay.node)
    }
    let storage = echo.delay.node.storage
    #expect(echo.rig.renderer.withModel { $0.contains(storage) })
    echo.rig.render(1000, cycles: cycles)
    _ = echo.rig.renderer.elapsedNanoseconds
    #expect(echo.rig.renderer.withModel { !$0.contains(storage) })
  }

  @Test("continues after a cycle that never ended, as when libjack ends its thread")
  func neverEnded() throws {
    let echo = try Echo(delay: 500)
    echo.rig.render(1000, cycles: [1000])
    let state = unsafe echo.rig.renderer.context.state
    let address = unsafe state.pointee.plan.load(ordering: .relaxed)
    let plan = try unsafe #require(UnsafeMutablePointer<RenderPlan>(bitPattern: address))
    var slice = 64
    unsafe state.pointee.loop = LoopSlices(0, 0, timer: 0, frameCount: 8192)
    for _ in 0..<100 { unsafe state.pointee.move(plan, by: state.pointee.loop.next(&slice)) }
    echo.rig.render(8192, cycles: [8192])
    let isExact = echo.rig.samples == expected(9192, delay: 500, gain: 0.5)
    #expect(isExact)
  }

  @Test("shows the inputs that reach an output through it")
  func routing() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2, inputChannels: 2)
    let graph = renderer.graph
    let delay = graph.addDelay(channelCount: 2, minimumFrames: 64, maximumFrames: 1000)
    let mixer = graph.addMixer(channelCount: 2)
    // The echo of each channel leads to the other channel.
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(graph.input, to: mixer, channelCount: 1)
      try edit.connect(mixer, to: delay.node)
      try edit.connect(delay.node, to: mixer, targetChannel: 1, channelCount: 1, gain: 0.5)
      try edit.connect(delay.node, channel: 1, to: mixer, channelCount: 1, gain: 0.5)
      try edit.connect(mixer, to: graph.output)
    }
    #expect(graph.inputRouting.latencyFrames == [[0: 0...0], [0: 0...0]])
  }
}
