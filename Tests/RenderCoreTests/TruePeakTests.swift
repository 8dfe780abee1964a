// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import RenderCore

@Suite("A limiter of true peaks")
struct TruePeakTests {
  private static let ceiling: Float = 0.5
  private static let lookAhead = 72
  private static let latency = lookAhead + LimiterControl.truePeakLatencyFrames

  private final class LimitedSound {
    private var limiter: Limiter
    private(set) var lowestGain: Float = 1
    private(set) var nonFiniteSamples = 0

    init(channels: Int = 1, lookAhead: Int = lookAhead, ceiling: Float? = ceiling) {
      limiter = Limiter(channels: channels, lookAheadFrames: lookAhead, findsTruePeaks: true)
      limiter.set(ceiling: ceiling, releaseFrames: 4800, fadeFrames: 0)
    }

    func set(ceiling: Float?) {
      limiter.set(ceiling: ceiling, releaseFrames: 4800, fadeFrames: 240)
    }

    func hear(_ input: [[Float]], _ cuts: Cuts = .even(64)) -> [[Float]] {
      var random = cuts.generator
      return unsafe processed(input, cycles: cuts.cycles(input[0].count, &random)) {
        places, frames in
        let result = unsafe limiter.apply(to: places, frameCount: frames)
        lowestGain = min(lowestGain, result.lowestGain)
        nonFiniteSamples += result.nonFiniteSamples
      }
    }
  }

  /// Returns the true peak by a plain sum, at eight points a frame: a sinc over 300 samples with a Hann window.
  private func truePeak(_ samples: [Float]) -> Double {
    let half = 150
    let taps = (1..<8).map { phase in
      (-half..<half).map { (index: Int) -> Double in
        let distance = Double(index) + 1 - Double(phase) / 8
        let window = 0.5 + 0.5 * cos(.pi * distance / Double(half))
        return window * sin(.pi * distance) / (.pi * distance)
      }
    }
    let padded = [Float](repeating: 0, count: half) + samples + [Float](repeating: 0, count: half)
    var peak = samples.map { Double($0.magnitude) }.max()!
    for frame in 0..<samples.count {
      for taps in taps {
        var sum = 0.0
        for index in taps.indices { sum += taps[index] * Double(padded[frame + 1 + index]) }
        peak = max(peak, abs(sum))
      }
    }
    return peak
  }

  private func tone(_ frequency: Double, phase: Double, frames: Int = 1500) -> [Float] {
    (0..<frames).map {
      // Both ends fade, since a hard edge has a true peak of its own.
      let edge = min(1, Double(min($0, frames - 1 - $0)) / 300)
      return Float(1.2 * edge * sin(2 * .pi * frequency * Double($0) + phase))
    }
  }

  private func limited(_ input: [Float], lookAhead: Int = lookAhead) -> [Float] {
    let silence = [Float](repeating: 0, count: 600)
    return LimitedSound(lookAhead: lookAhead).hear([input + silence])[0]
  }

  @Test(
    "keeps the curve between samples within 0.1 dB of its ceiling",
    arguments: [0.25, 0.1, 0.2013, 0.37, 0.4, 0.45], [48, 240])
  func tones(_ frequency: Double, _ lookAhead: Int) {
    for phase in [Double.pi / 4, 0.3] {
      let input = tone(frequency, phase: phase)
      let peak = truePeak(limited(input, lookAhead: lookAhead)) / Double(Self.ceiling)
      #expect(20 * log10(peak) < 0.1, "\(frequency), phase \(phase)")
      #expect(20 * log10(peak) > -0.5)
    }
  }

  @Test("limits peaks that a limiter of samples passes")
  func quarter() {
    // All samples of this tone are 3 dB below its peaks.
    let input = tone(0.25, phase: .pi / 4)
    let silence = [Float](repeating: 0, count: 600)
    var plain = Limiter(channels: 1, lookAheadFrames: Self.lookAhead)
    plain.set(ceiling: Self.ceiling, releaseFrames: 4800, fadeFrames: 0)
    let heard = unsafe processed([input + silence], cycles: [2100]) { places, frames in
      unsafe _ = plain.apply(to: places, frameCount: frames)
    }
    #expect(20 * log10(truePeak(heard[0]) / Double(Self.ceiling)) > 2.9)
  }

