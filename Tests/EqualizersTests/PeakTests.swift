// SPDX-License-Identifier: MIT

import Equalizers
import Testing

@Suite("The peak of an output channel")
struct PeakTests {
  private func peaks(_ text: String) throws -> [EqualizerDesign.Peak] {
    try read(text).design(sampleRate: 48_000).outputPeaks()
  }

  @Test("is its own filters' peak, at its frequency")
  func channels() throws {
    let peaks = try peaks(
      """
      Channel: L
      Filter: ON PK Fc 1234.5 Hz Gain 6 dB Q 20
      Channel: R
      Filter: ON PK Fc 4000 Hz Gain -3 dB Q 2
      """)
    #expect(abs(peaks[0].gainDecibels - 6) < 0.001 && abs(peaks[0].frequencyHertz - 1234.5) < 0.1)
    #expect(abs(peaks[1].gainDecibels) < 0.001 && peaks[1].frequencyHertz == 0)
  }

  @Test("is at 0 Hz for a low shelf and a flat channel, and minus infinity for a silent one")
  func flat() throws {
    let shelf = try peaks("Filter: ON LSC Fc 105 Hz Gain 6 dB Q 0.7")
    #expect(shelf.allSatisfy { abs($0.gainDecibels - 6) < 0.001 && $0.frequencyHertz == 0 })
    let phases = try peaks("Filter: ON AP Fc 1000 Hz Q 3")
    #expect(phases.allSatisfy { abs($0.gainDecibels) < 0.001 && $0.frequencyHertz == 0 })
    let silent = try peaks("Copy: L=0")
    #expect(silent[0].gainDecibels == -.infinity && silent[0].frequencyHertz == 0)
  }

  @Test("includes the preamp, and the loudest one is what an automatic preamp compensates")
  func automatic() throws {
    let curve = try read(
      "Preamp: -2 dB\nFilter: ON HSC Fc 9000 Hz Gain 5 dB Q 1.3\nCopy: L=L+0.5*R\n")
    let design = try curve.design(sampleRate: 44_100)
    let loudest = try #require(design.outputPeaks().map(\.gainDecibels).max())
    #expect(loudest > 6)
    #expect(abs(loudest + design.automaticPreampDecibels(keepsPreamp: true)) < 0.001)
  }
}

@Suite("A peak of many channels")
struct ManyPeaksTests {
  @Test("is found for each set of equal channels, in the channels' order")
  func sets() throws {
    let curve = try read(
      """
      Filter: ON PK Fc 1000 Hz Gain 3 dB Q 1
      Channel: L C
      Filter: ON PK Fc 4000 Hz Gain 9 dB Q 8
      """)
    let design = try curve.design(
      sampleRate: 48_000, layout: EqualizerLayout(channelCount: 6))
    let peaks = design.outputPeaks().map { $0.frequencyHertz.rounded() }
    #expect(peaks == [4000, 1000, 4000, 1000, 1000, 1000])
    #expect(!design.isMixed && design.automaticPreampDecibels() < -9)
  }

  @Test("of filters that are impossible at any rate is an error, and they are not left out")
  func impossible() throws {
    let curve = try read("Filter: ON LS Fc 1000 Hz Gain 120 dB Q 0.001")
    #expect(curve.limited(toSampleRate: 48_000).steps.count == 1)
    #expect(throws: EqualizerError.self) {
      try curve.sections(sampleRate: 48_000)
    }
    let high = try read("Filter: ON PK Fc 30000 Hz Gain 3 dB Q 1")
    #expect(high.limited(toSampleRate: 48_000).steps.isEmpty)
  }
}

@Suite("The response of an output channel")
struct OutputResponseTests {
  @Test("is the response from its own input if no channels are mixed")
  func own() throws {
    let design = try read("Filter: ON PK Fc 1000 Hz Gain 6 dB Q 2\nChannel: R\nPreamp: -3 dB")
      .design(sampleRate: 48_000)
    for hertz in [20.0, 900, 1000, 20_000] {
      let responses = design.outputResponses(atHertz: [hertz])[0]
      #expect(responses.count == 2)
      for output in 0..<2 {
        let expected = design.response(atHertz: hertz, from: output, to: output)
        #expect(abs(responses[output].gainDecibels - expected.gainDecibels) < 1e-9)
        #expect(abs(responses[output].phaseRadians - expected.phaseRadians) < 1e-9)
      }
    }
  }

  @Test("is the sum of all inputs at full scale if channels are mixed")
  func mixed() throws {
    let design = try read("Copy: L=0.5*L+-0.5*R R=2*L").design(sampleRate: 48_000)
    let gains = design.outputResponses(atHertz: [1000])[0].map(\.gainDecibels)
    #expect(abs(gains[0]) < 1e-9 && abs(gains[1] - 6.0206) < 1e-4)
  }
}
