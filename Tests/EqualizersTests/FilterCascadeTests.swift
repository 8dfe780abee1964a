// SPDX-License-Identifier: MIT

import Equalizers
import Glibc
import Testing

@Suite("A filter cascade")
struct FilterCascadeTests {
  /// The complex gain of sections in series.
  private func response(
    _ filters: [EqualizerFilter], _ hertz: Double
  ) throws -> (real: Double, imaginary: Double) {
    let parts = try filters.map { try $0.response(atHertz: hertz, sampleRate: 48000) }
    let magnitude = pow(10, parts.map(\.gainDecibels).reduce(0, +) / 20)
    let angle = parts.map(\.phaseRadians).reduce(0, +)
    return (magnitude * cos(angle), magnitude * sin(angle))
  }

  private func decibels(_ filters: [EqualizerFilter], _ hertz: Double) throws -> Double {
    let (real, imaginary) = try response(filters, hertz)
    return 20 * log10(hypot(real, imaginary))
  }

  @Test("of Butterworth sections has the response of its order", arguments: 1...8)
  func butterworth(_ order: Int) throws {
    let cascade = FilterCascade.butterworth(order: order)
    let low = cascade.lowPass(frequencyHertz: 1000)
    let high = cascade.highPass(frequencyHertz: 1000)
    #expect(low.count == (order + 1) / 2)
    for hertz in [10.0, 300, 900, 1000, 1100, 4000, 20_000] {
      let ratio = tan(Double.pi * hertz / 48000) / tan(Double.pi * 1000 / 48000)
      let power = pow(ratio, Double(2 * order))
      #expect(abs(try decibels(low, hertz) + 10 * log10(1 + power)) < 1e-6)
      #expect(abs(try decibels(high, hertz) + 10 * log10(1 + 1 / power)) < 1e-6)
    }
  }

  @Test("of Linkwitz-Riley sections adds up to a flat magnitude", arguments: [2, 4, 6, 8])
  func linkwitzRiley(_ order: Int) throws {
    let cascade = FilterCascade.linkwitzRiley(order: order)
    let odd = FilterCascade.linkwitzRiley(order: order - 1)
    #expect(odd.lowPass(frequencyHertz: 5) == cascade.lowPass(frequencyHertz: 5))
    let low = cascade.lowPass(frequencyHertz: 1000)
    let high = cascade.highPass(frequencyHertz: 1000)
    let sign = order % 4 == 2 ? -1.0 : 1
    for hertz in [10.0, 300, 900, 1000, 1100, 4000, 20_000] {
      let (a, b) = (try response(low, hertz), try response(high, hertz))
      let sum = hypot(a.real + sign * b.real, a.imaginary + sign * b.imaginary)
      #expect(abs(20 * log10(sum)) < 1e-6)
    }
    #expect(abs(try decibels(low, 1000) + 6.0206) < 1e-3)
  }
}
