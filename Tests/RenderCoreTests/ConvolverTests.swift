// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import RenderCore

@Suite("A convolver")
struct ConvolverTests {
  private static let latency = ConvolverControl.latencyFrames
  private static let lengths = [1, 255, 256, 257, 4096, 65536]

  /// Returns the output frames to compare: the first, the last, and random ones.
  private func places(_ count: Int, seed: UInt64) -> [Int] {
    var random = SplitMix(state: seed)
    return Array(0..<100) + (0..<200).map { _ in Int.random(in: 100..<count, using: &random) }
      + Array(count - 100..<count)
  }

  @Test(
    "matches a direct convolution in double precision to -120 dB", arguments: lengths, [1, 2, 6])
  func exactness(_ length: Int, _ channels: Int) throws {
    let sound = try ConvolvedSound(channels: channels, cuts: .random(seed: 3))
    let taps = (0..<channels).map { whiteNoise(length, seed: UInt64($0 + 10)) }
    try sound.set(taps)
    let input = (0..<channels).map { whiteNoise(length + 5000, seed: UInt64($0 + 100)) }
    let heard = sound.hear(input.map { $0 + [Float](repeating: 0, count: Self.latency) })
    for channel in 0..<channels {
      let places = places(length + 5000, seed: 7)
      let error = errorDecibels(
        places.map { heard[channel][$0 + Self.latency] },
        places.map { convolved(input[channel], taps[channel], at: $0) })
      if showsFigures { print("figures convolver \(length) taps: \(error) dB") }
      #expect(error <= -120)
      #expect(heard[channel][..<Self.latency].allSatisfy { $0 == 0 })
    }
  }

  @Test("accepts one response for all channels, and one for each pair of an input and an output")
  func layouts() throws {
    let input = (0..<3).map { whiteNoise(3000, seed: UInt64($0 + 100)) }
    let places = places(3000, seed: 7)
    for count in [1, 9] {
      let sound = try ConvolvedSound(channels: 3)
      var taps = (0..<count).map { whiteNoise(700, seed: UInt64($0 + 10)) }
      // One path is silent.
      if count == 9 { taps[5] = taps[5].map { _ in 0 } }
      try sound.set(taps)
      let heard = sound.hear(input.map { $0 + [Float](repeating: 0, count: Self.latency) })
      for output in 0..<3 {
        let exact = places.map { place in
          count == 1
            ? convolved(input[output], taps[0], at: place)
            : (0..<3).reduce(0) { $0 + convolved(input[$1], taps[3 * $1 + output], at: place) }
        }
        #expect(errorDecibels(places.map { heard[output][$0 + Self.latency] }, exact) <= -120)
      }
    }
  }

  @Test(
    "produces the same bits for all cycle lengths, also while responses are exchanged",
    arguments: Cuts.all + [.even(1), .even(255), .random(seed: 5)])
  func cycles(_ cuts: Cuts) throws {
    func heard(_ cuts: Cuts) throws -> [[Float]] {
      let sound = try ConvolvedSound(channels: 2, cuts: cuts)
      let input = (0..<2).map { whiteNoise(20_000, seed: UInt64($0 + 100)) }
      var heard: [[Float]] = [[], []]
      // The second exchange interrupts the first one, the fourth one the third.
      for (index, end) in [5000, 7000, 7001, 7936, 9000, 20_000].enumerated() {
        let start = heard[0].count
        let part = sound.hear(input.map { Array($0[start..<end]) })
        for channel in 0..<2 { heard[channel] += part[channel] }
        let taps = (0..<[1, 2, 4][index % 3]).map {
          whiteNoise(1000 + 3000 * (index % 2), seed: UInt64(10 * index + $0))
        }
        try sound.set(index == 3 ? nil : taps)
      }
      return heard
    }
    let isEqual = try heard(cuts) == heard(.even(256))
    #expect(isEqual)
  }

  @Test(
    "delays an impulse by one partition, whatever the first device frame",
    arguments: [0, 1, 100, 255, 256, 1000])
  func latency(_ frame: UInt64) throws {
    let sound = try ConvolvedSound(channels: 1, cuts: .even(64), deviceFrame: frame)
    try sound.set([[0.5, 0.25]])
    let heard = sound.hear([[1] + [Float](repeating: 0, count: 999)])[0]
    for (index, sample) in heard.enumerated() {
      let expected: Float = index == Self.latency ? 0.5 : index == Self.latency + 1 ? 0.25 : 0
      #expect((sample - expected).magnitude < 1e-7)
    }
  }

