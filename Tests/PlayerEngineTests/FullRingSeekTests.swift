// SPDX-License-Identifier: MIT

import ByteSources
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

@Suite("Seeking with a full ring")
struct FullRingSeekTests {
  @Test(
    "has the new sound ready before the old one is discarded, for any cycle length",
    arguments: [64, 1024, 2048], [8192, 32768])
  func full(_ period: Int, _ piece: Int) throws {
    let wave = CountingWave(frameCount: 60 * CountingWave.sampleRate)
    let source = MemorySource(wave.bytes(at: 0, Int(wave.byteCount)), .file)
    source.pieceBytes = piece
    var configuration = PlayerConfiguration()
    configuration.ringBytes = 512 << 10
    configuration.startThresholdNanoseconds = 300_000_000
    let playback = OfflinePlayback(
      opened: TrackReader(source, location: "memory"), [], rate: 44100, channels: 2,
      configuration: configuration)
    while playback.player.state != .playing { _ = playback.player.step(mayWait: false) }
    var random = SplitMix(state: 1)
    for _ in 0..<40 {
      while playback.player.lastStep != .waitingForRing { _ = playback.player.step(mayWait: false) }
      playback.player.apply(.seek(toNanoseconds: .random(in: 0..<50_000_000_000, using: &random)))
      // One step per cycle stands for a feeder that gets little time.
      while playback.player.seek != nil {
        _ = playback.player.step(mayWait: false)
        playback.crank(period)
      }
      #expect(playback.player.feeder.fedNanoseconds >= 300_000_000)
      for _ in 0..<20_000 / period {
        _ = playback.player.step(mayWait: false)
        _ = playback.player.step(mayWait: false)
        playback.crank(period)
      }
    }
    #expect(playback.player.control.counters.underruns == 0)
  }
}
