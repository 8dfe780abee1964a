// SPDX-License-Identifier: MIT

import AudioModel
import Equalizers
import Glibc
import TestKit
import Testing

@testable import RenderCore

@Suite("A section of a filter bank")
struct FilterResponseTests {
  private static let rates = [44100.0, 48000, 96000, 192_000]
  /// All kinds except shelves at a corner, which equal shelves of another frequency.
  private static let kinds = EqualizerFilter.Kind.allCases.filter {
    $0 != .lowShelfAtCorner && $0 != .highShelfAtCorner
  }

  /// Returns sections of every kind at a rate: gains to 24 dB, q from 0.1 to 30.
  private static func bands(_ type: EqualizerFilter.Kind, _ rate: Double) -> [EqualizerFilter] {
    let places = [(20.0, 0.7), (100, 0.1), (100, 3), (1000, 0.7071), (1000, 30)]
    let high = [(8000.0, 0.1), (8000, 5), (16_000, 30), (0.45 * rate, 0.7), (0.45 * rate, 30)]
    return (places + high).flatMap { hertz, q in
      (type.hasGain ? [-24.0, -6, 3, 24] : [0]).map {
        section(type, hertz, gain: $0, q: q)
      }
    }
  }

  private static func frequencies(_ rate: Double, around hertz: Double) -> [Double] {
    [10, 31, 100, 997, 5000, 15_000, 0.3 * rate, 0.45 * rate]
      + [0.7, 0.97, 1, 1.03, 1.4].map { min($0 * hertz, 0.45 * rate) }
  }

  /// Returns the frames in which the impulse response falls by 150 dB, by its slowest pole.
  private static func frames(_ band: EqualizerFilter, _ rate: Double) throws -> Int {
    let c = try band.coefficients(sampleRate: rate)
    let discriminant = c.a1 * c.a1 / 4 - c.a2
    let radius =
      discriminant < 0
      ? c.a2.squareRoot() : abs(c.a1) / 2 + discriminant.squareRoot()
    return min(64 + Int(17.3 / -log(max(radius, 0.1))), 1 << 21)
  }

  @Test(
    "has the response of its analogue prototype, in magnitude and phase",
    arguments: kinds, rates)
  func impulse(_ type: EqualizerFilter.Kind, _ rate: Double) throws {
    var (worstDecibels, worstDegrees) = (0.0, 0.0)
    for band in Self.bands(type, rate) {
      let sound = FilteredSound(channels: 1, rate: rate, cuts: .even(4096))
      try sound.start([[band]])
      var input = [Float](repeating: 0, count: try Self.frames(band, rate))
      input[0] = 1
      let heard = sound.hear([input])[0]
      for hertz in Self.frequencies(rate, around: band.frequencyHertz) {
        let expected = AnaloguePrototype(band).response(hertz, rate: rate)
        let measured = Fourier.transform(heard, atHertz: hertz, sampleRate: rate)
        let size = hypot(expected.real, expected.imaginary)
        let error = hypot(measured.real - expected.real, measured.imaginary - expected.imaginary)
        // Rounding of the impulse response to `Float` hides gains that are very low.
        guard size > 1e-3 else {
          #expect(error < 1e-6, "\(band) at \(hertz) Hz")
          continue
        }
        let decibels = 20 * log10(hypot(measured.real, measured.imaginary) / size)
        // The angle between the two.
        let degrees =
          atan2(
            measured.imaginary * expected.real - measured.real * expected.imaginary,
            measured.real * expected.real + measured.imaginary * expected.imaginary)
          * 180 / Double.pi
        worstDecibels = max(worstDecibels, abs(decibels))
        worstDegrees = max(worstDegrees, abs(degrees))
        #expect(abs(decibels) < 0.01 && abs(degrees) < 0.1, "\(band) at \(hertz) Hz")
      }
    }
    if showsFigures {
      print("figures response \(type) \(rate): \(worstDecibels) dB \(worstDegrees)°")
    }
  }
}
