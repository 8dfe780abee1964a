// SPDX-License-Identifier: MIT

import JACKRemoteIO
import RenderCore
import TestKit
import Testing

extension OutputTests {
  @Suite("an output's activation", .timeLimit(.minutes(2)))
  struct Activation {
    @Test("is retried when a server refuses it because its cycles stop for 0.4 s")
    func refused() throws {
      var options = JACKServer.Options()
      // The server waits for twenty periods: 6.7 ms.
      options.period = 16
      options.arguments = ["-S"]
      try JACKServer.with(options) { server in
        var hasRefused = false
        // Until the kernel moves this thread off the blocked processor, it may miss the blockade: retry.
        for _ in 0..<20 where !hasRefused {
          let output = try RemoteIO(OutputTests.configuration(.automatic))
          let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
          defer { output.close() }
          // Only the server's real-time threads, not the thread that answers clients.
          try Processors.pin(process: try #require(server.pid), isRealtimeOnly: true, to: 0)
          let blockade = Subprocess([
            "taskset", "-c", "1", "timeout", "-s", "KILL", "0.4",
            "taskset", "-c", "0", "chrt", "-f", "90", "sh", "-c", "echo here; while :; do :; done",
          ])
          try #require(eventually { blockade.output == "here\n" })
          let report = try output.start(rendering: renderer)
          #expect(report.connections.count == 2)
          let cycles = output.cycleCount
          #expect(eventually { output.cycleCount > cycles + 10 })
          #expect(!output.isServerShutDown && !output.isStalled)
          hasRefused = server.log.contains("JackEngine::ClientActivate wait error")
        }
        #expect(hasRefused)
      }
    }
  }
}
