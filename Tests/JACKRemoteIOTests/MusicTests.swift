// SPDX-License-Identifier: MIT

import JACKRemoteIO
import PlayerEngine
import RenderCore
import TestKit
import Testing

extension OutputTests {
  /// Playback on JACK's own process thread. A build with RealtimeSanitizer ends the process if anything
  /// between the render entry's first and last line allocates, locks or calls the system.
  @Suite("an output's music")
  struct Music {
    @Test("plays to its end through pause, resume, a skip and a change of the rate")
    func everyTurn() throws {
      var options = JACKServer.Options()
      options.period = 64
      try JACKServer.with(options) { _ in
        let output = try RemoteIO(configuration())
        let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
        defer {
          output.close()
          withExtendedLifetime(renderer) {}
        }
        _ = try output.start(rendering: renderer.context)
        let tracks = ["mp3-cbr320-44100-2.mp3", "gapless-1.mp3", "gapless-2.mp3"]
        let player = Player(playing: tracks.map(Fixtures.path), into: renderer)
        player.start()
        let isHeard = eventually { player.snapshot().positionNanoseconds > 300_000_000 }
        #expect(isHeard)
        player.pause()
        let isPaused = eventually {
          let snapshot = player.snapshot()
          return snapshot.state == .paused && snapshot.trailingSilentFrames > 0
        }
        #expect(isPaused)
        let place = player.snapshot().positionNanoseconds
        let isSilent = eventually { player.snapshot().trailingSilentFrames > 4800 }
        #expect(isSilent)
        #expect(player.snapshot().positionNanoseconds == place)
        player.volume = 0.5
        player.resume()
        #expect(eventually { player.snapshot().positionNanoseconds > place + 200_000_000 })
        player.next()
        #expect(eventually { player.snapshot().trackIndex == 1 })
        #expect(eventually { player.snapshot().state == .ended })
        #expect(player.snapshot().counters.underruns == 0)
        #expect(player.snapshot().counters.failedPackets == 0)
      }
    }
  }
}
