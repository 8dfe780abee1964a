// SPDX-License-Identifier: MIT

import Equalizers
import Testing

@Suite("A file of another program")
struct OtherFormTests {
  static let roomEQWizard = """
    Filter Settings file

    Room EQ V5.31.3
    Dated: 28 Nov 2026 10:31:14

    Notes: left loudspeaker
    second line

    Equaliser: Generic
    Left
    Filter  1: ON  PK       Fc   63.80 Hz  Gain  -5.00 dB  Q  4.810
    Filter  2: ON  LS       Fc   80.00 Hz  Gain   3.00 dB
    Filter  3: ON  PK       Fc   2,113 Hz  Gain  -2.50 dB  Q  1.000
    Filter  4: ON  None
    """

  @Test("Room EQ Wizard is read without its header")
  func header() throws {
    let curve = try read(Self.roomEQWizard)
    #expect(curve.form == .roomEQWizard && curve.preampDecibels == nil)
    #expect(
      curve.filters == [
        EqualizerFilter(.peaking, frequencyHertz: 63.8, gainDecibels: -5, width: .quality(4.81)),
        EqualizerFilter(
          .lowShelf, frequencyHertz: 80, gainDecibels: 3, width: .slopeDecibelsPerOctave(10.8)),
        EqualizerFilter(.peaking, frequencyHertz: 2113, gainDecibels: -2.5, width: .quality(1)),
      ])
    #expect(curve.steps.map(\.line) == [11, 12, 13])
  }

  @Test("Room EQ Wizard for another equaliser is refused, and so is other text behind the header")
  func otherEqualizer() {
    let text = Self.roomEQWizard.split(separator: "\n", omittingEmptySubsequences: false)
    var other = text.map(String.init)
    other[8] = "Equaliser: DSP1124P"
    other.append("Total: 3 filters")
    let found = problems(other.joined(separator: "\n"))
    #expect(found.map(\.line) == [9, 15])
    #expect(found.map(\.reason) == [.otherEqualizer("DSP1124P"), .unknownCommand("Total")])
    // A command in the header is read.
    other = text.map(String.init)
    other[6] = "Preamp: -3 dB"
    #expect(
      problems(other.joined(separator: "\n")).map(\.reason) == [
        .unknownCommand("Equaliser"), .noCommand,
      ])
  }

  static let camilla = """
    ---
    title: "A # title"
    filters:
      bass:            # a comment
        type: Biquad
        description: 'low: shelf'
        parameters:
          type: Lowshelf
          freq: 105.0
          gain: 6.4
          q: 0.7
          slope: null
      "peak 1":
        type: Biquad
        parameters: {type: Peaking, freq: 8865, gain: -4.9, bandwidth: 1.5}
      treble:
        parameters:
          slope: 6
          freq: 1e4
          gain: -3
          type: Highshelf
        type: Biquad
      volume:
        type: Gain
        parameters: { gain: -6.5, inverted: false }
      free:
        type: Biquad
        parameters:
          type: Free
          a1: -0.5
          a2: 0.25
          b0: 1
          b1: 0
          b2: 0.5
    """

  @Test("CamillaDSP's filters are read in the order of their definition")
  func filters() throws {
    let curve = try read(Self.camilla)
    #expect(curve.form == .camillaDSP && curve.preampDecibels == -6.5)
    #expect(
      curve.steps == [
        EqualizerStep(
          .filter(
            EqualizerFilter(.lowShelf, frequencyHertz: 105, gainDecibels: 6.4, width: .quality(0.7))
          ), line: 4),
        EqualizerStep(
          .filter(
            EqualizerFilter(
              .peaking, frequencyHertz: 8865, gainDecibels: -4.9, width: .bandwidthOctaves(1.5))),
          line: 13),
        EqualizerStep(
          .filter(
            EqualizerFilter(
              .highShelf, frequencyHertz: 10_000, gainDecibels: -3,
              width: .slopeDecibelsPerOctave(6))), line: 16),
        EqualizerStep(.preamp(gainDecibels: -6.5), line: 23),
        EqualizerStep(
          .transferFunction(
            try TransferFunction(numerator: [1, 0, 0.5], denominator: [1, -0.5, 0.25])), line: 26),
      ])
  }

  @Test("CamillaDSP's first-order filters have the responses of their analogue models")
  func firstOrder() throws {
    let one = Number(1)
    let a = Number(2)  // 12.0412 dB
    let models: [(String, (Number) -> Number)] = [
      ("LowpassFO", { one / ($0 + one) }),
      ("HighpassFO", { $0 / ($0 + one) }),
      ("AllpassFO", { (one - $0) / (one + $0) }),
      ("LowshelfFO", { a * ($0 + a) / (a * $0 + one) }),
      ("HighshelfFO", { a * (a * $0 + one) / ($0 + a) }),
    ]
    for (type, model) in models {
      let gain = type.contains("shelf") ? ", gain: 12.041199826559248" : ""
      let curve = try read(
        "filters:\n f:\n  type: Biquad\n  parameters: {type: \(type), freq: 500\(gain)}")
      for rate in AutoEqFileTests.rates {
        for frequency in AnalogFilter.frequencies(rate) {
          let expected = model(AnalogFilter.s(frequency, 500, rate))
          let found = try curve.filters[0].response(atHertz: frequency, sampleRate: rate)
          #expect(abs(found.gainDecibels - expected.decibels) < 1e-6, "\(type) \(frequency)")
          #expect(abs(found.phaseRadians - expected.phase) < 1e-6, "\(type) \(frequency)")
        }
      }
    }
  }

  @Test("CamillaDSP's other sections and filters are problems with their lines")
  func sections() {
    let text = """
      devices:
        samplerate: 44100
        [anything]
      filters:
        a:
          type: Conv
          parameters:
            type: Raw
        b:
          type: Biquad
          parameters:
            type: LinkwitzTransform
            freq_act: 50
        c:
          type: Biquad
          parameters:
            type: Peaking
            freq: 100
            gain: 1
        d:
          type: Biquad
          parameters:
            type: Peaking
            freq: 1,5
            gain: 1
            q: 1
        e:
          type: Biquad
          parameters:
            type: Lowpass
            freq: 1500
            gain: 1
            q: 1
        f:
          type: Biquad
          list: [1, 2]
        g:
          type: Biquad
      \t  parameters:
        h:
          - a
        i:
          type: Gain
      pipeline:
      - type: Filter
        names: [a]
      """
    #expect(
      problems(text).map { "\($0.line) \($0.reason)" } == [
        "1 \(EqualizerProblem.Reason.unsupportedSection("devices"))",
        "6 \(EqualizerProblem.Reason.unsupportedFilter("Conv"))",
        "12 \(EqualizerProblem.Reason.unsupportedFilter("Biquad LinkwitzTransform"))",
        "17 \(EqualizerProblem.Reason.missing("q or bandwidth"))",
        "24 \(EqualizerProblem.Reason.malformedNumber("1,5"))",
        "32 \(EqualizerProblem.Reason.notAParameter("gain", ofType: "Lowpass"))",
        "36 \(EqualizerProblem.Reason.unsupportedYAML("a value that begins with ["))",
        "39 \(EqualizerProblem.Reason.unsupportedYAML("a tab in the indentation"))",
        "41 \(EqualizerProblem.Reason.unsupportedYAML("a list"))",
        "43 \(EqualizerProblem.Reason.missing("gain"))",
        "44 \(EqualizerProblem.Reason.unsupportedSection("pipeline"))",
      ])
  }
}
