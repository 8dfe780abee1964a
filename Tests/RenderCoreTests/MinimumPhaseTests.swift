// SPDX-License-Identifier: MIT

import AudioModel
import Equalizers
import Glibc
import Synchronization
import TestKit
import Testing

@testable import RenderCore

@Suite("A response of minimum phase")
struct MinimumPhaseTests {
  private static func curve(_ text: String) throws -> EqualizerCurve {
    try EqualizerCurve(parsing: Array(text.utf8).span)
  }

  /// Returns a curve as AutoEq writes it: 127 points in tenths of dB.
  private static func headphone() throws -> GraphicCurve {
    let filters = try curve(
      """
      Filter: ON LSC Fc 105 Hz Gain 5.3 dB Q 0.7
      Filter: ON PK Fc 190 Hz Gain -3.4 dB Q 0.6
      Filter: ON PK Fc 2300 Hz Gain 4.2 dB Q 1.9
      Filter: ON PK Fc 5900 Hz Gain -6.1 dB Q 4.5
      Filter: ON HSC Fc 10000 Hz Gain -3 dB Q 0.7
      """
    ).design(sampleRate: 192_000)
    return GraphicCurve(
      (0..<127).map { index in
        let hertz = 20 * pow(19871.0 / 20, Double(index) / 126)
        let gain = filters.response(atHertz: hertz, from: 0, to: 0).gainDecibels
        return GraphicCurve.Point(
          frequencyHertz: hertz.rounded(), gainDecibels: (gain * 10).rounded() / 10)
      })
  }

  /// Returns the gain in dB at a frequency.
  private static func gain(of response: [Float], atHertz hertz: Double, rate: Double) -> Double {
    let step = 2 * Double.pi * hertz / rate
    var (real, imaginary) = (0.0, 0.0)
    for (frame, sample) in response.enumerated() {
      real += Double(sample) * cos(step * Double(frame))
      imaginary += Double(sample) * sin(step * Double(frame))
    }
    return 10 * log10(real * real + imaginary * imaginary)
  }

  @Test(
    "is a filter's own response, where the filter has minimum phase", arguments: [44_100.0, 96_000])
  func filter(_ rate: Double) throws {
    let curve = try Self.curve(
      "Filter: ON PK Fc 900 Hz Gain 7 dB Q 2\nFilter: ON HSC Fc 5000 Hz Gain -9 dB Q 0.7\n")
    let design = try curve.design(sampleRate: rate)
    let response = try ImpulseResponse(
      minimumPhase: [{ design.response(atHertz: $0, from: 0, to: 0).gainDecibels }],
      sampleRate: rate)
    var expected = [Double](repeating: 0, count: 1000)
    expected[0] = 1
    for section in try curve.sections(sampleRate: rate)[0] {
      var (first, second) = (0.0, 0.0)
      for index in expected.indices {
        let input = expected[index]
        expected[index] = section.b0 * input + first
        first = section.b1 * input - section.a1 * expected[index] + second
        second = section.b2 * input - section.a2 * expected[index]
      }
    }
    let errors = zip(response.channels[0], expected).map { (Double($0) - $1).magnitude }
    #expect(errors.count == 1000 && errors.max()! < 1e-5)
    #expect(response.frameCount == 1024)
  }

  @Test(
    "has the gains of a graphic curve within 0.01 dB, between its points, too",
    arguments: [44_100.0, 48_000, 96_000, 192_000])
  func gains(_ rate: Double) throws {
    let curve = try Self.headphone()
    let response = try ImpulseResponse(
      minimumPhase: [curve.gainDecibels(atHertz:)], sampleRate: rate)
    #expect(Double(response.frameCount) <= 1.5 * rate)
    for index in 0..<40 {
      let hertz = 20.5 * pow(19_000 / 20.5, Double(index) / 39)
      let gain = Self.gain(of: response.channels[0], atHertz: hertz, rate: rate)
      let wanted = curve.gainDecibels(atHertz: hertz)
      #expect((gain - wanted).magnitude < 0.011, "\(hertz) Hz: \(gain), not \(wanted)")
    }
  }

  @Test("is flat where the curve is flat, and as short as possible")
  func flat() throws {
    let response = try ImpulseResponse(minimumPhase: [{ _ in 0 }, { _ in -20 }], sampleRate: 48000)
    #expect(response.channels.map(\.count) == [1024, 1024])
    for (channel, gain) in zip(response.channels, [Float(1), 0.1]) {
      #expect((channel[0] - gain).magnitude < 1e-6 * gain)
      #expect(channel.dropFirst().allSatisfy { $0.magnitude < 1e-6 })
    }
  }

  @Test(
    "is designed at every rate that a renderer can have",
    arguments: [1.0, 40, 44, 46, 100, 1_000_000])
  func extremeRates(_ rate: Double) throws {
    guard Renderer.sampleRates.contains(rate) else { return }
    let response = try ImpulseResponse(minimumPhase: [{ $0 > 10 ? 3 : 0 }], sampleRate: rate)
    #expect(response.frameCount <= ImpulseResponse.maximumDesignFrames)
    #expect(response.sampleRate == rate)
  }

  @Test("is refused if its gain is too large, and without a channel or a possible rate")
  func refusals() {
    #expect(throws: ConvolverError.self) {
      try ImpulseResponse(minimumPhase: [{ _ in 500 }], sampleRate: 48000)
    }
    #expect(throws: ConvolverError.self) {
      try ImpulseResponse(minimumPhase: [{ _ in 5000 }], sampleRate: 48000)
    }
    #expect(throws: ConvolverError.empty) {
      try ImpulseResponse(minimumPhase: [], sampleRate: 48000)
    }
    #expect(throws: ConvolverError.invalidSampleRate(0)) {
      try ImpulseResponse(minimumPhase: [{ _ in 0 }], sampleRate: 0)
    }
  }

  @Test("is designed again for another sample rate, and has no tail")
  func rates() throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let convolver = try graph.addConvolver(channelCount: 1, maximumFrames: 1 << 18)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(convolver.node, from: graph.mix, to: graph.output)
    }
    let rates = Mutex<[Double]>([])
    let curve = try Self.headphone()
    try convolver.set { rate in
      rates.withLock { $0.append(rate) }
      return try? ImpulseResponse(minimumPhase: [curve.gainDecibels(atHertz:)], sampleRate: rate)
    }
    rig.render(1000, cycles: [64])
    rig.renderer.sampleRate = 44_100
    rig.render(1000, cycles: [64])
    #expect(rates.withLock { $0 } == [48_000, 44_100])
    #expect(graph.tailFrames == 0 && graph.latencyFrames == ConvolverControl.latencyFrames)
  }
}