  @Test("keeps noise below 0.45 of the rate, and bursts of it, within 0.1 dB", arguments: 1...3)
  func noise(_ seed: UInt64) {
    var random = SplitMix(state: seed)
    let white = (0..<2200).map { frame in
      Double.random(in: -1...1, using: &random) * (frame / 300 % 3 == 1 ? 3 : 0.3)
    }
    let half = 100
    let taps = (-half...half).map { index in
      let window = 0.5 + 0.5 * cos(.pi * Double(index) / Double(half + 1))
      return index == 0
        ? 0.86 : window * sin(0.86 * .pi * Double(index)) / (.pi * Double(index))
    }
    let input = (0..<2000).map { frame in
      Float(zip(taps, white[frame..<frame + taps.count]).reduce(0) { $0 + $1.0 * $1.1 })
    }
    let heard = limited(input)
    #expect(20 * log10(truePeak(heard) / Double(Self.ceiling)) < 0.1)
    #expect(heard.allSatisfy { $0.magnitude <= Self.ceiling })
  }

  @Test("keeps sound whose true peaks are below the ceiling to the bit, delayed by its latency")
  func within() {
    for ceiling: Float? in [0.5, nil] {
      let input = [
        tone(0.25, phase: .pi / 4).map { $0 * 0.4 }, tone(0.11, phase: 1).map { $0 * 0.4 },
      ]
      let sound = LimitedSound(channels: 2, ceiling: ceiling)
      let silence = [Float](repeating: 0, count: Self.latency)
      let isDelayed =
        sound.hear(input, .random(seed: 5)) == input.map { silence + $0.dropLast(Self.latency) }
      #expect(isDelayed && sound.lowestGain == 1)
    }
  }

  @Test("produces the same bits for all cycle lengths")
  func cycles() {
    var random = SplitMix(state: 7)
    var input = (0..<2).map { _ in
      (0..<12_000).map { frame in
        Float.random(in: -1...1, using: &random) * (frame / 700 % 4 == 1 ? 3 : 0.4)
      }
    }
    input[0][100] = .nan
    input[1][9000] = -.infinity
    func heard(_ cuts: Cuts) -> [[Float]] {
      let sound = LimitedSound(channels: 2)
      let first = sound.hear(input.map { Array($0[..<8000]) }, cuts)
      sound.set(ceiling: 0.2)
      return zip(first, sound.hear(input.map { Array($0[8000...]) }, cuts)).map(+)
    }
    let reference = heard(.even(1))
    for cuts in Cuts.all {
      let isSame = heard(cuts) == reference
      #expect(isSame, "\(cuts)")
    }
  }

  @Test("passes no sample above its ceiling, and none that is not finite")
  func hostile() {
    var random = SplitMix(state: 9)
    var input = (0..<5000).map { _ in Float.random(in: -3...3, using: &random) }
    for (index, value) in [
      Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -1e30, 1e-40,
    ]
    .enumerated() {
      input[500 * (index + 1)] = value
    }
    let sound = LimitedSound()
    let heard = sound.hear([input], .random(seed: 2))[0]
    #expect(heard.allSatisfy { $0.magnitude <= Self.ceiling })
    #expect(sound.nonFiniteSamples == 3)
  }

  @Test("reports its latency, and aligns parallel paths")
  func latency() throws {
    let rig = GraphRig()
    _ = rig.addGenerator(step: 0.01)
    let graph = rig.renderer.graph
    let limiter = graph.addLimiter(
      channelCount: 1, lookAheadFrames: Self.lookAhead, limitsTruePeaks: true)
    #expect(limiter.node.latencyFrames == Self.latency)
    // A sawtooth's true peaks are far above its samples.
    limiter.ceiling = 4
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.setGain(-1, from: graph.mix, to: graph.output)
      try edit.connect(graph.mix, to: limiter.node)
      try edit.connect(limiter.node, to: graph.output)
    }
    rig.render(4000, cycles: [64, 1000, 7])
    #expect(rig.samples.allSatisfy { $0 == 0 })
    #expect(graph.latencyFrames == Self.latency)
  }
}
