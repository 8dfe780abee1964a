// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import OfflineOutput
import Testing

@testable import RenderCore

@Suite("A loudness tap")
struct LoudnessTapTests {
  private static let rate = 48000.0

  /// A renderer whose inputs pass a loudness tap.
  private final class TappedSound {
    let renderer: Renderer
    let tap: LoudnessTapControl
    private var output: OfflineOutput

    init(channels: Int = 2, rate: Double = LoudnessTapTests.rate, weights: [Double]? = nil) throws {
      renderer = Renderer(sampleRate: rate, outputChannels: channels, inputChannels: channels)
      output = OfflineOutput(renderer: renderer)
      let graph = renderer.graph
      tap = graph.addLoudnessTap(channelCount: channels, channelWeights: weights)
      try graph.edit { [tap] (edit) throws(ProcessingGraphError) in
        try edit.connect(graph.input, to: tap.node)
        try edit.connect(tap.node, to: graph.output)
      }
    }

    @discardableResult
    func hear(_ input: [[Float]], _ cuts: Cuts = .even(1000)) -> [[Float]] {
      var random = cuts.generator
      var heard = input.map { _ in [Float]() }
      var done = 0
      for cycle in cuts.cycles(input[0].count, &random) {
        output.render(inputs: input.map { Array($0[done..<done + cycle]) }) { channel, span in
          for index in span.indices { heard[channel].append(span[index]) }
        }
        done += cycle
      }
      return heard
    }
  }

  private func tone(
    _ decibels: Double, seconds: Double, rate: Double = rate, frequency: Double = 1000
  ) -> [Float] {
    let amplitude = pow(10, decibels / 20)
    return (0..<Int(seconds * rate)).map {
      Float(amplitude * sin(2 * .pi * frequency * Double($0) / rate))
    }
  }

  private func stereo(_ parts: [(decibels: Double, seconds: Double)]) -> [[Float]] {
    let sound = parts.flatMap { tone($0.decibels, seconds: $0.seconds) }
    return [sound, sound]
  }

  // EBU Tech 3341, minimum requirements, tests 1 to 5.
  @Test("reads the integrated loudness that EBU Tech 3341 requires")
  func integrated() throws {
    let cases: [([(Double, Double)], Double)] = [
      ([(-23, 20)], -23), ([(-33, 20)], -33), ([(-36, 10), (-23, 60), (-36, 10)], -23),
      ([(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)], -23),
      ([(-26, 20), (-20, 20.1), (-26, 20)], -23),
    ]
    for (parts, expected) in cases {
      let sound = try TappedSound()
      sound.hear(stereo(parts.map { (decibels: $0.0, seconds: $0.1) }))
      let integrated = try #require(sound.tap.loudness.integrated)
      #expect(abs(integrated - expected) < 0.1, "\(parts)")
    }
  }

  @Test("reads momentary and short-term loudness of the last 400 ms and 3 s")
  func recent() throws {
    let sound = try TappedSound()
    sound.hear(stereo([(-30, 4), (-20, 0.5)]))
    let loudness = sound.tap.loudness
    #expect(abs(try #require(loudness.momentary) + 20) < 0.1)
    let shortTerm = 10 * log10((0.5 * pow(10, -2) + 2.5 * pow(10, -3)) / 3)
    #expect(abs(try #require(loudness.shortTerm) - shortTerm) < 0.1)
  }

  @Test("has the frequency weighting of BS.1770-4", arguments: [44100.0, 48000, 96000, 192_000])
  func weighting(_ rate: Double) throws {
    // Tables 1 and 2 of BS.1770-4, at 48 kHz.
    if rate == 48000 {
      let sections = BiquadCoefficients.loudnessWeighting(sampleRate: rate)
      let expected = [
        [
          1.53512485958697, -2.69169618940638, 1.19839281085285, -1.69065929318241,
          0.73248077421585,
        ],
        [1, -2, 1, -1.99004745483398, 0.99007225036621],
      ]
      for (section, expected) in zip(sections, expected) {
        let values = [section.b0, section.b1, section.b2, section.a1, section.a2]
        #expect(zip(values, expected).allSatisfy { abs($0 - $1) < 1e-10 })
      }
    }
    // The same gain at all rates.
    for (frequency, gain) in [(1000.0, 0.0), (100, -1.8), (40, -6.3), (10_000, 3.3)] {
      let sound = try TappedSound(rate: rate)
      let tone = tone(-23, seconds: 2, rate: rate, frequency: frequency)
      sound.hear([tone, tone])
      let momentary = try #require(sound.tap.loudness.momentary)
      #expect(abs(momentary + 23 - gain) < 0.15, "\(frequency) Hz")
    }
  }

  @Test("weights channels, and counts a mono channel for two loudspeakers")
  func channels() throws {
    for (count, weights, expected) in [
      (1, nil, -23), (2, [1, 0], -26.01), (3, [1, 1, 1.41], -20.68),
    ] as [(Int, [Double]?, Double)] {
      let sound = try TappedSound(channels: count, weights: weights)
      sound.hear([[Float]](repeating: tone(-23, seconds: 3), count: count))
      #expect(abs(try #require(sound.tap.loudness.integrated) - expected) < 0.1, "\(count)")
    }
  }

  @Test("changes no bit, and reads the same for all cycle lengths")
  func cycles() throws {
    var random = SeededGenerator(seed: 4)
    var input = (0..<2).map { _ in
      (0..<30_000).map { _ in Float.random(in: -0.5...0.5, using: &random) }
    }
    func loudness(_ cuts: Cuts) throws -> Loudness {
      let sound = try TappedSound()
      let isSame = sound.hear(input, cuts) == input
      #expect(isSame, "\(cuts)")
      #expect(sound.tap.node.latencyFrames == 0)
      return sound.tap.loudness
    }
    let reference = try loudness(.even(1))
    for cuts in Cuts.all { #expect(try loudness(cuts) == reference, "\(cuts)") }
    // The renderer replaces these at its outputs.
    input[0][1000] = .nan
    input[1][2000] = .infinity
    let sound = try TappedSound()
    sound.hear(input)
    #expect(abs(sound.tap.loudness.momentary! - reference.momentary!) < 0.1)
  }

  @Test("has no value for silence, restarts at a reset, and counts lost parts")
  func ends() throws {
    let sound = try TappedSound(rate: 1000)
    let silence = [[Float]](repeating: [Float](repeating: 0, count: 8000), count: 2)
    sound.hear(silence)
    #expect(sound.tap.loudness == Loudness() && sound.tap.lostPartCount == 0)
    let tone = tone(-23, seconds: 1, rate: 1000, frequency: 100)
    sound.hear([tone, tone])
    #expect(sound.tap.loudness.integrated != nil)
    sound.tap.reset()
    #expect(sound.tap.loudness == Loudness())
    for _ in 0..<110 { sound.hear(silence, .even(8000)) }
    #expect(sound.tap.lostPartCount == 8800 - 8192)
  }

  @Test("follows the renderer's rate")
  func rate() throws {
    let sound = try TappedSound()
    sound.hear(stereo([(-23, 1)]))
    sound.renderer.sampleRate = 96_000
    sound.tap.reset()
    let tone = tone(-23, seconds: 2, rate: 96_000)
    sound.hear([tone, tone])
    #expect(abs(try #require(sound.tap.loudness.momentary) + 23) < 0.1)
  }
}
