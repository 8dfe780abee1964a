// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import RenderCore

@Suite("A limiter in a graph")
struct LimiterNodeTests {
  private static let cuts = GraphRig.cuts
  private static let lookAhead = 72

  /// Returns a rig with a generator before a limiter.
  private func limited(
    lookAhead: Int = lookAhead, ceiling: Float = 0.25
  ) throws -> (rig: GraphRig, limiter: LimiterControl) {
    let rig = GraphRig()
    _ = rig.addGenerator(step: 0.01)
    let graph = rig.renderer.graph
    let limiter = graph.addLimiter(channelCount: 1, lookAheadFrames: lookAhead)
    limiter.ceiling = ceiling
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(limiter.node, from: graph.mix, to: graph.output)
    }
    return (rig, limiter)
  }

  @Test("limits from its first frame on, and shows its lowest gain", arguments: cuts)
  func limits(_ cycles: [Int]) throws {
    let (rig, limiter) = try limited()
    #expect(limiter.takeLowestGain() == 1)
    rig.render(4000, cycles: cycles)
    let loudest = rig.samples.map(\.magnitude).max()!
    #expect(loudest <= 0.25 && loudest > 0.24)
    #expect(abs(limiter.takeLowestGain() - 0.5) < 0.02)
    #expect(rig.renderer.graph.latencyFrames == Self.lookAhead)
    #expect(limiter.node.latencyFrames == Self.lookAhead)
  }

  @Test("delays parallel paths by its look-ahead", arguments: cuts)
  func latency(_ cycles: [Int]) throws {
    let rig = GraphRig()
    _ = rig.addGenerator(step: 0.01)
    let graph = rig.renderer.graph
    let limiter = graph.addLimiter(channelCount: 1, lookAheadFrames: Self.lookAhead)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.setGain(-1, from: graph.mix, to: graph.output)
      try edit.connect(graph.mix, to: limiter.node)
      try edit.connect(limiter.node, to: graph.output)
    }
    rig.render(4000, cycles: cycles)
    #expect(rig.samples.allSatisfy { $0 == 0 })
  }

  @Test("that is bypassed only delays", arguments: cuts)
  func bypass(_ cycles: [Int]) throws {
    let (rig, limiter) = try limited()
    rig.render(1000, cycles: cycles)
    try rig.renderer.graph.setBypassed(true, limiter.node)
    // The release of 0.1 s is long over.
    rig.render(100_000, cycles: cycles)
    let place = 90_000
    let expected = (0..<1000).map { generated(0.01, UInt64(place + $0 - Self.lookAhead)) }
    let isDry = Array(rig.samples[place..<place + 1000]) == expected
    #expect(isDry)
  }

  @Test("begins at rest when it is connected again")
  func reconnection() throws {
    let (rig, limiter) = try limited()
    let graph = rig.renderer.graph
    rig.render(1000, cycles: [64])
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.disconnect(limiter.node, from: graph.output)
      try edit.disconnect(graph.mix, from: limiter.node)
    }
    rig.render(1000, cycles: [64])
    try graph.edit { _ in }
    rig.render(64, cycles: [64])
    let before = rig.samples.count
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(graph.mix, to: limiter.node)
      try edit.connect(limiter.node, to: graph.output)
    }
    rig.render(2000, cycles: [64])
    let heard = rig.samples[before...]
    #expect(heard.prefix(Self.lookAhead).allSatisfy { $0 == 0 })
    #expect(heard.allSatisfy { $0.magnitude <= 0.25 } && heard.contains { $0 != 0 })
  }

  @Test("counts samples that are not finite as the renderer does")
  func nonFinite() throws {
    let (rig, _) = try limited(lookAhead: 0)
    let graph = rig.renderer.graph
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(graph.input, to: graph.mix)
    }
    rig.render(inputs: [0, .nan, .infinity, 0])
    #expect(rig.samples[1] == 0 && rig.samples[2] == 0)
    #expect(rig.renderer.nonFiniteSampleCount == 2)
  }

  @Test("keeps its look-ahead and its release time at another rate")
  func rate() throws {
    let (rig, limiter) = try limited()
    rig.renderer.sampleRate = 96_000
    #expect(limiter.node.latencyFrames == Self.lookAhead && limiter.releaseSeconds == 0.1)
    rig.render(4000, cycles: [64])
    #expect(rig.samples.allSatisfy { $0.magnitude <= 0.25 })
  }

  @Test(
    "corrects settings that are impossible",
    arguments: [
      (Float.nan, Float(1)), (.infinity, 1), (0, 1e-6), (-1, 1e-6), (0.5, 0.5),
    ])
  func settings(_ ceiling: Float, _ expected: Float) throws {
    let (rig, limiter) = try limited()
    limiter.ceiling = ceiling
    #expect(limiter.ceiling == expected)
    for seconds in [Double.nan, -1, 0, .infinity] {
      limiter.releaseSeconds = seconds
      rig.render(500, cycles: [64])
    }
    #expect(rig.samples.allSatisfy { $0.magnitude <= max(expected, 0.25) })
  }
}
