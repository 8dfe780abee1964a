// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import RenderCore
import Testing

/// As ``RenderPathTests``: only a build with RealtimeSanitizer checks anything here.
@Suite("Real-time graph path", .serialized)
struct GraphPathTests {
  /// Returns stable sections, whose number and gain depend on a number.
  private func sections(_ number: Int) -> [[BiquadCoefficients]] {
    let gain = 1 + Double(number % 5) / 10
    return [
      (0..<number % 4).map { _ in BiquadCoefficients(b0: gain, b1: 0.1, b2: 0, a1: 0.1, a2: 0) }
    ]
  }

  /// Returns one response for both channels, one for each, a matrix, or none; its length depends on a number.
  private func response(_ number: Int) throws -> ImpulseResponse? {
    let count = [1, 2, 4, 0][number % 4]
    if count == 0 { return nil }
    let taps = (0..<number * 200 + 1).map { Float($0 % 7) / 100 }
    return try ImpulseResponse(channels: .init(repeating: taps, count: count), sampleRate: 48000)
  }

  @Test("Built-in effects that are changed, inserted, bypassed and removed run clean")
  func effects() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2, inputChannels: 2)
    let graph = renderer.graph
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.connect(graph.input, to: graph.mix, gain: 2)
    }
    var output = OfflineOutput(renderer: renderer)
    for (turn, count) in [16, 64, 1000, 8192, 1, 500].enumerated() {
      let bank = graph.addFilterBank(channelCount: 2)
      let limiter = graph.addLimiter(channelCount: 2, lookAheadFrames: turn * 24)
      let truePeaks = graph.addLimiter(
        channelCount: 2, lookAheadFrames: turn * 24, limitsTruePeaks: true)
      let dynamics = graph.addDynamics(channelCount: 2)
      let meter = graph.addMeter(channelCount: 2)
      let loudness = graph.addLoudnessTap(channelCount: 2)
      let mixer = graph.addMixer(buses: [2, 1], channelCount: 2)
      let delay = graph.addDelay(channelCount: 2, maximumFrames: 500)
      let echo = graph.addDelay(channelCount: 2, minimumFrames: 64, maximumFrames: 500)
      let convolver = try graph.addConvolver(channelCount: 2, maximumFrames: 5000)
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.insert(bank.node, from: graph.mix, to: graph.output)
        try edit.insert(limiter.node, from: bank.node, to: graph.output)
        try edit.insert(delay.node, from: bank.node, to: limiter.node)
        try edit.insert(convolver.node, from: delay.node, to: limiter.node)
        try edit.insert(truePeaks.node, from: limiter.node, to: graph.output)
        try edit.insert(dynamics.node, from: delay.node, to: convolver.node)
        try edit.insert(meter.node, from: dynamics.node, to: convolver.node)
        try edit.insert(loudness.node, from: meter.node, to: convolver.node)
        for input in mixer.inputs { try edit.connect(graph.input, to: input) }
        try edit.connect(mixer.node, to: loudness.node)
        try edit.connect(mixer.node, to: echo.node)
        try edit.connect(echo.node, to: mixer.inputs[0], gain: 0.25)
      }
      for cycle in 0..<20 {
        try bank.set { [sections = sections(cycle)] _ in sections }
        try graph.setBypassed(cycle % 7 == 6, bank.node)
        limiter.ceiling = Float(cycle % 4 + 1) / 4
        limiter.releaseSeconds = Double(cycle) / 1000
        try graph.setBypassed(cycle % 5 == 4, limiter.node)
        delay.set { channel, _ in cycle * 20 * channel }
        echo.set { channel, _ in cycle * 20 * channel }
        truePeaks.ceiling = Float(cycle % 3 + 1) / 4
        try graph.setBypassed(cycle % 9 == 8, truePeaks.node)
        dynamics.settings.thresholdDecibels = Double(-cycle)
        dynamics.settings.expansionRatio = Double(cycle % 4 + 1)
        try graph.setBypassed(cycle % 6 == 5, dynamics.node)
        try mixer.change {
          $0[0].pan = Float(cycle) / 10 - 1
          $0[1].isMuted = cycle % 3 == 2
        }
        try convolver.set(response(cycle))
        if cycle == 10 { renderer.sampleRate = turn % 2 == 0 ? 44100 : 48000 }
        let input = (0..<count).map { $0 == cycle ? Float.nan : Float($0 % 100) / 50 - 1 }
        output.render(inputs: [input, input])
        _ = (limiter.takeLowestGain(), meter.takeLevels(), loudness.loudness)
      }
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.connect(graph.mix, to: graph.output)
        try edit.remove(echo.node)
        try edit.remove(mixer)
        for node in [truePeaks.node, dynamics.node, meter.node, loudness.node] {
          try edit.remove(node)
        }
        try edit.remove(limiter.node)
        try edit.remove(delay.node)
        try edit.remove(convolver.node)
        try edit.remove(bank.node)
      }
      output.render(inputs: [[Float]](repeating: .init(repeating: 0, count: 1000), count: 2))
    }
    #expect(renderer.nonFiniteSampleCount > 0)
  }
}