  @Test("only delays if its response is a single 1, and does so to the bit without a response")
  func identity() throws {
    let input = [whiteNoise(20_000, seed: 1)]
    let sound = try ConvolvedSound(channels: 1, cuts: .random(seed: 1))
    let delayed = sound.hear(input)[0]
    let isDelayed =
      delayed[..<Self.latency].allSatisfy { $0 == 0 }
      && delayed[Self.latency...] == input[0][..<(20_000 - Self.latency)]
    #expect(isDelayed)
    let other = try ConvolvedSound(channels: 1, cuts: .random(seed: 1))
    try other.set([[1]])
    let error = errorDecibels(other.hear(input)[0], delayed.map(Double.init))
    if showsFigures { print("figures convolver identity: \(error) dB") }
    #expect(error <= -120)
  }

  @Test("replaces samples that are not finite by 0, and counts them")
  func nonFinite() throws {
    let sound = try ConvolvedSound(channels: 1, cuts: .even(100))
    try sound.set([whiteNoise(2000, seed: 1)])
    var input = whiteNoise(9000, seed: 2)
    (input[300], input[301], input[700]) = (.nan, .infinity, -.infinity)
    let heard = sound.hear([input])[0]
    #expect(sound.nonFiniteSamples == 3)
    for frame in [300, 301, 700] { input[frame] = 0 }
    let places = places(8000, seed: 7)
    let error = errorDecibels(
      places.map { heard[$0 + Self.latency] },
      places.map { convolved(input, whiteNoise(2000, seed: 1), at: $0) })
    #expect(error <= -120)
  }

  @Test("recovers from samples near the largest number")
  func huge() throws {
    let sound = try ConvolvedSound(channels: 1)
    try sound.set([[Float](repeating: 1, count: 1000)])
    _ = sound.hear([[Float](repeating: .greatestFiniteMagnitude, count: 1000)])
    let heard = sound.hear([[Float](repeating: 0, count: 4000)])[0]
    #expect(heard[2000...].allSatisfy { $0 == 0 })
  }

  @Test("begins at rest after frames that it has not convolved")
  func gap() throws {
    let input = [whiteNoise(5000, seed: 1)]
    let sound = try ConvolvedSound(channels: 1, cuts: .even(100))
    try sound.set([whiteNoise(3000, seed: 2)])
    _ = sound.hear(input)
    // The skip happens during a crossfade.
    try sound.set([whiteNoise(2000, seed: 3)])
    _ = sound.hear([Array(input[0][..<700])])
    sound.skip(1000)
    let heard = sound.hear(input)
    let fresh = try ConvolvedSound(
      channels: 1, cuts: .even(100), deviceFrame: sound.deviceFrame - 5000)
    try fresh.set([whiteNoise(2000, seed: 3)])
    let expected = fresh.hear(input)
    #expect(heard == expected)
  }

  @Test("refuses responses that it cannot use, and keeps the one before")
  func errors() throws {
    let sound = try ConvolvedSound(channels: 2, maximumFrames: 1000)
    try sound.set([[0, 2]])
    #expect(throws: ConvolverError.empty) { try sound.set([]) }
    #expect(throws: ConvolverError.empty) { try sound.set([[], []]) }
    #expect(throws: ConvolverError.notFinite) { try sound.set([[1, .nan]]) }
    #expect(throws: ConvolverError.notFinite) { try sound.set([[.infinity]]) }
    #expect(throws: ConvolverError.tooLarge) { try sound.set([[1e38, 1e38, 1e38]]) }
    #expect(throws: ConvolverError.wrongChannelCount(3, nodeChannels: 2)) {
      try sound.set([[1], [1], [1]])
    }
    #expect(throws: ConvolverError.tooLong(frames: 1001, maximum: 1000)) {
      try sound.set([whiteNoise(1001, seed: 1)])
    }
    #expect(throws: ConvolverError.tooLong(frames: 1200, maximum: 1000)) {
      try sound.set([whiteNoise(600, seed: 1)], rate: 24_000)
    }
    let limit = ConvolverControl.maximumResponseFrames
    #expect(throws: ConvolverError.tooLong(frames: limit + 1, maximum: limit)) {
      try sound.set([[Float](repeating: 1, count: limit + 1)])
    }
    for rate in [0, -1, .infinity, 1e-9] {
      #expect(throws: ConvolverError.invalidSampleRate(rate)) { try sound.set([[1]], rate: rate) }
    }
    #expect(throws: ConvolverError.self) { try sound.set([[1]], rate: .nan) }
    #expect(throws: ConvolverError.sampleRateNotSupported(1e9, rendererRate: 48000)) {
      try sound.set([[1]], rate: 1e9)
    }
    let heard = sound.hear(
      [[Float](repeating: 1, count: 1000)] + [[Float](repeating: 1, count: 1000)])
    #expect(heard.allSatisfy { $0[500...].allSatisfy { ($0 - 2).magnitude < 1e-6 } })
  }
}
