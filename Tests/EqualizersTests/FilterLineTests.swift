// SPDX-License-Identifier: MIT

import Equalizers
import Glibc
import Testing

@Suite("A filter's line")
struct FilterLineTests {
  typealias Formula = @Sendable (_ frequency: Double, _ rate: Double) -> Number

  /// A line and its expected transfer function.
  struct Vector: Sendable, CustomTestStringConvertible {
    var line: String
    var formula: Formula
    var testDescription: String { line }

    init(_ line: String, _ formula: @escaping Formula) {
      (self.line, self.formula) = (line, formula)
    }
  }

  /// A shelf with a known S, whose corner is moved by 10^(|g|/80/S).
  static func corner(
    low: Bool, _ f: Double, _ rate: Double, _ fc: Double, gain: Double, slope: Double
  ) -> Number {
    let ratio = pow(10, abs(gain) / 80 / slope)
    let quality = AnalogFilter.quality(slope: slope, gain: gain)
    let s = AnalogFilter.s(f, low ? fc * ratio : fc / ratio, rate)
    return low
      ? AnalogFilter.lowShelf(s, gain: gain, quality: quality)
      : AnalogFilter.highShelf(s, gain: gain, quality: quality)
  }

  static func center(
    low: Bool, _ f: Double, _ rate: Double, _ fc: Double, gain: Double, slope: Double
  ) -> Number {
    let quality = AnalogFilter.quality(slope: slope, gain: gain)
    let s = AnalogFilter.s(f, fc, rate)
    return low
      ? AnalogFilter.lowShelf(s, gain: gain, quality: quality)
      : AnalogFilter.highShelf(s, gain: gain, quality: quality)
  }

  static let vectors: [Vector] = [
    Vector("Filter 1: ON PK Fc 8865 Hz Gain 4.9 dB Q 1.30") {
      AnalogFilter.peaking(AnalogFilter.s($0, 8865, $1), gain: 4.9, quality: 1.3)
    },
    Vector("Filter: ON PEQ Fc 100 Hz Gain -7 dB BW Oct 0.167") {
      AnalogFilter.peaking(
        AnalogFilter.s($0, 100, $1), gain: -7,
        quality: AnalogFilter.quality(octaves: 0.167, 100, $1))
    },
    Vector("Filter 2: ON Modal Fc 37.3 Hz Gain -9.5 dB Q 10 T60 target 300 ms") {
      AnalogFilter.peaking(AnalogFilter.s($0, 37.3, $1), gain: -9.5, quality: 10)
    },
    Vector("Filter 3: ON LP Fc 8.000 Hz") {
      AnalogFilter.lowPass(AnalogFilter.s($0, 8000, $1), quality: sqrt(0.5))
    },
    Vector("Filter 4: ON HP Fc 30 Hz") {
      AnalogFilter.highPass(AnalogFilter.s($0, 30, $1), quality: sqrt(0.5))
    },
    Vector("Filter 5: ON LPQ Fc 10000 Hz Q 0.400") {
      AnalogFilter.lowPass(AnalogFilter.s($0, 10_000, $1), quality: 0.4)
    },
    Vector("Filter 6: ON HPQ Fc 100H z Q 3") {
      AnalogFilter.highPass(AnalogFilter.s($0, 100, $1), quality: 3)
    },
    Vector("Filter 7: ON BP Fc 1000 Hz") {
      AnalogFilter.bandPass(AnalogFilter.s($0, 1000, $1), quality: sqrt(0.5))
    },
    Vector("Filter 7: ON BP Fc 1000 Hz BW Oct 2") {
      AnalogFilter.bandPass(
        AnalogFilter.s($0, 1000, $1), quality: AnalogFilter.quality(octaves: 2, 1000, $1))
    },
    Vector("Filter 8: ON NO Fc 50 Hz") {
      AnalogFilter.notch(AnalogFilter.s($0, 50, $1), quality: 30)
    },
    Vector("Filter 8: ON NO Fc 50 Hz Q 2") {
      AnalogFilter.notch(AnalogFilter.s($0, 50, $1), quality: 2)
    },
    Vector("Filter 9: ON AP Fc 900 Hz Q 0.707") {
      AnalogFilter.allPass(AnalogFilter.s($0, 900, $1), quality: 0.707)
    },
    Vector("Filter 10: ON LSC Fc 105 Hz Gain 6.4 dB Q 0.70") {
      AnalogFilter.lowShelf(AnalogFilter.s($0, 105, $1), gain: 6.4, quality: 0.7)
    },
    Vector("Filter 11: ON HSC Fc 10000 Hz Gain -6.4 dB Q 0.70") {
      AnalogFilter.highShelf(AnalogFilter.s($0, 10_000, $1), gain: -6.4, quality: 0.7)
    },
    // Without a width S is 0.9, and the frequency is the centre for all four types.
    Vector("Filter: ON LS Fc 300 Hz Gain 5.0 dB") {
      center(low: true, $0, $1, 300, gain: 5, slope: 0.9)
    },
    Vector("Filter: ON LSC Fc 300 Hz Gain 5.0 dB") {
      center(low: true, $0, $1, 300, gain: 5, slope: 0.9)
    },
    Vector("Filter: ON HS Fc 3000 Hz Gain 5.0 dB") {
      center(low: false, $0, $1, 3000, gain: 5, slope: 0.9)
    },
    Vector("Filter: ON HSC Fc 3000 Hz Gain -5.0 dB") {
      center(low: false, $0, $1, 3000, gain: -5, slope: 0.9)
    },
    // With a width, the frequency of LS and HS is their corner.
    Vector("Filter: ON LS 6dB Fc 300 Hz Gain 5.0 dB") {
      corner(low: true, $0, $1, 300, gain: 5, slope: 0.5)
    },
    Vector("Filter: ON HS 12 dB Fc 3000 Hz Gain -8.0 dB") {
      corner(low: false, $0, $1, 3000, gain: -8, slope: 1)
    },
    Vector("Filter: ON LS Fc 300 Hz Gain 5.0 dB Q 0.6") {
      corner(
        low: true, $0, $1, 300, gain: 5, slope: AnalogFilter.slope(quality: 0.6, gain: 5))
    },
    Vector("Filter: ON HS Fc 3000 Hz Gain -5.0 dB Q 1.1") {
      corner(
        low: false, $0, $1, 3000, gain: -5, slope: AnalogFilter.slope(quality: 1.1, gain: -5))
    },
    Vector("Filter: ON LSC 6 dB Fc 300 Hz Gain 5.0 dB") {
      center(low: true, $0, $1, 300, gain: 5, slope: 0.5)
    },
    Vector("Filter: ON HSC 10.5 dB Fc 3000 Hz Gain 5.0 dB") {
      center(low: false, $0, $1, 3000, gain: 5, slope: 0.875)
    },
    // Parameters in another order, names in other letter case, and a comment at the end.
    Vector("FILTER1: on pk q 2 gain 3 DB fc 1.234,5 hz # a peak") {
      AnalogFilter.peaking(AnalogFilter.s($0, 1234.5, $1), gain: 3, quality: 2)
    },
  ]

