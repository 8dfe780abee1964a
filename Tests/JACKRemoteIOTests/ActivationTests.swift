// SPDX-License-Identifier: MIT

import JACKRemoteIO
import RenderCore
import TestKit
import Testing

extension OutputTests {
  @Suite("an output that is made active", .timeLimit(.minutes(2)))
  struct Activation {
    @Test("is made so again when a server refuses whose cycles stand still for 0.4 s")
    func refused() throws {
      var options = JACKServer.Options()
      // It waits for twenty of these: 6.7 ms.
      options.period = 16
      options.arguments = ["-S"]
      try JACKServer.with(options) { server in
        var hasRefused = false
        // This thread may be on the blocked processor until the kernel moves it, and come too late.
        for _ in 0..<20 where !hasRefused {
          let output = try RemoteIO(OutputTests.configuration(.automatic))
          let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
          defer { output.close() }
          // Of the server all but what answers its clients.
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
