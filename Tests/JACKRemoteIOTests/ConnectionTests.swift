// SPDX-License-Identifier: MIT

import CRealtimeScope
import Glibc
import JACKRemoteIO
import RenderCore
import TestKit
import Testing

/// Renders for longer than a cycle of 256 frames at 48 kHz.
private func renderLate(
  _: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  // Hides the deliberate delay from RealtimeSanitizer: twice, because the process callback and the render
  // entry in it are both marked.
  for _ in 0..<2 { drawbar_realtime_exit() }
  usleep(8000)
  for _ in 0..<2 { drawbar_realtime_enter() }
  return 0
}

extension OutputTests {
  @Suite("an output's connections")
  struct Connections {
    /// The connections of our two ports, as another client sees them.
    private func seen(_ server: JACKServer) throws -> [[String]] {
      try server.ports().filter { $0.name.hasPrefix("drawbar:") }.map(\.connections)
    }

    @Test(
      "are those of its policy, and are reported",
      arguments: [
        (RemoteIO.ConnectionPolicy.automatic, [["system:playback_1"], ["system:playback_2"]]),
        (.none, [[], []]),
        (.pattern("system"), [["system:playback_1"], ["system:playback_2"]]),
        (.pattern("playback_[34]"), [["system:playback_3"], ["system:playback_4"]]),
        (.pattern("system:playback_4"), [["system:playback_4"], []]),
        (
          .ports(["system:playback_4", "system:playback_1"]),
          [["system:playback_4"], ["system:playback_1"]]
        ),
      ])
    func policies(_ policy: RemoteIO.ConnectionPolicy, _ expected: [[String]]) throws {
      var options = JACKServer.Options()
      options.playbackPorts = 4
      try JACKServer.with(options) { server in
        try withIdleOutput(configuration(policy)) { _, report in
          let connections = try seen(server)
          #expect(connections == expected)
          #expect(report.connections.map(\.input) == expected.flatMap { $0 })
          #expect(report.notes.isEmpty == (policy != .pattern("system:playback_4")))
        }
      }
    }

    @Test("of a single output lead to the first two ports")
    func mono() throws {
      try JACKServer.with { server in
        var wanted = configuration(.automatic)
        wanted.outputPortNames = ["out"]
        try withIdleOutput(wanted) { _, report in
          let connections = try seen(server)
          #expect(connections == [["system:playback_1", "system:playback_2"]])
          #expect(report.notes.isEmpty)
        }
      }
    }

    @Test("are limited to the existing ports, and the rest is reported")
    func fewerPorts() throws {
      var options = JACKServer.Options()
      options.playbackPorts = 1
      try JACKServer.with(options) { server in
        try withIdleOutput(configuration(.automatic)) { _, report in
          let connections = try seen(server)
          #expect(connections == [["system:playback_1"], []])
          #expect(report.notes.count == 1)
        }
      }
    }

    @Test("are reported correctly when a late client delays the graph")
    func lateGraph() throws {
      try JACKServer.with { server in
        let late = try RemoteIO(configuration(clientName: "late"))
        let renderer = Renderer(sampleRate: late.sampleRate, outputChannels: 2)
        unsafe renderer.addCallback(renderLate, context: nil)
        try late.start(rendering: renderer.context)
        for _ in 0..<4 {
          try withIdleOutput(configuration(.automatic)) { _, report in
            #expect(report.connections.map(\.input) == ["system:playback_1", "system:playback_2"])
            #expect(report.notes.isEmpty)
            let connections = try seen(server)
            #expect(connections == [["system:playback_1"], ["system:playback_2"]])
          }
        }
        late.close()
        withExtendedLifetime(renderer) {}
      }
    }

    @Test("to a missing port are an error, after which the output can be started again")
    func missingPort() throws {
      try JACKServer.with { server in
        let output = try RemoteIO(configuration(.ports(["system:playback_1", "system:nobody"])))
        let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
        for _ in 0..<2 {
          #expect(throws: RemoteIOError.noSuchPort("system:nobody")) {
            try output.start(rendering: renderer.context)
          }
        }
        #expect(output.cycleCount == 0)
        let connections = try seen(server)
        #expect(connections == [[], []])
        #expect(output.close())
        withExtendedLifetime(renderer) {}
      }
    }

    @Test(
      "that the server refuses are reported, also if it reports success",
      arguments: ["E", "e"])
    func refused(_ selfConnectMode: String) throws {
      var options = JACKServer.Options()
      options.arguments = ["-a", selfConnectMode]
      try JACKServer.with(options) { server in
        try withIdleOutput(configuration(.automatic)) { _, report in
          #expect(report.connections.isEmpty)
          #expect(report.notes.count == 2)
          #expect(report.notes.allSatisfy { $0.contains("jackd -a") })
          let connections = try seen(server)
          #expect(connections == [[], []])
        }
        let output = try RemoteIO(configuration(.pattern("system")))
        let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
        #expect(
          throws: RemoteIOError.connectionRefused(
            output: "drawbar:out_1", input: "system:playback_1")
        ) {
          try output.start(rendering: renderer.context)
        }
        #expect(output.close())
        withExtendedLifetime(renderer) {}
      }
    }
  }
}