  @Test("of each type has the gain and the phase of its formula", arguments: vectors)
  func matchesFormula(_ vector: Vector) throws {
    let filter = try #require(try filter(vector.line))
    for rate in AutoEqFileTests.rates {
      for frequency in AnalogFilter.frequencies(rate) {
        let expected = vector.formula(frequency, rate)
        let found = try filter.response(atHertz: frequency, sampleRate: rate)
        #expect(abs(found.gainDecibels - expected.decibels) < 0.001, "\(frequency) at \(rate)")
        let turn = abs(found.phaseRadians - expected.phase)
        #expect(min(turn, 2 * .pi - turn) < 1e-5, "\(frequency) at \(rate)")
      }
    }
  }

  @Test("of coefficients is the low-pass of Equalizer APO's reference at 48 kHz")
  func coefficients() throws {
    let curve = try read(
      "Filter: ON IIR Order 2 Coefficients 0.0380602 0.0761205 0.0380602 1.2706 -1.84776 0.729402")
    let design = try curve.design(sampleRate: 48_000)
    for frequency in AnalogFilter.frequencies(48_000) where frequency < 12_000 {
      let expected = AnalogFilter.lowPass(
        AnalogFilter.s(frequency, 3000, 48_000), quality: sqrt(0.5))
      let found = design.response(atHertz: frequency, from: 0, to: 0).gainDecibels
      // The reference's coefficients have six digits.
      #expect(abs(found - expected.decibels) < 0.002, "\(frequency)")
    }
  }

  @Test("of coefficients of a higher order is the product of its sections")
  func order4() throws {
    // (1 − 0.5z⁻¹)⁴ over (1 + 0.5z⁻¹)⁴, doubled.
    let curve = try read(
      "Filter: ON IIR Order 4 Coefficients 1 -2 1.5 -0,5 0.0625 2 4 3 1 0.125")
    for frequency in [0.0, 1000, 12_000, 23_000] {
      let angle = 2 * Double.pi * frequency / 48_000
      let inverse = Number(cos(angle), -sin(angle))
      let section = (Number(1) - Number(0.5) * inverse) / (Number(1) + Number(0.5) * inverse)
      let found = try curve.response(atHertz: frequency, sampleRate: 48_000)
      let expected = 4 * section.decibels - 20 * log10(2)
      #expect(abs(found.gainDecibels - expected) < 1e-9)
    }
  }

  @Test("that is off or empty is left out, whatever its other content")
  func leftOut() throws {
    let text = """
      Preamp: 0 dB
      Filter 1: OFF PK Fc 100 Hz Gain 1 dB Q 1
      Filter 2: OFF None
      Filter 3: ON None
      Filter 4: None
      Filter 5: OFF what ever
      """
    #expect(try read(text).steps.count == 1)
    #expect(try read("Filter 3: ON None").steps.isEmpty)
  }

  @Test("cannot be realised at half the sample rate and above, which is a problem with its number")
  func halfSampleRate() throws {
    let curve = try read(
      "Preamp: -1 dB\n\nFilter: ON PK Fc 20000 Hz Gain 1 dB Q 1\nFilter: ON LS 12 dB Fc 18000 Hz Gain 12 dB"
    )
    // The corner of the shelf is at 25.4 kHz.
    _ = try curve.design(sampleRate: 96_000)
    for (rate, lines) in [(44_100.0, [4]), (40_000, [3, 4]), (0, [0]), (.nan, [0])] {
      do throws(EqualizerError) {
        _ = try curve.design(sampleRate: rate)
        Issue.record("designed for \(rate)")
      } catch {
        #expect(error.problems.map(\.line) == lines, "\(rate)")
      }
    }
  }
}
