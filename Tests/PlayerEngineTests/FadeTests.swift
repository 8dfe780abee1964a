// SPDX-License-Identifier: MIT

import Glibc
import OfflineOutput
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

@Suite("A player's fades")
struct FadeTests {
  /// Returns a player that plays a tone of 60 Hz at a quarter of full scale.
  private func start(in directory: TemporaryDirectory) throws -> OfflinePlayback {
    let path = directory.file("tone.wav")
    var writer = try WaveFileWriter(path: path, sampleRate: 44100, channels: 1)
    let samples = (0..<20 * 44100).map {
      0.25 * Float(cos(2 * Double.pi * 60 * Double($0) / 44100))
    }
    try writer.write(interleaved: samples.span)
    try writer.close()
    let playback = OfflinePlayback([path], rate: 44100, channels: 1)
    while playback.player.state != .playing { _ = playback.player.step(mayWait: true) }
    crank(playback, 20)
    return playback
  }

  private func crank(_ playback: OfflinePlayback, _ cycles: Int) {
    for _ in 0..<cycles {
      _ = playback.player.step(mayWait: true)
      playback.crank(64)
    }
  }

  @Test("leave no click at a pause, a resume, a stop, or on either side of a seek")
  func splatter() throws {
    let directory = TemporaryDirectory()
    let playback = try start(in: directory)
    let player: SteppedPlayer = playback.player
    for milliseconds: UInt64 in [5003, 12_345, 7000] {
      player.apply(.seek(toNanoseconds: milliseconds * 1_000_000))
      while player.seek != nil { crank(playback, 1) }
      crank(playback, 30)
    }
    player.apply(.pause)
    crank(playback, 30)
    player.apply(.resume)
    crank(playback, 30)
    // A seek in silence: the new sound fades in.
    player.apply(.pause)
    crank(playback, 30)
    player.apply(.seek(toNanoseconds: 3_004_000_000))
    crank(playback, 30)
    player.apply(.resume)
    crank(playback, 60)
    // A seek while the pause still fades.
    player.apply(.pause)
    crank(playback, 2)
    player.apply(.seek(toNanoseconds: 9_001_000_000))
    crank(playback, 30)
    player.apply(.resume)
    crank(playback, 30)
    player.apply(.stop)
    playback.run(period: 64, waits: false)
    #expect(player.state == .idle && player.control.counters.underruns == 0)
    #expect(playback.soundingFrames.count { $0 } > 10_000)
    for _ in 0..<10 { playback.crank(64) }
    #expect(Splatter.decibels(playback.samples[0], sampleRate: 44100) <= -125)
  }
}
