// SPDX-License-Identifier: MIT

import AudioModel
import Equalizers
import Glibc
import TestKit
import Testing

@testable import RenderCore

@Suite("A filter bank")
struct FilterBankTests {
  private static func noise(_ frames: Int, seed: UInt64) -> [Float] {
    var random = SplitMix(state: seed)
    return (0..<frames).map { _ in Float.random(in: -1...1, using: &random) }
  }

  /// Filters a channel by a plain loop in double precision.
  private static func plain(
    _ bands: [EqualizerFilter], _ input: [Float], rate: Double
  ) throws -> [Float] {
    var samples = input.map(Double.init)
    for band in bands {
      let c = try band.coefficients(sampleRate: rate)
      var (s1, s2) = (0.0, 0.0)
      for i in samples.indices {
        let x = samples[i]
        let y = c.b0 * x + s1
        s1 = (c.b1 * x + s2) - c.a1 * y
        s2 = c.b2 * x - c.a2 * y
        samples[i] = y
      }
    }
    return samples.map(Float.init)
  }

  @Test(
    "produces the bits of a plain loop for any number of sections",
    arguments: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 63, 64])
  func passes(_ count: Int) throws {
    let bands = (0..<count).map {
      section(.peaking, 50 * Double($0 + 1), gain: $0 % 2 == 0 ? 1 : -1)
    }
    let sound = FilteredSound(channels: 2)
    try sound.start([bands])
    let input = (0..<2).map { Self.noise(2000, seed: $0) }
    let expected = try input.map { try Self.plain(bands, $0, rate: 48000) }
    let isExact = sound.hear(input) == expected
    #expect(isExact)
  }

  @Test("filters a channel to the same bits beside any others", arguments: [2, 3, 5, 8])
  func channels(_ count: Int) throws {
    // Curves of different lengths, one of them flat.
    let curves = (0..<count).map { channel in
      Array(EqualizerFilter.ten().prefix((channel * 3) % 11))
    }
    let input = (0..<count).map { Self.noise(5000, seed: UInt64($0)) }
    let sound = FilteredSound(channels: count)
    try sound.start(curves)
    var heard = sound.hear(input)
    try sound.set(curves.reversed())
    heard = zip(heard, sound.hear(input)).map { $0 + $1 }
    for channel in 0..<count {
      let alone = FilteredSound(channels: 1)
      try alone.start([curves[channel]])
      var expected = alone.hear([input[channel]])[0]
      try alone.set([curves[count - 1 - channel]])
      expected += alone.hear([input[channel]])[0]
      let isSame = heard[channel] == expected
      #expect(isSame, "channel \(channel)")
    }
  }

  @Test("with one curve applies it to every channel", arguments: [1, 2, 3, 5, 8])
  func oneCurve(_ count: Int) throws {
    let input = Self.noise(3000, seed: 7)
    let sound = FilteredSound(channels: count)
    try sound.start([EqualizerFilter.ten()])
    let heard = sound.hear([[Float]](repeating: input, count: count))
    let expected = try Self.plain(EqualizerFilter.ten(), input, rate: 48000)
    #expect(heard.allSatisfy { $0 == expected })
  }

  @Test("that is off, empty or flat keeps every sample to the bit")
  func transparent() throws {
    let hostile: [Float] = [
      0, -0.0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .greatestFiniteMagnitude,
      .infinity, Float(bitPattern: 0x7fa0_0001), .nan, 1e-30, 0.1,
    ]
    let input = hostile + Self.noise(5000, seed: 3)
    let flat = [EqualizerFilter.Kind.peaking, .lowShelf, .highShelf].map { section($0, 333, q: 3) }
    for curves in [nil, [[]], [flat], [flat, [], flat]] as [[[EqualizerFilter]]?] {
      let sound = FilteredSound(channels: 3)
      try sound.set(curves)
      let heard = sound.hear([input, input, input])
      try sound.set([[]])
      for heard in heard + sound.hear([input, input, input]) {
        let isSame = heard.map(\.bitPattern) == input.map(\.bitPattern)
        #expect(isSame)
      }
    }
    // A flat channel beside one that is filtered.
    let sound = FilteredSound(channels: 2)
    try sound.start([[], EqualizerFilter.ten()])
    let heard = sound.hear([input, Self.noise(input.count, seed: 5)])
    let isSame = heard[0].map(\.bitPattern) == input.map(\.bitPattern)
    #expect(isSame && heard[1] != Self.noise(input.count, seed: 5))
  }

  /// Returns the sound with settings made at odd frames: changes, changes during changes, off, on during the
  /// fade-out, a flat curve.
  private func journey(_ cuts: Cuts, input: [[Float]], deviceFrame: UInt64 = 0) throws -> [[Float]]
  {
    let sound = FilteredSound(channels: input.count, cuts: cuts, deviceFrame: deviceFrame)
    let curves = [
      EqualizerFilter.ten(), EqualizerFilter.ten(-9, q: 4), [section(.highPass, 20)], [],
    ]
    let steps: [(frames: Int, curves: [[EqualizerFilter]]?)] = [
      (1000, [curves[0]]), (3001, [curves[1]]), (300, [curves[2]]), (77, [curves[0]]),
      (4000, [curves[3], curves[1], curves[2]]), (2000, nil), (100, [curves[2]]),
      (5000, [curves[3]]), (3000, nil), (1000, [curves[1]]),
      (5000, [curves[2], curves[2], curves[0]]), (9000, nil),
    ]
    var heard = [[Float]](repeating: [], count: input.count)
    for step in steps {
      let start = heard[0].count
      let part = sound.hear(input.map { Array($0[start..<start + step.frames]) })
      for channel in heard.indices { heard[channel] += part[channel] }
      try sound.set(step.curves)
    }
    return heard
  }

  @Test("produces the same samples for all cycle lengths", arguments: Cuts.all)
  func cycleLength(_ cuts: Cuts) throws {
    var input = (0..<3).map { Self.noise(40_000, seed: $0) }
    // Silence that is long enough for the decay, and a NaN.
    for frame in 5000..<12_000 { input[0][frame] = 0 }
    input[1][6001] = .nan
    input[2][14_803] = .infinity
    for deviceFrame in [0, 41] as [UInt64] {
      let heard = try journey(cuts, input: input, deviceFrame: deviceFrame)
      let expected = try journey(.even(1), input: input, deviceFrame: deviceFrame)
      let isSame = heard.map { $0.map(\.bitPattern) } == expected.map { $0.map(\.bitPattern) }
      #expect(isSame)
    }
  }

  @Test("is silent soon after its input, and recovers from NaN within 64 frames")
  func flush() throws {
    let sound = FilteredSound(channels: 2)
    try sound.start([EqualizerFilter.ten()])
    var input = [[Float]](repeating: [Float](repeating: 0, count: 48000), count: 2)
    input[0][3] = 1
    let dying = sound.hear(input)
    #expect(dying[0][3] != 0 && dying[0][47_000...].allSatisfy { $0 == 0 })
    for bad in [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude] {
      input[0][3] = bad
      input[0][64] = 0.5
      let heard = sound.hear(input)
      #expect(heard[0][64...].allSatisfy { $0.isFinite })
      #expect(heard[0][64] != 0)
      #expect(heard[1].allSatisfy { $0 == 0 })
    }
  }

  #if arch(x86_64)
    private static let precise: [(bands: [EqualizerFilter], rate: Double, hertz: Double)] = [
      (EqualizerFilter.ten(), 48000, 997), (EqualizerFilter.ten(6), 192_000, 60),
      (EqualizerFilter.ten(-6, q: 4), 44100, 50),
      ([section(.highPass, 20)], 192_000, 997),
      ([section(.highPass, 20)], 192_000, 20),
      (FilterCascade.butterworth(order: 8).highPass(frequencyHertz: 20), 192_000, 60),
    ]

    @Test("is as exact as samples in single precision can be", arguments: precise.indices)
    func precision(_ index: Int) throws {
      let (bands, rate, hertz) = Self.precise[index]
      let decibels = try bands.reduce(0) {
        try $0 + $1.response(atHertz: hertz, sampleRate: rate).gainDecibels
      }
      let gain = pow(10, decibels / 20)
      let input = (0..<Int(rate)).map {
        Float(sin(2 * Double.pi * hertz * Double($0) / rate) / max(1, gain))
      }
      let sound = FilteredSound(channels: 1, rate: rate)
      try sound.start([bands])
      let heard = sound.hear([input])[0]
      var sections = bands.map { ExtendedBiquad($0, rate: rate) }
      var (sum, peak) = (0.0, 0.0)
      for (frame, x) in input.enumerated() {
        var y = Float80(x)
        for section in sections.indices { y = sections[section].next(y) }
        let error = Double(Float80(heard[frame]) - y)
        sum += error * error
        peak = max(peak, abs(error))
      }
      // Relative to a full-scale sine, whose root mean square is 0 dBFS.
      let errorDecibels = 10 * log10(2 * sum / Double(input.count))
      if showsFigures {
        print("figures precision \(index): \(errorDecibels) dBFS, peak \(20 * log10(peak))")
      }
      #expect(errorDecibels <= -145)
    }
  #endif
}
