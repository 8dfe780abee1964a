// SPDX-License-Identifier: MIT

import AudioModel
import Equalizers
import Testing

@Suite("The stages of an equaliser")
struct StageTests {
  private func stages(
    _ text: String, rate: Double = 48_000, channels: Int = 2
  ) throws -> [EqualizerStage] {
    try EqualizerCurve(parsing: Array(text.utf8).span).stages(
      sampleRate: rate, layout: EqualizerLayout(channelCount: channels))
  }

  @Test(
    "are one if no channels are mixed, with the sections and the summed delay of each channel")
  func one() throws {
    let text = """
      Preamp: -6 dB
      Delay: 1.5 ms
      Channel: R
      Filter: ON PK Fc 1000 Hz Gain 3 dB Q 1
      Delay: 10 samples
      """
    let stages = try stages(text, rate: 44_100)
    try #require(stages.count == 1)
    #expect(stages[0].sections.map(\.count) == [1, 2])
    #expect(stages[0].delayFrames == [66, 76] && stages[0].gains == nil)
  }

  @Test("are divided at each mix, with virtual channels behind the others")
  func mixes() throws {
    let text = """
      Filter: ON PK Fc 1000 Hz Gain 3 dB Q 1
      Copy: X=0.5*L+-0.25*R L=R
      Channel: X
      Filter: ON HP Fc 30 Hz
      Delay: 5 samples
      Copy: R=X+2*R
      """
    let stages = try stages(text)
    try #require(stages.count == 3)
    #expect(stages.map { $0.sections.map(\.count) } == [[1, 1, 0], [0, 0, 1], [0, 0, 0]])
    #expect(stages.map(\.delayFrames) == [[0, 0, 0], [0, 0, 5], [0, 0, 0]])
    #expect(stages[0].gains == [[0, 1, 0], [0, 1, 0], [0.5, -0.25, 0]])
    #expect(stages[1].gains == [[1, 0, 0], [0, 2, 1], [0, 0, 1]])
    #expect(stages[2].gains == nil)
  }

  @Test("have the graphic curves of each channel, which sections alone cannot represent")
  func curves() throws {
    let text = "GraphicEQ: 20 0; 1000 3\nChannel: R\nGraphicEQ: 50 1\nCopy: L=R\nGraphicEQ: 60 2\n"
    let curves = try stages(text).map { $0.curves.map { $0.map(\.points.count) } }
    #expect(curves == [[[2], [2, 1]], [[], [1]]])
    #expect(throws: EqualizerError.self) {
      try EqualizerCurve(parsing: Array("GraphicEQ: 20 0; 1000 3\n".utf8).span, named: "eq.txt")
        .sections(sampleRate: 48000)
    }
  }

  @Test("have the convolutions with their channels, 16 at most")
  func convolutions() throws {
    let text = "Convolution: a.wav\nCopy: L=R\nChannel: R\nConvolution: b c.wav\n"
    let found = try stages(text).map(\.convolutions)
    #expect(found.map { $0.map(\.name) } == [["a.wav"], ["b c.wav"]])
    #expect(found.map { $0.map(\.channels) } == [[[0, 1]], [[1]]])
    #expect(found.map { $0.map(\.line) } == [[1], [4]])
    let line = "Convolution: a.wav\n"
    #expect(try stages(String(repeating: line, count: 16))[0].convolutions.count == 16)
    let error = #expect(throws: EqualizerError.self) {
      try stages(String(repeating: line, count: 17))
    }
    #expect(error?.problems.map(\.line) == [17])
  }

  @Test("are refused for lines that no node can play, with their numbers")
  func refusals() throws {
    for (line, reason) in [
      ("Delay: 1000.1 ms", "a delay of more than 1 s"), ("Copy: L=101*R", "a factor above 100"),
      ("Copy: L=60*R+60*R", "a factor above 100"),
      ("Filter: ON IIR Order 3 Coefficients 1 0 0 0 1 0 0 0.5", "a filter of a higher order"),
    ] {
      let error = #expect(throws: EqualizerError.self) { try stages("Preamp: 0 dB\n\(line)") }
      #expect(error?.problems.map(\.line) == [2])
      #expect(error?.problems.first?.reason == .notASection(reason))
    }
    #expect(throws: EqualizerError.self) {
      try stages("Delay: 600 ms\nDelay: 600 ms")
    }
    #expect(try stages("Delay: 600 ms\nCopy: L=R\nDelay: 600 ms").count == 2)
  }
}
