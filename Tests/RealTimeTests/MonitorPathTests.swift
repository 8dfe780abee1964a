// SPDX-License-Identifier: MIT

import ByteSources
import OfflineOutput
import PlayerEngine
import RenderCore
import TestKit
import Testing

/// As ``RenderPathTests``: only a build with RealtimeSanitizer checks anything here.
@Suite("Real-time monitor path", .serialized)
struct MonitorPathTests {
  @Test("A monitor with all its features, that is changed, added and removed, runs clean")
  func everyTurn() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2, inputChannels: 3)
    let monitor = renderer.addMonitor()
    var read = renderer.addOutputCapture(capacityFrames: 1000)
    let unread = renderer.addOutputCapture(capacityFrames: 1000)
    var output = OfflineOutput(renderer: renderer)
    for (turn, count) in [16, 64, 1000, 8192, 1, 500].enumerated() {
      let passing = renderer.addMonitor()
      for cycle in 0..<10 {
        monitor.update {
          $0.gain = Float(cycle)
          $0.pan = Float(cycle) / 5 - 1
          $0.isMuted = cycle % 3 == 0
          $0.invertedInputs = [cycle % 3]
          $0.highPassHertz = cycle % 4 == 0 ? nil : 20 * Double(cycle)
          $0.limit = turn % 2 == 0 ? 0.5 : nil
        }
        output.render(inputs: [[Float]](repeating: .init(repeating: 1, count: count), count: 3))
        output.skip(frameCount: 7)
        _ = monitor.takeLevels()
        while read.read({ _, _, _ in }) != .empty {}
      }
      renderer.remove(passing)
    }
    #expect(unread.counters.capturedFrames == 1024)
    #expect(read.counters.missedFrames == 7 * 59)
  }

  @Test(
    "A file that plays along, with everything on, runs clean to its end",
    arguments: [16, 64, 256, 1024])
  func playAlong(_ period: Int) {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2, inputChannels: 2)
    var settings = MonitorSettings(inputs: 2, outputs: 2)
    settings.highPassHertz = 80
    settings.limit = 0.5
    let monitor = renderer.addMonitor(settings)
    let heard = renderer.addOutputCapture(capacityFrames: 4096)
    var end: PlayerState?
    let player = SteppedPlayer(
      opened: nil, locations: [Fixtures.path("mp3-vbr2-44100-2.mp3")], renderer: renderer,
      configuration: PlayerConfiguration(), sources: ByteSourceConfiguration()
    ) { event in
      if case .state(let state) = event { end = state }
    }
    var output = OfflineOutput(renderer: renderer)
    let tone = (0..<period).map { Float($0 % 100) / 100 }
    while player.step(mayWait: true) != .finished {
      guard player.state == .playing, player.isBufferReady else { continue }
      output.render(inputs: [tone, tone])
    }
    #expect(end == .ended)
    #expect(heard.counters.overrunFrames > 0)
    #expect(monitor.takeLevels().limiterGain < 1)
  }

  @Test("A monitor of samples that are not finite runs clean")
  func noNumber() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1, inputChannels: 1)
    var settings = MonitorSettings(inputs: 1, outputs: 1)
    settings.highPassHertz = 80
    settings.limit = 1
    let monitor = renderer.addMonitor(settings)
    var output = OfflineOutput(renderer: renderer)
    output.render(inputs: [[.nan, .infinity, -.infinity, .leastNonzeroMagnitude]]) { _, samples in
      for index in samples.indices { #expect(samples[index].isFinite) }
    }
    #expect(monitor.takeLevels().limiterGain <= 1)
  }
}
