// SPDX-License-Identifier: MIT

import ByteSources
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

/// A pre-roll is decoded before the target of a seek and cut away again, so it is no sound that a player can change to.
@Suite("Seeking behind a pre-roll")
struct PreRollSeekTests {
  @Test(
    "changes to the new sound when it is ready, not when only the pre-roll is",
    arguments: ["ffmpeg -v error -i noise.wav -b:a 128k out", "lame --quiet -b 128 noise.wav out"])
  func ready(_ command: String) throws {
    let workshop = Workshop()
    try workshop.run(
      "sox -R -D -n -r 44100 -b 16 -c 2 noise.wav synth 60 pinknoise pinknoise gain -6")
    let name = command.hasPrefix("lame") ? "out.mp3" : "out.m4a"
    try workshop.run(command.replacing("out", with: name))
    let source = MemorySource(try workshop.read(name), .file)
    source.isLocal = true
    source.pieceBytes = 500
    var configuration = PlayerConfiguration()
    configuration.startThresholdNanoseconds = 300_000_000
    let playback = OfflinePlayback(
      opened: TrackReader(source, location: "memory"), [], rate: 44100, channels: 2,
      configuration: configuration)
    while playback.player.state != .playing { _ = playback.player.step(mayWait: false) }
    for seconds: UInt64 in [25, 8, 50, 29] {
      playback.player.apply(.seek(toNanoseconds: seconds * 1_000_000_000))
      while playback.player.seek != nil {
        _ = playback.player.step(mayWait: false)
        // The old sound stays in the ring until the new one is ready.
        if playback.player.lastStep == .waitingForRing { playback.crank(64) }
      }
      // The feeder does not run for a quarter of a second, so the sound must be in the ring.
      let before = playback.soundingFrames.count
      for _ in 0..<11_025 / 64 { playback.crank(64) }
      let silent = playback.soundingFrames[before...].count { !$0 }
      #expect(silent < 64, "\(seconds) s")
      #expect(playback.player.control.counters.underruns == 0, "\(seconds) s")
      for _ in 0..<2000 { _ = playback.player.step(mayWait: false) }
    }
  }
}
