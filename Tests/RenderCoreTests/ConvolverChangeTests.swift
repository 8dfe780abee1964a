// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import RenderCore

@Suite("A change of a convolver's response")
struct ConvolverChangeTests {
  private static let latency = ConvolverControl.latencyFrames

  /// Returns an impulse after `frame` frames.
  private func impulse(_ value: Float, after frame: Int = 0) -> [Float] {
    [Float](repeating: 0, count: frame) + [value]
  }

  private func tone(_ hertz: Double, _ frames: Int, level: Double = 0.25) -> [Float] {
    CosineTone(hertz: hertz, sampleRate: 48000).samples(frames, amplitude: level)
  }

  @Test("leaves next to nothing far above a tone")
  func splatter() throws {
    let room = whiteNoise(4000, seed: 1).enumerated().map {
      $1 * Float(exp(-Double($0) / 600)) / 20
    }
    let changes: [(name: String, tone: Double, from: [Float]?, to: [Float]?, bound: Double)] = [
      ("gain", 60, impulse(1), impulse(4), -135), ("gain", 1000, impulse(1), impulse(4), -135),
      ("delay", 60, impulse(1), impulse(1, after: 400), -135), ("room", 60, impulse(1), room, -135),
      ("on", 60, nil, room, -135), ("off", 60, room, nil, -135),
    ]
    for change in changes {
      // The mean of several takes at different levels, so that rounding averages out.
      var sum = [Double](repeating: 0, count: 24_000)
      let takes = 32
      for take in 0..<takes {
        let level = 0.25 * (1 - Double(take) / Double(8 * takes))
        let tone = tone(change.tone, sum.count, level: level)
        let sound = try ConvolvedSound(channels: 1)
        try sound.set(change.from.map { [$0] })
        var heard = sound.hear([Array(tone[..<12_000])])[0]
        try sound.set(change.to.map { [$0] })
        heard += sound.hear([Array(tone[12_000...])])[0]
        sum.add(heard, times: 0.25 / level / Double(takes))
      }
      let decibels = Splatter.decibels(
        Array(sum[11_000..<16_000]), sampleRate: 48000, above: max(3000, 6 * change.tone))
      if showsFigures {
        print("figures convolver change \(change.name) \(change.tone): \(decibels)")
      }
      #expect(decibels <= change.bound, "\(change.name)")
    }
  }

  @Test("takes 20 ms from the second block on, and uses the sound before it")
  func history() throws {
    let input = whiteNoise(30_000, seed: 1)
    let sound = try ConvolvedSound(channels: 1)
    try sound.set([impulse(1)])
    var heard = sound.hear([Array(input[..<15_000])])[0]
    try sound.set([impulse(1, after: 10_000)])
    heard += sound.hear([Array(input[15_000...])])[0]
    // Frame 15,104 begins a block.
    let (start, end) = (15_104 + Self.latency, 15_104 + Self.latency + 960)
    for frame in 1000..<start {
      #expect((heard[frame] - input[frame - Self.latency]).magnitude < 1e-5)
    }
    for frame in end..<30_000 {
      #expect((heard[frame] - input[frame - Self.latency - 10_000]).magnitude < 1e-5)
    }
  }

  @Test("ends at the last of several responses that are set during a crossfade")
  func latest() throws {
    let sound = try ConvolvedSound(channels: 1, cuts: .even(64))
    for gain in [1, 2, 3, 4, 5] as [Float] {
      try sound.set([[gain]])
      _ = sound.hear([[Float](repeating: 1, count: 320)])
    }
    let heard = sound.hear([[Float](repeating: 1, count: 5000)])[0]
    #expect(heard.allSatisfy { $0 < 5.00001 })
    #expect(heard[3500...].allSatisfy { ($0 - 5).magnitude < 1e-5 })
  }

  @Test(
    "resamples a response to the renderer's rate at the same level", arguments: [44_100.0, 96_000])
  func rate(_ rate: Double) throws {
    // A band-pass with its peak in the middle.
    let taps = (0..<2000).map { frame -> Float in
      let time = Double(frame - 1000) / 48000
      return Float(0.02 * exp(-time * time * 2e6) * cos(2 * Double.pi * 3000 * time))
    }
    let sound = try ConvolvedSound(channels: 1, rate: rate)
    try sound.set([taps], rate: 48000)
    var input = [Float](repeating: 0, count: 8192)
    input[0] = 1
    let heard = Array(sound.hear([input])[0][Self.latency...])
    for hertz in [2500.0, 3000, 3500] {
      let (a, b) = (
        Fourier.transform(heard, atHertz: hertz, sampleRate: rate),
        Fourier.transform(taps, atHertz: hertz, sampleRate: 48000)
      )
      let difference =
        hypot(a.real - b.real, a.imaginary - b.imaginary) / hypot(b.real, b.imaginary)
      #expect(difference < 1e-4, "\(hertz)")
    }
  }

  @Test("resamples a response whose peak is its first sample to within 0.6 dB")
  func early() throws {
    let sound = try ConvolvedSound(channels: 1, rate: 48000)
    try sound.set([[1]], rate: 44_100)
    var input = [Float](repeating: 0, count: 8192)
    input[0] = 1
    let heard = Array(sound.hear([input])[0][Self.latency...])
    for hertz in [100.0, 1000, 5000, 10_000, 16_000, 20_000] {
      let sum = Fourier.transform(heard, atHertz: hertz, sampleRate: 48000)
      let decibels = 20 * log10(hypot(sum.real, sum.imaginary))
      if showsFigures { print("figures convolver early \(hertz) Hz: \(decibels) dB") }
      #expect(decibels.magnitude < 0.6)
    }
  }

  @Test("follows the renderer's rate, and cuts off a response that is too long at that rate")
  func follow() throws {
    let sound = try ConvolvedSound(channels: 1, maximumFrames: 1000)
    // 10 ms and 20 ms.
    var taps = [Float](repeating: 0, count: 961)
    (taps[480], taps[960]) = (1, 1)
    try sound.set([taps])
    func peaks() -> [Int] {
      _ = sound.hear([[Float](repeating: 0, count: 8192)])
      let heard = sound.hear([[1] + [Float](repeating: 0, count: 8191)])[0]
      return heard.indices.filter { heard[$0] > 0.4 }.map { $0 - Self.latency }
    }
    #expect(peaks() == [480, 960])
    sound.follow(sampleRate: 96_000)
    // The peak at 960 remains; the one at 1920 is cut off.
    #expect(peaks() == [960])
    sound.follow(sampleRate: 48_000)
    #expect(peaks() == [480, 960])
  }
}
