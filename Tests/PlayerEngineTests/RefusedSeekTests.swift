// SPDX-License-Identifier: MIT

import OfflineOutput
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

/// Sound from a source that can only be read forward, in which every frame is its own number.
@Suite("A seek that is refused")
struct RefusedSeekTests {
  private static let frameCount = 12 * CountingWave.sampleRate

  private func start() -> OfflinePlayback {
    let wave = CountingWave(frameCount: Self.frameCount)
    let source = MemorySource(wave.bytes(at: 0, Int(wave.byteCount)), .pipe)
    source.refusesRepositions = true
    source.pieceBytes = 16384
    var configuration = PlayerConfiguration()
    configuration.ringBytes = 512 << 10
    configuration.startThresholdNanoseconds = 300_000_000
    let playback = OfflinePlayback(
      opened: TrackReader(source, location: "memory"), [], rate: 44100, channels: 2,
      configuration: configuration)
    while playback.player.state != .playing { _ = playback.player.step(mayWait: false) }
    crank(playback, cycles: 100)
    return playback
  }

  private func crank(_ playback: OfflinePlayback, cycles: Int) {
    for _ in 0..<cycles {
      _ = playback.player.step(mayWait: false)
      playback.crank(64)
    }
  }

  /// Returns the numbers of the sounding frames from an index of the recording on.
  private func numbers(_ playback: OfflinePlayback, from index: Int = 0) -> [Int] {
    playback.soundingFrames.indices.dropFirst(index).filter { playback.soundingFrames[$0] }
      .map { CountingWave.number(playback.samples[0][$0], playback.samples[1][$0]) }
  }

  private func refusals(_ playback: OfflinePlayback) -> Int {
    playback.events.count { if case .seekFailed = $0 { true } else { false } }
  }

  private func reached(_ playback: OfflinePlayback) -> [UInt64] {
    playback.events.compactMap {
      if case .sought(_, let seek) = $0 { seek.reachedNanoseconds } else { nil }
    }
  }

  @Test(
    "does not affect the previous seek, whether that one has found its sound or not",
    arguments: [false, true], [1, 3])
  func replacing(_ isFound: Bool, _ count: Int) throws {
    let playback = start()
    playback.player.apply(.seek(toNanoseconds: 8_000_000_000))
    repeat {
      crank(playback, cycles: 1)
    } while isFound && playback.player.seek?.result == nil
    try #require(playback.player.seek != nil)
    #expect((playback.player.seek?.result != nil) == isFound)
    for _ in 0..<count { playback.player.apply(.seekBy(nanoseconds: -7_000_000_000)) }
    crank(playback, cycles: 1)
    #expect(playback.player.shownPosition.nanoseconds == 8_000_000_000)
    playback.run(period: 64)
    #expect(refusals(playback) == 1)
    #expect(reached(playback) == [8_000_000_000])
    #expect(playback.states.last == .ended)
    let heard = numbers(playback)
    let first = 8 * CountingWave.sampleRate
    let fade = OfflinePlayback.fadeFrames
    let place = try #require(heard.lastIndex(of: first + fade)) - fade
    // Until then the old sound continues, and fades.
    let isRightBefore = heard[..<(place - 241)].elementsEqual(0..<place - 241)
    let isRightBehind = heard[(place + fade)...].elementsEqual(first + fade..<Self.frameCount)
    #expect(isRightBefore && isRightBehind)
    #expect(playback.player.control.counters.underruns == 0)
  }

  @Test("after a silent seek leaves that one's position in effect, and is reported")
  func whilePaused() {
    let playback = start()
    playback.player.apply(.pause)
    crank(playback, cycles: 20)
    playback.player.apply(.seek(toNanoseconds: 8_000_000_000))
    while playback.player.seek != nil { _ = playback.player.step(mayWait: false) }
    crank(playback, cycles: 20)
    playback.player.apply(.seek(toNanoseconds: 1_000_000_000))
    crank(playback, cycles: 20)
    #expect(refusals(playback) == 1)
    #expect(playback.player.shownPosition.nanoseconds == 8_000_000_000)
    let here = playback.samples[0].count
    playback.player.apply(.resume)
    crank(playback, cycles: 100)
    let heard = numbers(playback, from: here)
    let first = 8 * CountingWave.sampleRate
    let fade = OfflinePlayback.fadeFrames
    let isRight = heard.dropFirst(fade).elementsEqual(first + fade..<first + heard.count)
    #expect(isRight && heard.count > 5000)
    #expect(playback.player.shownPosition.nanoseconds > 8_100_000_000)
  }
}
