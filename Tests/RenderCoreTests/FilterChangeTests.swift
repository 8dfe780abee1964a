// SPDX-License-Identifier: MIT

import Equalizers
import Glibc
import TestKit
import Testing

@testable import RenderCore

/// Whether tests print the measured figures: the environment variable `DRAWBAR_FIGURES` is set.
let showsFigures = unsafe getenv("DRAWBAR_FIGURES") != nil

@Suite("A change of a filter bank")
struct FilterChangeTests {
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let tone: Double
    let before: [EqualizerFilter]?
    let after: [EqualizerFilter]?
    /// The highest permitted level, in dBFS, above 3 kHz and six times the tone.
    let bound: Double
  }

  private static func peak(_ hertz: Double, _ gain: Double, q: Double = 1) -> [EqualizerFilter] {
    [section(.peaking, hertz, gain: gain, q: q)]
  }

  private static let changes = [
    Change("gain at 100 Hz", 100, peak(100, 0), peak(100, 12), -150),
    Change("gain at 100 Hz, back", 100, peak(100, 12), peak(100, 0), -150),
    Change("gain at 1 kHz", 1000, peak(1000, -12), peak(1000, 12), -150),
    Change("gain of ten bands", 60, EqualizerFilter.ten(), EqualizerFilter.ten(-6), -150),
    Change("q at 100 Hz", 100, peak(100, 12, q: 0.7), peak(100, 12, q: 5), -150),
    Change("q at 1 kHz", 1000, peak(900, 12, q: 8), peak(900, 12, q: 1), -150),
    Change("frequency, far", 60, peak(60, 12), peak(8000, 12), -110),
    Change("frequency, far and back", 60, peak(8000, 12), peak(60, 12), -110),
    Change(
      "type", 60, [section(.lowShelf, 80, gain: 9)],
      [section(.notch, 400, q: 4)], -110),
    Change(
      "cascade", 60, FilterCascade.linkwitzRiley(order: 8).highPass(frequencyHertz: 20),
      FilterCascade.butterworth(order: 7).lowPass(frequencyHertz: 9000), -110),
    Change("on", 60, nil, peak(60, 12), -125),
    Change("on, ten bands", 60, nil, EqualizerFilter.ten(), -125),
    Change("off", 60, EqualizerFilter.ten(), nil, -125),
  ]

  /// Returns the sound around a change, which begins with frame 24000, at the crest of the tone. The sound is the mean
  /// of many takes at different levels, so that rounding to `Float` averages out.
  private func hear(
    _ change: Change, frames: Int = 48_000, takes: Int = 64
  ) throws -> (heard: [Double], start: Int) {
    var sum = [Double](repeating: 0, count: frames)
    for take in 0..<takes {
      let level = 0.25 * (1 - Double(take) / Double(8 * takes))
      let tone = CosineTone(hertz: change.tone, sampleRate: 48000).samples(
        frames, amplitude: level)
      let sound = FilteredSound(channels: 1)
      try sound.set(change.before.map { [$0] })
      var heard = sound.hear([Array(tone[..<24_000])])[0]
      try sound.set(change.after.map { [$0] })
      heard += sound.hear([Array(tone[24_000...])])[0]
      sum.add(heard, times: 0.25 / level / Double(takes))
    }
    return (sum, 24_000)
  }

  @Test("leaves next to nothing far above the tone", arguments: changes)
  func splatter(_ change: Change) throws {
    let (heard, start) = try hear(change, frames: 30_000)
    let decibels = Splatter.decibels(
      Array(heard[(start - 500)..<(start + 6000)]), sampleRate: 48000,
      above: max(3000, 6 * change.tone))
    if showsFigures { print("figures splatter \(change.testDescription): \(decibels) dBFS") }
    #expect(decibels <= change.bound)
  }

  @Test("makes no step larger than the steady sound's, and no overshoot", arguments: changes)
  func step(_ change: Change) throws {
    let (heard, start) = try hear(change, takes: 1)
    func step(_ range: Range<Int>) -> Double {
      range.reduce(0) { max($0, abs(heard[$1] - heard[$1 - 1])) }
    }
    func peak(_ range: Range<Int>) -> Double { range.reduce(0) { max($0, abs(heard[$1])) } }
    let (moving, early, late) = (start..<start + 4000, start - 4800..<start, 40_000..<48000)
    let steady = max(step(early), step(late))
    let loud = max(peak(early), peak(late))
    if showsFigures {
      print(
        "figures step \(change.testDescription): \(step(moving) / steady), overshoot",
        20 * log10(peak(moving) / loud), "dB")
    }
    // Between the input and a filter that turns its phase, 20 ms are steep at 60 Hz.
    let isSwitched = change.before == nil || change.after == nil
    #expect(step(moving) <= steady * (isSwitched ? 1.01 : 1.0001))
    #expect(20 * log10(peak(moving) / loud) <= 0.1)
  }

  @Test("waits for the previous change, and ends at the last curve")
  func last() throws {
    let sound = FilteredSound(channels: 1)
    let tone = (0..<12_000).map { Float(0.25 * sin(2 * Double.pi * 100 * Double($0) / 48000)) }
    let curves = [12.0, -12, 6, -3].map { Self.peak(100, $0) }
    try sound.start([curves[0]])
    var heard = sound.hear([Array(tone[..<6000])])[0]
    for (index, curve) in curves.dropFirst().enumerated() {
      try sound.set([curve])
      heard += sound.hear([Array(tone[6000 + 64 * index..<6064 + 64 * index])])[0]
    }
    heard += sound.hear([Array(tone[heard.count...])])[0]
    // Two changes of 20 ms: to the second curve, and from there to the last one.
    let steady = FilteredSound(channels: 1)
    try steady.start([curves[3]])
    let expected = steady.hear([tone])[0]
    let (isThere, isThereEarly) = (
      zip(heard[8500...], expected[8500...]).allSatisfy { abs($0 - $1) < 1e-4 },
      zip(heard[7000..<7500], expected[7000..<7500]).allSatisfy { abs($0 - $1) < 1e-3 }
    )
    #expect(isThere && !isThereEarly)
  }

  @Test("to the same curve has no effect")
  func same() throws {
    let curve = EqualizerFilter.ten()
    let input = (0..<6000).map { Float(sin(Double($0) * 0.05)) }
    let (changed, steady) = (FilteredSound(channels: 1), FilteredSound(channels: 1))
    try changed.start([curve])
    try steady.start([curve])
    var heard: [Float] = []
    for start in stride(from: 0, to: 6000, by: 600) {
      try changed.set([curve])
      heard += changed.hear([Array(input[start..<start + 600])])[0]
    }
    let isSame = heard == steady.hear([input])[0]
    #expect(isSame)
  }
}

extension FilterChangeTests.Change {
  init(
    _ name: String, _ tone: Double, _ before: [EqualizerFilter]?, _ after: [EqualizerFilter]?,
    _ bound: Double
  ) {
    self.init(testDescription: name, tone: tone, before: before, after: after, bound: bound)
  }
}
