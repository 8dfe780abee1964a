// SPDX-License-Identifier: MIT

import Equalizers
import Glibc
import Testing

@Suite("Channels of a configuration")
struct ChannelTests {
  @Test("are selected by position, number, or all, in any letter case, for the lines below")
  func selection() throws {
    let curve = try read(
      """
      Preamp: -1 dB
      Channel: l 2
      Preamp: -2 dB
      Channel: SUB
      Delay: 10,5 ms
      Channel: all
      Delay: 480 samples
      Convolution: a room #2.wav
      """)
    #expect(curve.form == .equalizerAPO)
    #expect(
      curve.steps == [
        EqualizerStep(.preamp(gainDecibels: -1), line: 1),
        EqualizerStep(
          .preamp(gainDecibels: -2),
          of: EqualizerSelection(
            includesOutputs: false, channels: [.position(.left), .number(2)]), line: 3),
        EqualizerStep(
          .delayMilliseconds(10.5),
          of: EqualizerSelection(includesOutputs: false, channels: [.position(.lowFrequency)]),
          line: 5),
        EqualizerStep(.delayFrames(480), line: 7),
        EqualizerStep(.convolution(name: "a room #2.wav"), line: 8),
      ])
    // The preamp of single channels is a step, not the file's preamp.
    #expect(curve.preampDecibels == -1)
    #expect(curve.convolutionNames == ["a room #2.wav"])
  }

  @Test("have their own responses")
  func responses() throws {
    let curve = try read("Channel: R\nPreamp: -3 dB\nFilter: ON HP Fc 100 Hz")
    let left = try curve.response(atHertz: 100, sampleRate: 48_000, channel: 0)
    let right = try curve.response(atHertz: 100, sampleRate: 48_000, channel: 1)
    #expect(left == FrequencyResponse(gainDecibels: 0, phaseRadians: 0))
    #expect(abs(right.gainDecibels + 6.0103) < 0.0001)
  }

  @Test("that the layout does not have are listed, and side and rear substitute each other")
  func missing() throws {
    let curve = try read("Channel: C SL 7\nPreamp: -3 dB\nChannel: LFE\nDelay: 1 ms")
    let stereo = try curve.design(sampleRate: 48_000)
    #expect(stereo.steps.isEmpty)
    #expect(
      stereo.missingChannels
        == [
          .position(.center), .position(.sideLeft), .number(7), .position(.lowFrequency),
        ])
    let surround = try curve.design(
      sampleRate: 48_000, layout: EqualizerLayout(channelCount: 6))
    #expect(surround.missingChannels == [.number(7)])
    #expect(surround.steps.map(\.channels) == [[2, 4], [3]])
  }

  @Test("are copied from their state before the line")
  func swap() throws {
    let design = try read("Copy: L=R R=-0.5*L").design(sampleRate: 48_000)
    let matrix = (0..<2).map { output in
      (0..<2).map { design.response(atHertz: 1000, from: $0, to: output) }
    }
    #expect(matrix[0][0].gainDecibels == -.infinity && matrix[1][1].gainDecibels == -.infinity)
    #expect(matrix[0][1].gainDecibels == 0 && matrix[0][1].phaseRadians == 0)
    #expect(abs(matrix[1][0].gainDecibels + 6.0206) < 0.0001)
    #expect(abs(abs(matrix[1][0].phaseRadians) - .pi) < 1e-9)
  }

  @Test("can be virtual: mid and side, encoded, filtered and decoded, leave the mid alone")
  func virtual() throws {
    let text = """
      Copy: M=0.5*L+0.5*R S=0.5*L+-0.5*R
      Channel: S
      Filter: ON PK Fc 1000 Hz Gain 6 dB Q 1
      Channel: all
      Preamp: -6.0206 dB
      Copy: L=M+S R=M+-1*S
      """
    let design = try read(text).design(sampleRate: 48_000)
    #expect(design.channelCount == 4 && design.outputCount == 2)
    #expect(design.steps.map(\.channels) == [[], [3], [0, 1, 2, 3], []])
    // (1 ± 2) / 2 with the preamp, because the side is doubled at the peak.
    let own = design.response(atHertz: 1000, from: 0, to: 0)
    let cross = design.response(atHertz: 1000, from: 0, to: 1)
    let side = pow(10, 6.0 / 20)
    #expect(abs(own.gainDecibels - 20 * log10((1 + side) / 4)) < 0.0001)
    #expect(abs(cross.gainDecibels - 20 * log10((side - 1) / 4)) < 0.0001)
    // Left and right in opposite phase at full scale.
    #expect(abs(design.automaticPreampDecibels() + 6) < 0.001)
  }

  @Test("may be silenced, and read factors in dB")
  func factors() throws {
    let design = try read("Copy: L=0 R=-6dB*R+0.0").design(sampleRate: 48_000)
    #expect(design.response(atHertz: 0, from: 0, to: 0).gainDecibels == -.infinity)
    #expect(abs(design.response(atHertz: 0, from: 1, to: 1).gainDecibels + 6) < 1e-9)
  }

  @Test("cannot be copied from a channel that the layout does not have")
  func absentSource() throws {
    let curve = try read("\nCopy: L=L+0.7*C")
    do throws(EqualizerError) {
      _ = try curve.design(sampleRate: 48_000)
      Issue.record("designed")
    } catch {
      #expect(error.problems == [EqualizerProblem(.unknownChannel("C"), line: 2)])
    }
    _ = try curve.design(sampleRate: 48_000, layout: EqualizerLayout(channelCount: 6))
  }

  @Test("are delayed, which changes their phase and keeps their gain")
  func delay() throws {
    for line in ["Delay: 0.25 ms", "Delay: 12 samples"] {
      let response = try read(line).response(atHertz: 1000, sampleRate: 48_000)
      #expect(abs(response.gainDecibels) < 1e-9 && abs(response.phaseRadians + .pi / 2) < 1e-9)
    }
  }
}
