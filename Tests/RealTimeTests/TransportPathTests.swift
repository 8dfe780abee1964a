// SPDX-License-Identifier: MIT

import OfflineOutput
import PlayerEngine
import RenderCore
import TestKit
import Testing

@Suite("Real-time path of a source that follows a transport", .serialized)
struct TransportPathTests {
  @Test(
    "Rolling, stopping, jumps, skipped frames, changes of the rate and the end run clean",
    arguments: [
      "mp2-192-44100-2.mp2", "mp3-cbr320-44100-2.mp3", "mp3-vbr2-44100-2.mp3",
      "wav-s16-44100-2.wav", "wav-ext-s24-96000-6.wav",
    ])
  func everyTurn(_ name: String) {
    var configuration = PlayerConfiguration()
    configuration.followsTransport = true
    configuration.startThresholdNanoseconds = 50_000_000
    configuration.rebufferThresholdNanoseconds = 50_000_000
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
    var output = OfflineOutput(renderer: renderer)
    let tracks = [name, "mp3-cbr-22050-1.mp3"].map(Fixtures.path)
    let player = SteppedPlayer(
      locations: tracks, renderer: renderer, configuration: configuration, tell: { _ in })
    var random = SplitMix(state: 9)
    var samples: [Float] = []
    var (sounding, ready) = (0, 0)
    output.transport = RenderTransport(frame: 0, isRolling: true)
    for cycle in 0..<6000 {
      // Two cycles per step outrun the feeder.
      if cycle % 2 == 0 { _ = player.step(mayWait: false) }
      switch Int.random(in: 0..<200, using: &random) {
      case 0: output.transport.isRolling = false
      case 1..<6: output.transport.isRolling = true
      case 6: output.transport.frame = Int64.random(in: 0..<1_000_000, using: &random)
      case 7: output.transport.frame += 2048
      case 8: player.apply(cycle % 2 == 0 ? .pause : .resume)
      case 9: renderer.sampleRate = cycle % 2 == 0 ? 44100 : 48000
      default: break
      }
      if cycle % 100 == 99 { player.apply(.resume) }
      let period = [16, 64, 441, 1000][cycle / 1500]
      output.render(frameCount: period, interleavedInto: &samples)
      if samples.contains(where: { $0 != 0 }) { sounding += 1 }
      if renderer.context.isReady(forTransportFrame: output.transport.frame) { ready += 1 }
    }
    #expect(sounding > 500 && ready > 500, "\(sounding) \(ready)")
  }
}
