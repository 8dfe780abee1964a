// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import RenderCore

@Suite("A limiter")
struct LimiterTests {
  private static let lookAheads = [0, 1, 2, 5, 72, 240]
  private static let release = 480

  /// A limiter with its meter and its output.
  private final class LimitedSound {
    private var limiter: Limiter
    private(set) var lowestGain: Float = 1
    private(set) var nonFiniteSamples = 0

    init(channels: Int = 2, lookAhead: Int, ceiling: Float?) {
      limiter = Limiter(channels: channels, lookAheadFrames: lookAhead)
      limiter.set(ceiling: ceiling, releaseFrames: LimiterTests.release, fadeFrames: 0)
    }

    func set(ceiling: Float?) {
      limiter.set(ceiling: ceiling, releaseFrames: LimiterTests.release, fadeFrames: 240)
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

  /// Returns two channels of noise that is loud now and then.
  private func noise(_ frames: Int, seed: UInt64 = 1) -> [[Float]] {
    var random = SplitMix(state: seed)
    return (0..<2).map { _ in
      (0..<frames).map { frame in
        let loudness: Float = frame / 700 % 4 == 1 ? 3 : 0.4
        return Float.random(in: -loudness...loudness, using: &random)
      }
    }
  }

  private func tone(_ frames: Int) -> [Float] {
    (0..<frames).map { Float(0.9 * sin(2 * Double.pi * 1000 * Double($0) / 48_000)) }
  }

  /// Returns the output of the limiter's formula, in double precision and without optimisations.
  private func expected(_ input: [[Float]], lookAhead: Int, ceiling: Double) -> [[Double]] {
    let frames = input[0].count
    let needed = (0..<frames).map { frame in
      let peak = input.map { Double($0[frame].magnitude) }.max()!
      return peak > ceiling ? 1 - ceiling / peak : 0
    }
    func last(_ count: Int, _ values: [Double], _ frame: Int) -> ArraySlice<Double> {
      values[max(0, frame - count + 1)...frame]
    }
    var reduction = 0.0
    let released = (0..<frames).map { frame in
      reduction -= reduction / Double(Self.release)
      reduction = max(reduction, last(lookAhead + 1, needed, frame).max()!)
      return reduction
    }
    func average(_ values: [Double], _ count: Int) -> [Double] {
      values.indices.map { last(count, values, $0).reduce(0, +) / Double(count) }
    }
    let smooth = average(
      average(released, lookAhead / 2 + 1), lookAhead - lookAhead / 2 + 1)
    return input.map { channel in
      (0..<frames).map { frame in
        frame < lookAhead ? 0 : Double(channel[frame - lookAhead]) * (1 - smooth[frame])
      }
    }
  }

  @Test("has the gain of its formula", arguments: lookAheads)
  func formula(_ lookAhead: Int) {
    let input = noise(6000)
    let heard = LimitedSound(lookAhead: lookAhead, ceiling: 0.5).hear(input)
    let expected = expected(input, lookAhead: lookAhead, ceiling: 0.5)
    for channel in 0..<2 {
      let worst = zip(heard[channel], expected[channel]).map { abs(Double($0) - $1) }.max()!
      #expect(worst < 1e-5)
    }
  }

  @Test("lets no sample above its ceiling through", arguments: lookAheads)
  func ceiling(_ lookAhead: Int) {
    for ceiling: Float in [1e-6, 0.1, 0.3333, 0.5, 1] {
      let sound = LimitedSound(lookAhead: lookAhead, ceiling: ceiling)
      var input = noise(20_000, seed: 3)
      input[0][5000] = .greatestFiniteMagnitude
      input[1][5001] = -1e30
      let heard = sound.hear(input, .random(seed: 4))
      #expect(heard.allSatisfy { $0.allSatisfy { $0.magnitude <= ceiling } })
      #expect(sound.lowestGain < 1 && sound.nonFiniteSamples == 0)
    }
  }

  @Test(
    "keeps sound within its ceiling to the bit, delayed by the look-ahead", arguments: lookAheads)
  func within(_ lookAhead: Int) {
    let input = noise(3000).map { $0.map { max(-0.4, min(0.4, $0)) } }
    for ceiling: Float? in [0.4, nil] {
      let sound = LimitedSound(lookAhead: lookAhead, ceiling: ceiling)
      let heard = sound.hear(input, .random(seed: 5))
      let silence = [Float](repeating: 0, count: lookAhead)
      let isDelayed = heard == input.map { silence + $0.dropLast(lookAhead) }
      #expect(isDelayed && sound.lowestGain == 1)
    }
  }

  @Test("is bit-exact again after a peak and its release")
  func release() {
    let sound = LimitedSound(lookAhead: 72, ceiling: 0.5)
    let quiet = [[Float]](repeating: [Float](repeating: 0.25, count: 10_000), count: 2)
    _ = sound.hear([[1], [0]])
    _ = sound.hear(quiet)
    let isSame = sound.hear(quiet) == quiet
    #expect(isSame)
  }

  @Test("produces the same bits for all cycle lengths", arguments: lookAheads)
  func cycles(_ lookAhead: Int) {
    var input = noise(12_000, seed: 7)
    input[0][100] = .nan
    input[1][9000] = -.infinity
    func heard(_ cuts: Cuts) -> [[Float]] {
      let sound = LimitedSound(lookAhead: lookAhead, ceiling: 0.5)
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

  @Test("replaces samples that are not finite by 0, and counts them", arguments: [nil, Float(0.5)])
  func nonFinite(_ ceiling: Float?) {
    let sound = LimitedSound(channels: 1, lookAhead: 3, ceiling: ceiling)
    let heard = sound.hear([[0.25, .nan, .infinity, -.infinity, 0.25, 0, 0, 0]])
    #expect(heard == [[0, 0, 0, 0.25, 0, 0, 0, 0.25]])
    #expect(sound.nonFiniteSamples == 3)
  }

  @Test("fades to another ceiling, and clips nothing on the way", arguments: lookAheads)
  func change(_ lookAhead: Int) {
    let tone = [tone(4800)]
    let sound = LimitedSound(channels: 1, lookAhead: lookAhead, ceiling: nil)
    _ = sound.hear(tone)
    sound.set(ceiling: 0.3)
    let down = sound.hear(tone)[0]
    // The look-ahead delays the old sound; the fade takes 240 frames.
    #expect(down[(lookAhead + 240)...].allSatisfy { $0.magnitude <= 0.3 })
    let steady = zip(tone[0], tone[0].dropFirst()).map { abs($0 - $1) }.max()!
    let steepest = zip(down, down.dropFirst()).map { abs($0 - $1) }.max()!
    #expect(steepest < 1.2 * steady || lookAhead < 72)
    sound.set(ceiling: nil)
    _ = sound.hear([[Float](repeating: 0, count: 10_000)])
    let isDry = Array(sound.hear(tone)[0][lookAhead...]) == tone[0].dropLast(lookAhead)
    #expect(isDry)
  }

  @Test("A sliding maximum is the largest of the last values", arguments: [1, 2, 3, 10, 100])
  func slidingMaximum(_ window: Int) {
    var maximum = SlidingMaximum(window: window)
    var random = SplitMix(state: UInt64(window))
    var values: [Double] = []
    for index in 0..<3000 {
      // The values include runs of zeros, and equal values.
      let value = index / 200 % 3 == 0 ? 0 : Double(Int.random(in: 0...20, using: &random))
      values.append(value)
      let expected = values.suffix(window).max()!
      #expect(maximum.push(value) == expected)
      #expect(maximum.isZero == (expected == 0))
    }
  }

  @Test("A moving sum is the sum of the last values", arguments: [1, 2, 3, 10, 100])
  func movingSum(_ window: Int) {
    var sum = MovingSum(window: window)
    var random = SplitMix(state: UInt64(window))
    var values: [Int] = []
    for _ in 0..<1000 {
      values.append(Int.random(in: 0...1 << 40, using: &random))
      #expect(sum.push(values.last!) == values.suffix(window).reduce(0, +))
    }
    sum.reset()
    #expect(sum.sum == 0 && sum.push(3) == 3)
  }
}
