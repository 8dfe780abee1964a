// SPDX-License-Identifier: MIT

import Glibc
import JACKRemoteIO
import RenderCore
import TestKit
import Testing

extension OutputTests {
  @Suite("an output's life")
  struct LifeCycle {
    @Test("has one start and one close, and no cycle after the close")
    func order() throws {
      try JACKServer.with { _ in
        let output = try RemoteIO(configuration())
        let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
        #expect(output.cycleCount == 0)
        #expect(output.scheduling == nil)
        #expect(!output.isStalled)
        _ = try output.start(rendering: renderer.context)
        #expect(throws: RemoteIOError.alreadyStarted) {
          try output.start(rendering: renderer.context)
        }
        #expect(eventually { output.cycleCount > 5 })
        #expect(output.close())
        #expect(output.close())
        let cycles = output.cycleCount
        #expect(renderer.telemetry.cycles <= cycles)
        #expect(throws: RemoteIOError.closed) { try output.start(rendering: renderer.context) }
        #expect(output.cycleCount == cycles)
        withExtendedLifetime(renderer) {}
      }
    }

    @Test("runs the action for its start exactly once, whatever the server does")
    func meanwhile() throws {
      try JACKServer.with { server in
        var calls = 0
        let output = try RemoteIO(configuration())
        let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
        try output.start(rendering: renderer, meanwhile: { calls += 1 })
        #expect(calls == 1)
        #expect(throws: RemoteIOError.alreadyStarted) {
          try output.start(rendering: renderer, meanwhile: { calls += 1 })
        }
        output.close()
        #expect(throws: RemoteIOError.closed) {
          try output.start(rendering: renderer, meanwhile: { calls += 1 })
        }
        #expect(calls == 1)

        let other = try RemoteIO(configuration())
        server.freeze()
        #expect(throws: RemoteIOError.cancelled) {
          try other.start(
            rendering: renderer, isCancelled: { true }, meanwhile: { calls += 1 })
        }
        server.thaw()
        #expect(calls == 2)
        #expect(other.close())
      }
    }

    @Test("can be closed while it starts")
    func closedWhileStarting() throws {
      try JACKServer.with { server in
        for _ in 0..<10 {
          let output = try RemoteIO(configuration(.automatic))
          let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
          let context = renderer.context
          let hasStarted = OneTimeEvent()
          startThread {
            do throws(RemoteIOError) {
              _ = try output.start(rendering: context)
            } catch {
              #expect(error == .closed)
            }
            hasStarted.signal()
          }
          #expect(output.close())
          #expect(hasStarted.wait(seconds: 2))
          withExtendedLifetime(renderer) {}
        }
        #expect(try server.ports().allSatisfy { $0.name.hasPrefix("system:") })
      }
    }

    @Test("ends with the last reference to it")
    func release() throws {
      try JACKServer.with { server in
        _ = try RemoteIO(configuration())
        #expect(try server.ports().allSatisfy { $0.name.hasPrefix("system:") })
      }
    }

    @Test("can be repeated many times")
    func repetition() throws {
      try JACKServer.with { _ in
        let descriptors = openDescriptors()
        for _ in 0..<20 {
          try withIdleOutput(configuration(.automatic)) { output, report in
            #expect(report.connections.count == 2)
            #expect(output.clientName == "drawbar")
          }
        }
        // The control thread releases the last output after the close has returned.
        #expect(eventually { openDescriptors() <= descriptors })
      }
    }

    private func openDescriptors() -> Int {
      (0..<1024).filter { fcntl($0, F_GETFD) >= 0 }.count
    }
  }
}
