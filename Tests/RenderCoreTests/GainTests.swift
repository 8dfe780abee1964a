// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import RenderCore

@Suite("A gain")
struct GainTests {
  /// Returns a step's progress (0 to 1) at time `k`.
  private static func weight(_ k: Double) -> Double {
    k <= 0 ? 0 : k >= 1 ? 1 : k * k * k * (10 - 15 * k + 6 * k * k)
  }

  private static let steps: [(from: Float, to: Float, frames: Int)] = [
    (1, 0, 240), (1, 0, 480_000), (1, 0, 2_880_000), (0, 1, 2_880_000), (1, 0.95, 2_880_000),
    (2, 1.5, 960_000), (-1, 1, 2_880_000), (1, 0, 11_520_000), (0.1, 0.3, 1),
  ]

  @Test("follows its curve exactly to the target, for any length", arguments: steps)
  func curve(_ first: Float, _ last: Float, _ frames: Int) {
    var gain = Gain(first)
    gain.go(to: last, frames: frames)
    let way = Double(last) - Double(first)
    var worst = 0.0
    var turns = 0
    for frame in 1...frames {
      let before = gain.value
      gain.advance()
      if (gain.value - before) * Float(way) < -1e-12 { turns += 1 }
      if frame % 97 != 0, frame < frames - 1 { continue }
      let place = Double(first) + way * Self.weight(Double(frame) / Double(frames))
      worst = max(worst, abs(Double(gain.value) - place))
    }
    #expect(worst < 2e-7)
    #expect(turns == 0)
    #expect(gain.isStill(at: last))
    gain.advance()
    #expect(gain.value == last)
  }

  @Test("adds up to four steps, whenever they begin", arguments: 0..<10)
  func sum(seed: UInt64) {
    var random = SplitMix(state: seed)
    var gain = Gain(0.5)
    var begun: [(frame: Int, change: Double, frames: Int)] = []
    var target: Float = 0.5
    for frame in 0..<20_000 {
      let pending = begun.count { frame < $0.frame + $0.frames }
      if pending < 4, Int.random(in: 0..<60, using: &random) == 0 {
        let next = Float.random(in: -1...1, using: &random)
        let frames = Int.random(in: 1...400, using: &random)
        gain.go(to: next, frames: frames)
        begun.append((frame, Double(next) - Double(target), frames))
        target = next
      }
      gain.advance()
      let expected = begun.reduce(0.5) {
        $0 + $1.change * Self.weight(Double(frame + 1 - $1.frame) / Double($1.frames))
      }
      #expect(abs(Double(gain.value) - expected) < 1e-6)
      let left = begun.map { $0.frame + $0.frames - frame - 1 }.max() ?? 0
      #expect(gain.framesLeft == max(0, left))
    }
  }

  @Test("delays a fifth step until the first ends, and keeps only the last of several")
  func fifth() {
    var gain = Gain(0)
    for target in [1, 0, 1, 0] as [Float] {
      gain.go(to: target, frames: 240)
      gain.advance(by: 10)
    }
    gain.go(to: 1, frames: 240)
    gain.go(to: 0.5, frames: 240)
    // The first ends in 200 frames.
    #expect(gain.framesLeft == 440)
    gain.advance(by: 200)
    let before = gain.value
    gain.advance(by: 120)
    #expect(abs(gain.value - 0.25) < 0.001 && before < 0.05)
    gain.advance(by: 119)
    #expect(!gain.isStill)
    gain.advance()
    #expect(gain.isStill(at: 0.5))
  }

  @Test("does not delay a short step until long ones end")
  func shortBehindLong() {
    var gain = Gain(1)
    for target in [0.5, 0.8, 0.2, 0.9] as [Float] {
      gain.go(to: target, frames: 480_000)
      gain.advance(by: 100_000)
    }
    let before = gain.value
    gain.go(to: 0, frames: 240)
    #expect(gain.framesLeft == 240)
    gain.advance()
    #expect(abs(gain.value - before) < 1e-5)
    gain.advance(by: 239)
    #expect(gain.isStill(at: 0))
  }

  @Test("stays between its targets when it is reversed at any time", arguments: 0..<5)
  func bounds(seed: UInt64) {
    var random = SplitMix(state: seed)
    var gain = Gain(1)
    var isWithin = true
    for _ in 0..<2000 {
      gain.go(to: gain.target == 0 ? 1 : 0, frames: 240)
      gain.advance(by: Int.random(in: 1...100, using: &random))
      isWithin = isWithin && (0...1).contains(gain.value)
    }
    #expect(isWithin)
    gain.advance(by: 1000)
    #expect(gain.isStill(at: gain.target))
  }

  @Test("converts a time to frames at every rate")
  func frames() {
    let frames = [44100.0, 48000, 96000, 192_000].map { Gain.frames(0.005, at: $0) }
    #expect(frames == [221, 240, 480, 960])
    #expect([0, -1, .nan, -.infinity].map { Gain.frames($0, at: 48000) } == [1, 1, 1, 1])
    #expect(Gain.frames(.infinity, at: 48000) == 60_000_000)
  }
}
