// SPDX-License-Identifier: MIT

import Equalizers
import TestKit
import Testing

@testable import RenderCore

/// An effect at rest skips silence. Its later output must not depend on the skip.
@Suite("Silence between two sounds")
struct SilentInputTests {
  private static let cuts = Cuts.all + [.even(1), .random(seed: 5)]

  /// Returns sound with `silence` silent frames behind it, and the sound again. The second one begins at a multiple of
  /// 256 frames.
  private func input(silence: Int) -> (first: [Float], second: [Float]) {
    let sound = whiteNoise(2048, seed: 3)
    return (sound + [Float](repeating: 0, count: silence), sound)
  }

  @Test("lets a filter bank begin again as from rest, to the bit", arguments: cuts)
  func filterBank(_ cuts: Cuts) throws {
    let (first, second) = input(silence: 48_000)
    func sound() throws -> FilteredSound {
      let sound = FilteredSound(channels: 2, cuts: cuts)
      try sound.start([[section(.peaking, 300, gain: 9)], [section(.highPass, 20)]])
      return sound
    }
    let (played, fresh) = try (sound(), sound())
    let before = played.hear([first, first])
    #expect(before[0][2048..<2060].allSatisfy { $0 != 0 })
    #expect(before[1].suffix(1000).allSatisfy { $0 == 0 })
    let (heard, expected) = (played.hear([second, second]), fresh.hear([second, second]))
    let isSame = heard == expected
    #expect(isSame)
  }

  @Test("lets another curve begin in a bank that is at rest", arguments: cuts)
  func change(_ cuts: Cuts) throws {
    let (first, second) = input(silence: 48_000)
    let (played, fresh) = (
      FilteredSound(channels: 1, cuts: cuts), FilteredSound(channels: 1, cuts: cuts)
    )
    try played.start([[section(.peaking, 300, gain: 9)]])
    _ = played.hear([first])
    let curve = [[section(.peaking, 2000, gain: -9, q: 2)]]
    try played.set(curve)
    _ = played.hear([[Float](repeating: 0, count: 4096)])
    try fresh.start(curve)
    let (heard, expected) = (played.hear([second]), fresh.hear([second]))
    let isSame = heard == expected
    #expect(isSame)
  }

  @Test("lets a convolver end its tail and begin again as from rest, to the bit", arguments: cuts)
  func convolver(_ cuts: Cuts) throws {
    let response = whiteNoise(3000, seed: 9)
    // Silence shorter than the tail, of its length, and longer.
    for blocks in [4, 11, 12, 13, 14, 40] {
      let (first, second) = input(silence: 256 * blocks)
      let (played, fresh) = (
        try ConvolvedSound(channels: 2, maximumFrames: 3000, cuts: cuts),
        try ConvolvedSound(channels: 2, maximumFrames: 3000, cuts: cuts)
      )
      for sound in [played, fresh] { try sound.set([response, response]) }
      let all = first + second + [Float](repeating: 0, count: 512)
      let heard = played.hear([all, all])
      let latency = ConvolverControl.latencyFrames
      let places = Array(stride(from: 0, to: all.count - latency, by: 97))
      let error = errorDecibels(
        places.map { heard[1][$0 + latency] }, places.map { convolved(all, response, at: $0) })
      #expect(error <= -120, "\(blocks) blocks: \(error) dB")
      if blocks < 40 { continue }
      // Earlier frames contain rounding of the block in which the sound ends.
      let tail = heard[0][(2048 + 14 * 256 + latency)..<first.count]
      #expect(tail.allSatisfy { $0 == 0 })
      let expected = fresh.hear([second, second])
      let isSame = Array(heard[0][first.count..<first.count + 2048]) == expected[0]
      #expect(isSame, "\(blocks) blocks")
    }
  }
}
