// SPDX-License-Identifier: MIT

import OfflineOutput
import RenderCore
import TestKit
import Testing

@Suite("A change of a monitor")
struct MonitorFadeTests {
  enum Change: CaseIterable {
    case gain, mute, unmute, crosspoint, polarity, pan, highPass, noHighPass, corner, corners, all

    /// The highest permitted level, in dBFS, above 3 kHz of a tone of 60 Hz.
    var bound: Double { self == .corner || self == .corners ? -110 : -125 }
  }

  /// Returns the first output around a change, which begins with frame 8192.
  private func hear(
    _ change: Change, cuts: Cuts = .even(64), input: [Float] = TonePlayback.tone(20_480)
  ) -> [Float] {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2, inputChannels: 2)
    var settings = MonitorSettings(inputs: 2, outputs: 2)
    settings.isMuted = change == .unmute
    settings.highPassHertz = [.noHighPass, .corner, .corners].contains(change) ? 30 : nil
    let monitor = renderer.addMonitor(settings)
    var output = OfflineOutput(renderer: renderer)
    var random = cuts.generator
    var heard: [Float] = []
    func pass(_ frames: Int) {
      for cycle in cuts.cycles(frames, &random) {
        let part = Array(input[heard.count..<heard.count + cycle])
        output.render(inputs: [part, part.map { -$0 / 2 }]) { channel, samples in
          if channel == 0 { for index in samples.indices { heard.append(samples[index]) } }
        }
      }
    }
    pass(8192)
    monitor.update {
      switch change {
      case .gain: $0.gain = 0.2
      case .mute: $0.isMuted = true
      case .unmute: $0.isMuted = false
      case .crosspoint: $0.crosspoints = [[0.1, 1], [1, 0]]
      case .polarity: $0.invertedInputs = [0]
      case .pan: $0.pan = 1
      case .highPass: $0.highPassHertz = 100
      case .noHighPass: $0.highPassHertz = nil
      case .corner, .corners: $0.highPassHertz = 200
      case .all:
        $0.highPassHertz = 60
        $0.gain = 0.5
        $0.pan = 0.3
      }
    }
    for hertz in [20.0, 400, 80] where change == .corners {
      pass(300)
      monitor.update { $0.highPassHertz = hertz }
    }
    pass(20_480 - heard.count)
    return heard
  }

  @Test("leaves next to nothing above 3 kHz of a tone of 60 Hz", arguments: Change.allCases)
  func splatter(_ change: Change) {
    let heard = hear(change)
    let decibels = Splatter.decibels(Array(heard[4096...]), sampleRate: 48000)
    #expect(decibels <= change.bound, "\(change)")
  }

  @Test("produces the same samples for all cycle lengths", arguments: Change.allCases)
  func cycleLength(_ change: Change) {
    let expected = hear(change, cuts: .even(1))
    for cuts in Cuts.all {
      let isAlike = hear(change, cuts: cuts) == expected
      #expect(isAlike, "\(change) \(cuts)")
    }
  }

  @Test("lets a high-pass decay, and recover from NaN, alike for all cycle lengths")
  func flush() {
    var input = [Float](repeating: 0, count: 20_480)
    input[3] = 1
    input[9100] = .nan
    input[9200] = 1
    let expected = hear(.corner, cuts: .even(1), input: input)
    #expect(expected.allSatisfy(\.isFinite) && expected[9200] != 0 && expected.last == 0)
    for cuts in Cuts.all {
      let isAlike = hear(.corner, cuts: cuts, input: input) == expected
      #expect(isAlike, "\(cuts)")
    }
  }

  @Test("of the corner waits for the previous change, and ends at the last corner")
  func lastCorner() {
    let heard = hear(.corners)
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2, inputChannels: 2)
    var settings = MonitorSettings(inputs: 2, outputs: 2)
    settings.highPassHertz = 80
    _ = renderer.addMonitor(settings)
    var output = OfflineOutput(renderer: renderer)
    var steady: [Float] = []
    for start in stride(from: 0, to: 20_480, by: 64) {
      let part = Array(TonePlayback.tone(20_480)[start..<start + 64])
      output.render(inputs: [part, part]) { channel, samples in
        if channel == 0 { for index in samples.indices { steady.append(samples[index]) } }
      }
    }
    // Two changes of 20 ms: to 200 Hz, and from there to the last one.
    #expect(zip(heard[13_000...], steady[13_000...]).allSatisfy { abs($0 - $1) < 1e-4 })
    #expect(abs(heard[8192 + 1900] - steady[8192 + 1900]) < 0.05)
  }
}
