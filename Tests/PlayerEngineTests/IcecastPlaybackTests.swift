// SPDX-License-Identifier: MIT

import ByteSources
import Glibc
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

@Suite("Playing from icecast2")
struct IcecastPlaybackTests {
  private static let file = Fixtures.path("mp3-cbr128-44100-2.mp3")

  /// Returns the first frame of a stretch in the expected sound; nil if the sound does not contain it.
  private func place(of stretch: ArraySlice<Float>, in expected: [Float]) -> Int? {
    (0...max(0, expected.count - stretch.count)).first { start in
      zip(stretch, expected[start...]).allSatisfy { abs($0 - $1) < 1e-5 }
    }
  }

  @Test("the sound is the studio's, and continues when the studio is lost and comes back")
  func lostStudio() throws {
    let workshop = Workshop()
    let server = try IcecastServer()
    defer { server.stop() }
    let studio = try server.startSource(Self.file)
    defer { studio.signalGroup(SIGKILL) }
    try workshop.write(IcecastServer.sent(Self.file, times: 3), "sent.mp3")
    let whole = OfflinePlayback([workshop.path("sent.mp3")], rate: 44100, channels: 2)
    whole.run(period: 1024)
    let expected = whole.sound[0]
    var configuration = PlayerConfiguration()
    configuration.startThresholdNanoseconds = 500_000_000
    let playback = OfflinePlayback(
      [server.url()], rate: 44100, channels: 2, configuration: configuration)
    playback.run(period: 1024, frames: 100_000)
    // The first packets depend on earlier ones that were not received.
    let before = playback.sound[0][10_000..<30_000]
    #expect(place(of: before, in: expected) != nil)

    studio.signalGroup(SIGKILL)
    let isLost = eventually {
      _ = playback.player.step(mayWait: true)
      return playback.player.interrupter?.status.lossCause == .status(404)
    }
    #expect(isLost)
    // The buffered sound plays to its end, and no event reports the loss yet.
    while playback.player.state == .playing {
      _ = playback.player.step(mayWait: false)
      playback.crank(1024)
    }
    #expect(playback.player.state == .buffering)
    let again = try server.startSource(Self.file)
    defer { again.signalGroup(SIGKILL) }
    let heard = playback.sound[0].count
    playback.run(period: 1024, frames: playback.samples[0].count + 60_000)
    let after = playback.sound[0][(heard + 10_000)..<(heard + 30_000)]
    #expect(place(of: after, in: expected) != nil)
    #expect(!playback.events.contains { if case .failed = $0 { true } else { false } })
  }
}
