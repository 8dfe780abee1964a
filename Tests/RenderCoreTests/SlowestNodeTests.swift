// SPDX-License-Identifier: MIT

import Glibc
import OfflineOutput
import TestKit
import Testing

@testable import RenderCore

/// Passes its input on, after 300 µs.
private func slow(
  _: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  var start = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &start)
  var now = start
  while (now.tv_sec - start.tv_sec) * 1_000_000_000 + now.tv_nsec - start.tv_nsec < 300_000 {
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
  }
  return 0
}

private func fast(
  _: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<RenderCall>
) -> Int32 { 0 }

@Suite("The slowest node of a cycle")
struct SlowestNodeTests {
  /// Returns the work of one cycle.
  private func work(of renderer: Renderer) -> RenderWork {
    var output = OfflineOutput(renderer: renderer)
    output.render(frameCount: 256) { _, _ in }
    defer { withExtendedLifetime(renderer) {} }
    return unsafe renderer.context.state.pointee.work
  }

  @Test("is the effect that takes the longest, and has its name", arguments: ["first", "last"])
  func effect(place: String) throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
    let graph = renderer.graph
    let nodes = (0..<3).map { index in
      let isSlow = index == (place == "first" ? 0 : 2)
      return unsafe graph.addEffect(
        isSlow ? slow : fast, context: nil, channelCount: 2, name: isSlow ? "slow" : "fast"
      ).node
    }
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.disconnect(graph.mix, from: graph.output)
      try edit.connect(graph.mix, to: nodes[0])
      try edit.connect(nodes[0], to: nodes[1])
      try edit.connect(nodes[1], to: nodes[2])
      try edit.connect(nodes[2], to: graph.output)
    }
    let work = work(of: renderer)
    #expect(graph.nodeName(of: work.slowestNode) == "slow")
    #expect(work.slowestNodeTicks <= work.callbackTicks)
    #expect(work.slowestNodeTicks > work.callbackTicks / 2)
  }

  @Test("is a built-in effect where that is the only one, and does not count as a source's time")
  func builtIn() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
    let graph = renderer.graph
    let limiter = graph.addLimiter(channelCount: 2, lookAheadFrames: 64)
    // An effect before the last source.
    _ = renderer.addSource()
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.disconnect(graph.mix, from: graph.output)
      try edit.connect(graph.mix, to: limiter.node)
      try edit.connect(limiter.node, to: graph.output)
    }
    let work = work(of: renderer)
    #expect(graph.nodeName(of: work.slowestNode) == "limiter")
    #expect(work.slowestNodeTicks > 0)
  }

  @Test("is a convolver of 65,536 frames beside a limiter")
  func convolver() throws {
    let rig = GraphRig(channels: 2)
    _ = rig.addGenerator(step: 0.01)
    let graph = rig.renderer.graph
    let limiter = graph.addLimiter(channelCount: 2, lookAheadFrames: 64)
    let convolver = try graph.addConvolver(channelCount: 2, maximumFrames: 65536)
    var chance = SplitMix(state: 1)
    let response = (0..<65536).map { _ in Float.random(in: -0.01...0.01, using: &chance) }
    try convolver.set(ImpulseResponse(channels: [response], sampleRate: 48000))
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(limiter.node, from: graph.mix, to: graph.output)
      try edit.insert(convolver.node, from: limiter.node, to: graph.output)
    }
    // Any node may be the slowest while the host interrupts it.
    let cycles = 200
    var slowest = 0
    for _ in 0..<cycles {
      // A server's cycle begins with no work counted.
      unsafe rig.renderer.context.state.pointee.work = RenderWork()
      rig.render(256, cycles: [256])
      let work = unsafe rig.renderer.context.state.pointee.work
      if graph.nodeName(of: work.slowestNode) == "convolver" { slowest += 1 }
    }
    #expect(slowest > cycles * 9 / 10, "\(slowest)")
  }

  @Test("is none in a graph of sources, and a node that has left has no name")
  func none() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
    _ = renderer.addSource()
    #expect(work(of: renderer).slowestNode == 0)
    #expect(renderer.graph.nodeName(of: 0) == nil)
  }

  @Test("is kept in a cycle's record")
  func record() throws {
    var facts = CycleFacts()
    facts.work.sourceTicks = 1 << 40
    facts.work.callbackTicks = 5000
    facts.work.slowestNode = 77
    facts.work.slowestNodeTicks = 4000
    let words = CycleWords(facts, entryTicks: 1, exitTicks: 9001, preemption: .none)
    // The scale measures the clock again at each use.
    let scale = TickScale()
    let record = words.record(3, scale: scale)
    #expect(record.slowestNode == 77)
    let share =
      Double(try #require(record.slowestNodeNanoseconds)) / Double(record.callbackNanoseconds)
    #expect(abs(share - 0.8) < 0.1)
    // More than 32 bits of ticks are kept as a second or more.
    #expect(record.sourceNanoseconds > 500_000_000)
    facts.work = RenderWork()
    let idle = CycleWords(facts, entryTicks: 1, exitTicks: 9001, preemption: .none)
    #expect(idle.record(4, scale: scale).slowestNode == nil)
  }
}
