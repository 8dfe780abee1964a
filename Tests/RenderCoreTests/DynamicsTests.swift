// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import RenderCore

@Suite("Dynamics")
struct DynamicsTests {
  private typealias Settings = DynamicsControl.Settings

  private static let settings: [Settings] = {
    var ratio = Settings()
    (ratio.ratio, ratio.headroomDecibels) = (4, 0)
    var gate = Settings()
    (gate.expansionRatio, gate.expansionThresholdDecibels) = (3, -30)
    (gate.thresholdDecibels, gate.gainDecibels) = (-12, 6)
    return [Settings(), ratio, gate]
  }()

  private static let rate = 48000.0

  /// Returns a rig with inputs before a compressor.
  private func compressed(
    _ settings: Settings
  ) throws -> (rig: GraphRig, dynamics: DynamicsControl) {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let dynamics = graph.addDynamics(channelCount: 1)
    dynamics.settings = settings
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(graph.input, to: dynamics.node)
      try edit.connect(dynamics.node, to: graph.output)
    }
    return (rig, dynamics)
  }

  private func hear(
    _ input: [Float], _ rig: GraphRig, _ cuts: Cuts = .even(64)
  ) -> [Float] {
    var random = cuts.generator
    let before = rig.samples.count
    var done = 0
    for cycle in cuts.cycles(input.count, &random) {
      rig.render(inputs: Array(input[done..<done + cycle]))
      done += cycle
    }
    return Array(rig.samples[before...])
  }

  /// Bursts of noise at several levels.
  private func noise(_ frames: Int, seed: UInt64 = 1) -> [Float] {
    var random = SplitMix(state: seed)
    return (0..<frames).map { frame in
      let loudness: Float = [1, 0.01, 0.2, 0.001, 2][frame / 1500 % 5]
      return Float.random(in: -loudness...loudness, using: &random)
    }
  }

  /// Returns the static law's gain in dB.
  private func gain(_ level: Double, _ settings: Settings) -> Double {
    let excess = max(0, level - settings.thresholdDecibels)
    var gain =
      excess == 0
      ? 0 : -(1 - 1 / settings.ratio) * excess * excess / (excess + settings.headroomDecibels)
    let lack = settings.expansionThresholdDecibels - level
    if lack > 0 { gain -= (settings.expansionRatio - 1) * lack }
    return max(gain, -120.4)
  }

  /// Returns the compressor's output by its formula, with the functions of libm.
  private func expected(_ input: [Float], _ settings: Settings) -> [Double] {
    let attack = exp(-1 / (settings.attackSeconds * Self.rate))
    let release = exp(-1 / (settings.releaseSeconds * Self.rate))
    var (peak, level) = (0.0, 0.0)
    return input.map { sample in
      peak = max(Double(sample.magnitude), peak * release)
      level = peak + attack * (level - peak)
      let decibels = 20 * log10(max(level, 1e-30)), total = gain(decibels, settings)
      return Double(sample) * pow(10, (total + settings.gainDecibels) / 20)
    }
  }

  @Test("have the gain of their formula", arguments: 0..<settings.count)
  func formula(_ index: Int) throws {
    let settings = Self.settings[index]
    let input = noise(20_000)
    let (rig, _) = try compressed(settings)
    let heard = hear(input, rig)
    let expected = expected(input, settings)
    let worst = zip(heard, expected).map { abs(Double($0) - $1) / max(1e-3, abs($1)) }.max()!
    #expect(worst < 1e-5)
  }

  @Test("apply the static law's gain to a steady level", arguments: [-50.0, -20, -15, -10, 0, 12])
  func steady(_ level: Double) throws {
    for settings in Self.settings {
      let (rig, dynamics) = try compressed(settings)
      let input = [Float](repeating: Float(pow(10, level / 20)), count: 4800)
      let heard = hear(input, rig)
      let decibels = 20 * log10(Double(heard.last! / input[0]))
      let gain = gain(level, settings)
      #expect(abs(decibels - gain - settings.gainDecibels) < 0.01)
      #expect(abs(dynamics.compressionDecibels - gain) < 0.01)
      if settings.ratio == .infinity {
        let output = level + gain
        #expect(output < settings.thresholdDecibels + settings.headroomDecibels)
      }
    }
  }

  @Test("produce the same bits for all cycle lengths", arguments: 0..<settings.count)
  func cycles(_ index: Int) throws {
    var input = noise(24_000, seed: 3)
    input[5000] = .nan
    func heard(_ cuts: Cuts) throws -> [Float] {
      let (rig, dynamics) = try compressed(Self.settings[index])
      let first = hear(Array(input[..<16_000]), rig, cuts)
      dynamics.settings = Self.settings[(index + 1) % 3]
      return first + hear(Array(input[16_000...]), rig, cuts)
    }
    let reference = try heard(.even(1))
    for cuts in Cuts.all {
      let isSame = try heard(cuts) == reference
      #expect(isSame, "\(cuts)")
    }
  }

  @Test("change no bit of sound between both thresholds, nor while bypassed")
  func transparent() throws {
    var settings = Settings()
    settings.expansionRatio = 4
    let (rig, dynamics) = try compressed(settings)
    let steady = (0..<3000).map { $0 % 2 == 0 ? Float(0.05) : -0.08 }
    _ = hear(steady, rig)
    let isSame = hear(steady, rig) == steady
    #expect(isSame && dynamics.compressionDecibels == 0)
    dynamics.settings = Self.settings[2]
    try rig.renderer.graph.setBypassed(true, dynamics.node)
    _ = hear(steady, rig)
    let loud = noise(5000)
    let isDry = hear(loud, rig) == loud
    #expect(isDry)
    #expect(dynamics.node.latencyFrames == 0)
  }

  @Test("fade to other settings without a step")
  func change() throws {
    let (rig, dynamics) = try compressed(Settings())
    let level = [Float](repeating: 0.25, count: 4800)
    _ = hear(level, rig)
    var settings = Settings()
    settings.gainDecibels = 20
    settings.thresholdDecibels = -40
    settings.ratio = 3
    dynamics.settings = settings
    let heard = hear(level, rig)
    #expect(abs(heard.last! - heard[0]) > 0.1)
    // Differences of order 4 are small for a smooth curve, and as large as a step for a step.
    var differences = heard.map { Double($0) }
    for _ in 0..<4 { differences = zip(differences, differences.dropFirst()).map { $1 - $0 } }
    #expect(differences.map { abs($0) }.max()! < 1e-5)
  }

  @Test("replace samples that are not finite, and recover from them")
  func hostile() throws {
    let (rig, dynamics) = try compressed(Settings())
    let hostile: [Float] = [
      .nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1,
    ]
    let heard = hear(hostile, rig)
    #expect(heard.allSatisfy { $0.isFinite } && rig.renderer.nonFiniteSampleCount == 3)
    // The level falls by 8.7 dB in 50 ms.
    _ = hear([Float](repeating: 0, count: 48000 * 6), rig)
    #expect(hear([0.01], rig) == [0.01])
    var settings = Settings()
    (settings.ratio, settings.thresholdDecibels) = (.nan, .infinity)
    (settings.attackSeconds, settings.releaseSeconds) = (-1, .infinity)
    (settings.headroomDecibels, settings.gainDecibels) = (-3, 1000)
    dynamics.settings = settings
    let possible = dynamics.settings
    #expect(possible.ratio == .infinity && possible.thresholdDecibels == 20)
    #expect(possible.attackSeconds == 0 && possible.releaseSeconds == 10)
    #expect(possible.headroomDecibels == 0 && possible.gainDecibels == 40)
  }

  @Test("keep the seconds of attack and release at another rate")
  func rate() throws {
    let (rig, _) = try compressed(Settings())
    rig.renderer.sampleRate = 96_000
    // A level of 0 dBFS falls by 8.7 dB in 50 ms; this compares the gain after 25 ms.
    _ = hear([Float](repeating: 1, count: 4800), rig)
    let heard = hear([Float](repeating: 1e-3, count: 2400), rig)
    let gain = 20 * log10(Double(heard.last!) / 1e-3)
    let level = -20 * log10(exp(1)) * 0.5
    #expect(abs(gain - self.gain(level, Settings())) < 0.25)
  }

  @Test("A binary logarithm and its inverse agree with libm")
  func logarithm() {
    var random = SplitMix(state: 5)
    var (worst, worstPower) = (0.0, 0.0)
    for _ in 0..<100_000 {
      let value = exp2(Double.random(in: -120...120, using: &random))
      worst = max(worst, abs(BinaryLogarithm.log2(value) - log2(value)))
      let power = Double.random(in: -60...60, using: &random)
      worstPower = max(worstPower, abs(BinaryLogarithm.exp2(power) / exp2(power) - 1))
    }
    #expect(worst < 2e-9 && worstPower < 1e-8)
    #expect(BinaryLogarithm.exp2(0) == 1 && BinaryLogarithm.log2(1) == 0)
    #expect(BinaryLogarithm.exp2(.infinity).isFinite && BinaryLogarithm.exp2(-.infinity) > 0)
  }
}
