// SPDX-License-Identifier: MIT

import Glibc
import JACKRemoteIO
import RenderCore
import TestKit
import Testing

extension OutputTests {
  @Suite("a re-attaching output in an edge case")
  struct ReattachmentEdges {
    private static func connections(_ port: String, _ server: JACKServer) -> [String]? {
      (try? server.ports())?.first { $0.name == port }?.connections
    }

    private static func isBack(_ output: RemoteIO, within seconds: Double = 1) -> Bool {
      eventually(seconds: seconds) { !output.isServerShutDown && output.frameTime != nil }
    }

    @Test("restores a connection when the other program's port returns later")
    func laterPort() throws {
      try JACKServer.with { first in
        var server = first
        defer { server.stop() }
        try withIdleOutput { output, _ in
          var hearing = configuration(clientName: "hearing")
          hearing.inputPortNames = ["in_1"]
          hearing.reattaches = false
          let silence = Renderer(
            sampleRate: output.sampleRate, outputChannels: 2, inputChannels: 1)
          let peer = try RemoteIO(hearing)
          try peer.start(rendering: silence)
          _ = try server.run(["jack_connect", "drawbar:out_2", "hearing:in_1"])
          #expect(eventually { Self.connections("hearing:in_1", server) == ["drawbar:out_2"] })
          server.kill()
          #expect(eventually { output.isServerShutDown && peer.isServerShutDown })
          server = try JACKServer.start()
          // libjack supports one server per process: a client left on the last one blocks the next.
          #expect(!Self.isBack(output, within: 0.5))
          #expect(peer.close())
          #expect(Self.isBack(output))
          #expect(output.takeNotices().contains(.reattached))
          #expect(Self.connections("drawbar:out_2", server) == [])
          let next = try RemoteIO(hearing)
          defer { next.close() }
          try next.start(rendering: silence)
          #expect(
            eventually(seconds: 1) {
              Self.connections("hearing:in_1", server) == ["drawbar:out_2"]
            })
        }
      }
    }

    @Test("waits two seconds for its name if another client has it, and then takes the next name")
    func nameTaken() throws {
      for isGivenBack in [true, false] {
        try JACKServer.with { first in
          var server = first
          defer { server.stop() }
          try withIdleOutput { output, _ in
            // This client blocks the return until it is closed (see laterPort).
            var other = configuration(clientName: "other")
            other.reattaches = false
            let peer = try RemoteIO(other)
            server.end()
            #expect(eventually { output.isServerShutDown && peer.isServerShutDown })
            server = try JACKServer.start()
            let thief = Subprocess(
              ["jack_metro", "-n", "drawbar", "-b", "60"], environment: server.toolEnvironment)
            defer { thief.signalGroup(SIGKILL) }
            #expect(eventually { Self.connections("drawbar:60_bpm", server) != nil })
            #expect(peer.close())
            #expect(!Self.isBack(output, within: 0.5))
            if isGivenBack { thief.signalGroup(SIGTERM) }
            #expect(Self.isBack(output, within: 10))
            let name = isGivenBack ? "drawbar" : "drawbar-01"
            #expect(output.clientName == name)
            #expect(Self.connections(name + ":out_2", server) != nil)
          }
        }
      }
    }

    @Test("does not restore connections that another program has removed")
    func takenApart() throws {
      try JACKServer.with { first in
        var server = first
        defer { server.stop() }
        try withIdleOutput(configuration(.automatic)) { output, report in
          #expect(report.connections.count == 2)
          for connection in report.connections {
            _ = try server.run(["jack_disconnect", connection.output, connection.input])
          }
          #expect(eventually { Self.connections("drawbar:out_2", server) == [] })
          server.end()
          server = try JACKServer.start()
          #expect(Self.isBack(output))
          #expect(Self.connections("drawbar:out_1", server) == [])
          #expect(Self.connections("drawbar:out_2", server) == [])
        }
      }
    }

    @Test("returns each of 60 times, however near to its server's end its client is closed")
    func endsAgainAndAgain() throws {
      try JACKServer.with { first in
        var server = first
        defer { server.stop() }
        for _ in 0..<60 {
          try withIdleOutput { output, _ in
            server.end()
            server = try JACKServer.start()
            try #require(Self.isBack(output))
          }
        }
      }
    }

    @Test("closes at once while there is no server, and leaves nothing behind")
    func closedWhileAway() throws {
      let before = ProcessResources.now
      try JACKServer.with { server in
        try withIdleOutput { output, _ in
          server.kill()
          #expect(eventually { output.isServerShutDown })
          #expect(output.playbackLatency == nil && output.frameTime == nil)
          #expect(output.clientName == "drawbar")
          let start = monotonicSeconds()
          #expect(output.close())
          #expect(monotonicSeconds() - start < 0.5)
          // The closed output no longer looks for a server.
          let next = try JACKServer.start()
          defer { next.end() }
          usleep(500_000)
          #expect(try next.ports().allSatisfy { $0.name.hasPrefix("system:") })
        }
      }
      #expect(eventually { ProcessResources.now.isWithin(before) }, "\(ProcessResources.now)")
    }

    @Test("closes in time while the next server is stopped, and releases it later")
    func closedWhileNextIsStopped() throws {
      try JACKServer.with { first in
        var server = first
        defer { server.stop() }
        try withIdleOutput { output, _ in
          for _ in 0..<8 where !output.isServerShutDown || Self.isBack(output) {
            server.kill()
            server = try JACKServer.start()
            // At a random moment of the re-attachment.
            usleep(useconds_t.random(in: 0...120_000))
            server.freeze()
            let start = monotonicSeconds()
            _ = output.playbackLatency
            _ = output.takeNotices()
            #expect(monotonicSeconds() - start < 0.1)
            server.thaw()
          }
          server.kill()
          server = try JACKServer.start()
          server.freeze()
          let start = monotonicSeconds()
          #expect(output.close(withinMilliseconds: 300))
          #expect(monotonicSeconds() - start < 1)
          server.thaw()
          #expect(
            eventually {
              (try? server.ports())?.allSatisfy { $0.name.hasPrefix("system:") } == true
            })
        }
      }
    }

    @Test("sets its renderer's rate before it renders at another one")
    func rate() throws {
      try JACKServer.with { first in
        var server = first
        defer { server.stop() }
        let output = try RemoteIO(configuration())
        let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
        defer { output.close() }
        try output.start(rendering: renderer)
        #expect(eventually { output.cycleCount > 5 })
        server.kill()
        var options = JACKServer.Options()
        options.sampleRate = 96000
        #expect(eventually { output.isServerShutDown })
        server = try JACKServer.start(options)
        #expect(Self.isBack(output))
        #expect(renderer.sampleRate == 96000)
        let notices = output.takeNotices()
        #expect(notices.contains(.sampleRateChanged(hertz: 96000)))
        #expect(notices.last == .reattached)
        #expect(notices.contains { if case .serverShutDown = $0 { true } else { false } })
      }
    }
  }
}
