// SPDX-License-Identifier: MIT

import Equalizers
import Glibc
import Testing

@Suite("The automatic preamp")
struct PreampTests {
  /// The peak of a file on a fine grid, by the formulas of the tests.
  static func peak(_ file: AutoEqFile, _ rate: Double) -> Double {
    var best = -Double.infinity
    var place = 0.0
    for index in 0...4000 {
      let frequency = pow(10, Double(index) / 4000 * log10(rate * 0.4999))
      let gain = file.gain(frequency, rate) - file.preamp
      if gain > best { (best, place) = (gain, frequency) }
    }
    for index in -2000...2000 {
      let frequency = min(place * (1 + Double(index) * 2e-6), rate * 0.4999)
      best = max(best, file.gain(frequency, rate) - file.preamp)
    }
    return max(best, file.gain(1e-6, rate) - file.preamp)
  }

  @Test("is minus the peak of the curve without its own preamp, within 0.001 dB", arguments: 0..<40)
  func random(_ seed: Int) throws {
    let file = AutoEqFile(seed: seed)
    let curve = try read(file.bytes)
    let expected = Self.peak(file, 48_000)
    let found = try curve.automaticPreampDecibels(sampleRate: 48_000)
    #expect(found <= 0)
    // The curve extends to half the sample rate, where the formulas have no value.
    #expect(abs(found + max(0, expected)) < 0.001, "\(found) for \(expected)")
    let kept = try curve.automaticPreampDecibels(sampleRate: 48_000, keepsPreamp: true)
    #expect(abs(kept - min(0, found - file.preamp)) < 0.001)
  }

  @Test("finds narrow peaks, and those at 0 Hz and at half the sample rate")
  func extremes() throws {
    let lines = [
      "Filter: ON PK Fc 1234.56789 Hz Gain 12 dB Q 1000",
      "Filter: ON PK Fc 23999 Hz Gain 12 dB Q 500",
      "Filter: ON PK Fc 1 Hz Gain 12 dB Q 5",
      "Filter: ON LSC Fc 5 Hz Gain 12 dB Q 0.5",
      "Filter: ON HSC Fc 20000 Hz Gain 12 dB Q 0.5",
      "GraphicEQ: 17.123 0; 17.124 12; 17.125 0",
      "Copy: L=2*L+1.981072*R",
    ]
    for line in lines {
      let found = try read(line).automaticPreampDecibels(sampleRate: 48_000)
      #expect(abs(found + 12) < 0.001, "\(line): \(found)")
    }
    for line in [
      "Filter: ON PK Fc 100 Hz Gain -9 dB Q 1", "Filter: ON HP Fc 100 Hz", "Preamp: 5 dB",
    ] {
      #expect(try read(line).automaticPreampDecibels(sampleRate: 48_000) == 0, "\(line)")
    }
  }

  @Test("is finite for gains beyond the range of a factor")
  func large() throws {
    let text = String(repeating: "Filter: ON PK Fc 1000 Hz Gain 120 dB Q 1\n", count: 999)
    let curve = try read(text + "Copy: L=L+R")
    let found = try curve.automaticPreampDecibels(sampleRate: 48_000)
    #expect(abs(found + 119_880 + 20 * log10(2)) < 0.001, "\(found)")
    let response = try curve.response(atHertz: 1000, sampleRate: 48_000)
    #expect(abs(response.gainDecibels - 119_880) < 0.001)
  }
}
