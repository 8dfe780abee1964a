// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import RenderCore

@Suite("A delay in a graph")
struct DelayNodeTests {
  private static let cuts = GraphRig.cuts
  private static let fade = 240

  /// Returns a rig with a generator before a delay.
  private func delayed(
    _ frames: Int, maximum: Int = 10_000
  ) throws -> (rig: GraphRig, delay: DelayControl) {
    let rig = GraphRig()
    _ = rig.addGenerator(step: 0.01)
    let graph = rig.renderer.graph
    let delay = graph.addDelay(channelCount: 1, maximumFrames: maximum)
    delay.set { _, _ in frames }
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(delay.node, from: graph.mix, to: graph.output)
    }
    return (rig, delay)
  }

  /// Returns the generator's frames, delayed.
  private func expected(_ frames: Range<Int>, delay: Int) -> [Float] {
    frames.map { $0 < delay ? 0 : generated(0.01, UInt64($0 - delay)) }
  }

  @Test("delays by its frames from its first frame on, to the bit", arguments: cuts)
  func delays(_ cycles: [Int]) throws {
    for frames in [0, 1, 63, 64, 1000, 9999, 10_000] {
      let (rig, delay) = try delayed(frames)
      rig.render(12_000, cycles: cycles)
      let isDelayed = rig.samples == expected(0..<12_000, delay: frames)
      #expect(isDelayed, "\(frames) frames")
      #expect(delay.node.latencyFrames == 0 && rig.renderer.graph.latencyFrames == 0)
    }
  }

  @Test("crossfades to another delay with the same bits for all cycles", arguments: cuts)
  func change(_ cycles: [Int]) throws {
    func heard(_ cycles: [Int]) throws -> [Float] {
      let (rig, delay) = try delayed(100)
      rig.render(1000, cycles: cycles)
      delay.set { _, _ in 700 }
      rig.render(3000, cycles: cycles)
      return rig.samples
    }
    let samples = try heard(cycles)
    let (old, new) = (expected(0..<4000, delay: 100), expected(0..<4000, delay: 700))
    // Exact outside of the crossfade, between the two within it.
    #expect(Array(samples[..<1000]) == Array(old[..<1000]))
    #expect(Array(samples[(1000 + Self.fade)...]) == Array(new[(1000 + Self.fade)...]))
    let isBetween = (1000..<1000 + Self.fade).allSatisfy {
      samples[$0] >= min(old[$0], new[$0]) - 1e-6 && samples[$0] <= max(old[$0], new[$0]) + 1e-6
    }
    #expect(isBetween)
    let reference = try heard([1000])
    #expect(samples == reference)
  }

  @Test("ends at the last of several delays that are set during a crossfade")
  func latest() throws {
    let (rig, delay) = try delayed(0)
    rig.render(64, cycles: [64])
    for frames in [10, 20, 30, 400] {
      delay.set { _, _ in frames }
      rig.render(32, cycles: [32])
    }
    rig.render(2000, cycles: [64])
    let end = rig.samples.count
    #expect(Array(rig.samples[(end - 500)...]) == expected(end - 500..<end, delay: 400))
  }

  @Test(
    "fades in after as many frames as it delays, so that no silence precedes it",
    arguments: cuts)
  func insertion(_ cycles: [Int]) throws {
    let rig = GraphRig()
    _ = rig.addGenerator(step: 0.01)
    let graph = rig.renderer.graph
    rig.render(1000, cycles: cycles)
    let delay = graph.addDelay(channelCount: 1, maximumFrames: 1000)
    delay.set { _, _ in 700 }
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(delay.node, from: graph.mix, to: graph.output)
    }
    rig.render(3000, cycles: cycles)
    let end = 1700 + Self.fade
    #expect(Array(rig.samples[..<1700]) == expected(0..<1700, delay: 0))
    #expect(Array(rig.samples[end...]) == expected(end..<4000, delay: 700))
  }

  @Test("follows the sample rate, up to its maximum length")
  func rate() throws {
    let (rig, delay) = try delayed(0, maximum: 600)
    delay.set { _, rate in Int(rate / 100) }
    rig.render(1000, cycles: [64])
    #expect(Array(rig.samples[500...]) == expected(500..<1000, delay: 480))
    rig.renderer.sampleRate = 96_000
    rig.render(2000, cycles: [64])
    #expect(Array(rig.samples[2500...]) == expected(2500..<3000, delay: 600))
    delay.set { _, _ in -5 }
    rig.render(2000, cycles: [64])
    #expect(Array(rig.samples[4500...]) == expected(4500..<5000, delay: 0))
  }

  @Test("has a delay for each channel")
  func channels() throws {
    var delay = SampleDelay(channels: 3, limits: 0...5)
    for channel in 0..<3 { delay.note(delay: 2 * channel, channel: channel) }
    delay.begin(takesNoted: true)
    let input = [[Float]](repeating: [1, 2, 3, 4, 5, 6], count: 3)
    let heard = unsafe processed(input, cycles: [1, 2, 3]) { places, frames in
      unsafe delay.apply(to: places, frameCount: frames)
    }
    #expect(heard == [[1, 2, 3, 4, 5, 6], [0, 0, 1, 2, 3, 4], [0, 0, 0, 0, 1, 2]])
  }
}
