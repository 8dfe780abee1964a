// SPDX-License-Identifier: MIT

import JACKRemoteIO
import PlayerEngine
import RenderCore
import TestKit
import Testing

extension OutputTests {
  /// Freewheeling without checks of the sound, which ProgramTests has.
  @Suite("an output whose server freewheels")
  struct Freewheel {
    private static let port = "drawbar:out_1"

    /// Plays a file over HTTP that stalls after some bytes until the gate opens, on a server that freewheels
    /// before the first sound.
    private func withStalledTrack(
      _ body: (RemoteIO, Player, JACKRecorder, Gate) throws -> Void
    ) throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      let gate = Gate()
      defer { gate.open() }
      var plan = ResponsePlan.file(Fixtures.path("mp3-cbr320-44100-2.mp3"))
      plan.fault = .stall(afterBytes: 200_000, until: gate)
      web.serve("/track", plan)
      try JACKServer.with { _ in
        let output = try RemoteIO(configuration())
        let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
        defer {
          output.close()
          withExtendedLifetime(renderer) {}
        }
        _ = try output.start(rendering: renderer)
        let recorder = try JACKRecorder([Self.port], capacityFrames: 100)
        defer { recorder.close() }
        try recorder.setFreewheel(true)
        #expect(eventually { output.isFreewheeling })
        let player = Player(playing: [web.url("/track")], into: renderer)
        player.start()
        try body(output, player, recorder, gate)
      }
    }

    /// Waits until the server has reached the missing sound, which stops its cycles.
    private func waits(_ output: RemoteIO, _ player: Player) -> Bool {
      var last = (cycles: output.cycleCount, since: monotonicSeconds())
      return eventually {
        let cycles = output.cycleCount
        if cycles != last.cycles { last = (cycles, monotonicSeconds()) }
        let isWanted = [.playing, .buffering].contains(player.snapshot().state)
        return isWanted && monotonicSeconds() - last.since > 0.5
      }
    }

    @Test("waits for a stalled source, and continues with it without an underrun")
    func wait() throws {
      try withStalledTrack { output, player, recorder, gate in
        let isWaiting = waits(output, player)
        #expect(isWaiting)
        #expect(player.snapshot().counters.underruns == 0)
        gate.open()
        #expect(eventually { player.snapshot().state == .ended })
        try recorder.setFreewheel(false)
        #expect(player.snapshot().counters.underruns == 0)
        #expect(output.abandonedFreewheelWaitCount == 0)
        #expect(!output.isStalled)
      }
    }

    @Test("gives up a dead source after five seconds, once, and counts the underrun")
    func deadSource() throws {
      try withStalledTrack { output, player, recorder, gate in
        let isWaiting = waits(output, player)
        #expect(isWaiting)
        let start = monotonicSeconds()
        #expect(eventually { output.abandonedFreewheelWaitCount == 1 })
        #expect(monotonicSeconds() - start > 3)
        // The frames reserved for the resampler are played, and then the source is empty.
        let isDry = eventually { player.snapshot().counters.underruns == 1 }
        #expect(isDry)
        let cycles = output.cycleCount
        #expect(eventually(seconds: 2) { output.cycleCount > cycles + 1000 })
        #expect(output.abandonedFreewheelWaitCount == 1)
        gate.open()
        #expect(eventually { player.snapshot().state == .ended })
        try recorder.setFreewheel(false)
        #expect(player.snapshot().counters.underruns == 1)
      }
    }

    @Test("stops at once while it waits: a pause yields silence, and a close returns")
    func stopWhileWaiting() throws {
      try withStalledTrack { output, player, recorder, _ in
        let waitsFirst = waits(output, player)
        #expect(waitsFirst)
        player.pause()
        let cycles = output.cycleCount
        #expect(eventually(seconds: 2) { output.cycleCount > cycles + 1000 })
        #expect(player.snapshot().counters.underruns == 0)
        player.resume()
        let waitsAgain = waits(output, player)
        #expect(waitsAgain)
        let start = monotonicSeconds()
        let isQuiet = output.close()
        #expect(isQuiet)
        #expect(monotonicSeconds() - start < 1)
        try recorder.setFreewheel(false)
        #expect(output.abandonedFreewheelWaitCount == 0)
      }
    }
  }
}
