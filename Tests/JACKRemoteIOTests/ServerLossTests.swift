// SPDX-License-Identifier: MIT

import Glibc
import JACKRemoteIO
import RenderCore
import TestKit
import Testing

extension OutputTests {
  @Suite("the loss of the server")
  struct Loss {
    enum End: Sendable, CaseIterable {
      case killed
      case terminated
    }

    @Test(
      "is reported within a second, the close returns, and the next server can be used",
      arguments: End.allCases)
    func loss(_ end: End) throws {
      for period in [128, 384] {
        var options = JACKServer.Options()
        options.period = period
        try JACKServer.with(options) { server in
          var single = configuration(.automatic)
          single.reattaches = false
          let output = try RemoteIO(single)
          let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
          _ = try output.start(rendering: renderer.context)
          #expect(eventually { output.cycleCount > 5 })
          #expect(output.bufferSize == period && output.transport != nil)
          _ = output.takeNotices()

          let start = monotonicSeconds()
          end == .killed ? server.kill() : server.end()
          var entry = pollfd(fd: output.noticeDescriptor, events: Int16(POLLIN), revents: 0)
          #expect(unsafe poll(&entry, 1, 1000) == 1)
          #expect(monotonicSeconds() - start < 1.5)
          let reasons = output.takeNotices().compactMap { notice in
            if case .serverShutDown(let reason) = notice { reason } else { nil }
          }
          #expect(reasons.count == 1 && reasons[0].contains("JACK server"))
          #expect(output.isServerShutDown)
          #expect(!output.isStalled)
          #expect(output.transport == nil)

          let cycles = output.cycleCount
          #expect(throws: RemoteIOError.closePreviousClient(server: JACKServer.name)) {
            try RemoteIO(configuration())
          }
          let closing = monotonicSeconds()
          #expect(output.close())
          #expect(monotonicSeconds() - closing < 1)
          #expect(output.close())
          #expect(output.cycleCount == cycles)
          withExtendedLifetime(renderer) {}
        }
      }
    }

    @Test("before the start is an error of the start")
    func beforeStart() throws {
      try JACKServer.with { server in
        let output = try RemoteIO(configuration())
        let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
        server.kill()
        #expect(eventually { output.isServerShutDown })
        #expect {
          _ = try output.start(rendering: renderer.context)
        } throws: { error in
          if case RemoteIOError.serverShutDown(JACKServer.name, _) = error { true } else { false }
        }
        #expect(output.close())
        #expect(throws: RemoteIOError.closed) { try output.start(rendering: renderer.context) }
        withExtendedLifetime(renderer) {}
      }
    }

    @Test("does not end the process with SIGPIPE")
    func brokenPipe() async {
      await #expect(processExitsWith: .success) {
        signal(SIGPIPE, SIG_DFL)
        try JACKServer.with { server in
          try withIdleOutput { output, _ in
            _ = eventually { output.cycleCount > 5 }
            server.kill()
            _ = eventually { output.isServerShutDown }
          }
          // A client that detects the end by a request to the server.
          guard let next = try? JACKServer.start() else { exit(2) }
          let output = try RemoteIO(configuration())
          let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
          next.kill()
          _ = try? output.start(rendering: renderer.context)
          output.close()
          withExtendedLifetime(renderer) {}
        }
      }
    }

    @Test("does not include a server that does not answer: the close returns within its limit")
    func frozen() throws {
      try JACKServer.with { server in
        let output = try RemoteIO(configuration())
        let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
        _ = try output.start(rendering: renderer.context)
        #expect(eventually { output.cycleCount > 5 })
        server.freeze()
        let start = monotonicSeconds()
        #expect(output.close(withinMilliseconds: 300))
        let seconds = monotonicSeconds() - start
        #expect(seconds >= 0.25 && seconds < 1)
        // The client still belongs to this process until the server releases it.
        #expect(
          throws: RemoteIOError.otherServerInUse(
            requested: "drawbar-test-other", current: JACKServer.name)
        ) {
          var other = configuration()
          other.serverName = "drawbar-test-other"
          _ = try RemoteIO(other)
        }
        server.thaw()
        #expect(
          eventually {
            (try? server.ports().allSatisfy { $0.name.hasPrefix("system:") }) ?? false
          })
        withExtendedLifetime(renderer) {}
      }
    }

    @Test("does not include an open without an answer: it gives up")
    func frozenOpen() throws {
      try JACKServer.with { server in
        server.freeze()
        let start = monotonicSeconds()
        #expect {
          try RemoteIO(configuration())
        } throws: { error in
          if case RemoteIOError.serverNotAnswering = error { true } else { false }
        }
        #expect(monotonicSeconds() - start < 6)
        server.thaw()
        // The client that was opened too late is closed again.
        #expect(eventually { (try? RemoteIO(configuration()).clientName) == "drawbar" })
      }
    }
  }
}
