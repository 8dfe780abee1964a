// SPDX-License-Identifier: MIT

import JACKRemoteIO
import RenderCore
import TestKit
import Testing

extension OutputTests {
  @Suite("the metadata")
  struct Metadata {
    private func withClient(
      outputs: [String], inputs: [String] = [], outputGroups: [RemoteIO.PortGroup] = [],
      inputGroups: [RemoteIO.PortGroup] = [], setsMetadata: Bool = true,
      _ body: (RemoteIO, RemoteIO.ConnectionReport) throws -> Void
    ) throws {
      var configuration = RemoteIO.Configuration(
        serverName: JACKServer.name, outputPortNames: outputs, connection: .none,
        inputPortNames: inputs, setsMetadata: setsMetadata)
      configuration.outputGroups = outputGroups
      configuration.inputGroups = inputGroups
      let unit = try RemoteIO(configuration)
      let renderer = Renderer(
        sampleRate: unit.sampleRate, outputChannels: outputs.count, inputChannels: inputs.count)
      defer {
        unit.close()
        withExtendedLifetime(renderer) {}
      }
      try body(unit, try unit.start(rendering: renderer.context))
    }

    /// The output of `jack_property -l`.
    private func listed(_ server: JACKServer) throws -> String {
      // With an empty store the tool lists nothing and exits with an error.
      (try? server.run(["jack_property", "-l"])) ?? ""
    }

    /// The client's ports in the graph.
    private func ports() throws -> [JACKGraph.Port] {
      let graph = try JACKGraph(serverName: JACKServer.name)
      defer { graph.close() }
      return try graph.read().ports.filter { $0.client == "drawbar" }
    }

    private struct Sight {
      var before = ""
      var listed = ""
      var after = ""
      var notes: [String] = []
      var ports: [JACKGraph.Port] = []
    }

    private func sight(
      outputs: [String], inputs: [String] = [], setsMetadata: Bool = true
    ) throws -> Sight {
      try #require(
        try JACKServer.withMetadata { server in
          var sight = Sight(before: try listed(server))
          try withClient(
            outputs: outputs, inputs: inputs, setsMetadata: setsMetadata
          ) { unit, report in
            sight.notes = report.notes
            sight.listed = try listed(server)
            sight.ports = try ports()
            unit.close()
          }
          sight.after = try listed(server)
          return sight
        })
    }

    @Test("of ports and client are visible to others until it is closed")
    func life() throws {
      let sight = try sight(outputs: ["out_1", "out_2"], inputs: ["in_1"])
      #expect(sight.notes == [])
      for text in ["Left output", "Right output", "Input", "audio-x-generic", "AUDIO"] {
        #expect(sight.listed.contains("value: \(text)"), "\(text) in \(sight.listed)")
      }
      #expect(sight.ports.map(\.prettyName) == ["Left output", "Right output", "Input"])
      for (index, port) in sight.ports.enumerated() {
        #expect(
          port.properties.map(\.key) == [
            "http://jackaudio.org/metadata/order",
            "http://jackaudio.org/metadata/pretty-name",
            "http://jackaudio.org/metadata/signal-type",
          ])
        #expect(port.properties.first?.value == "\(index + 1)")
        #expect(
          port.properties.map(\.type) == [
            "http://www.w3.org/2001/XMLSchema#int", "text/plain", "text/plain",
          ])
      }
      #expect(sight.after == sight.before)
    }

    @Test(
      "name one port by its kind, and more than two by their numbers",
      arguments: [
        (["out_1"], ["Output"]), (["a", "b", "c"], ["Output 1", "Output 2", "Output 3"]),
      ])
    func names(_ ports: [String], _ names: [String]) throws {
      let sight = try sight(outputs: ports)
      #expect(sight.ports.map(\.prettyName) == names)
      #expect(sight.after == sight.before)
    }

    @Test("state each port's group, and name the port by it")
    func groups() throws {
      try JACKServer.withMetadata { _ in
        try withClient(
          outputs: ["music_1", "music_2", "voice", "click"], inputs: ["talk_1", "talk_2"],
          outputGroups: [
            RemoteIO.PortGroup(name: "Music", ports: 0..<2),
            RemoteIO.PortGroup(name: "Voice", ports: 2..<3),
          ],
          inputGroups: [RemoteIO.PortGroup(name: "Talkback", ports: 0..<2)]
        ) { _, report in
          #expect(report.notes == [])
          let ports = try ports()
          #expect(
            ports.map(\.prettyName) == [
              "Music: left output", "Music: right output", "Voice: output", "Output 4",
              "Talkback: left input", "Talkback: right input",
            ])
          let groups = ports.map { port in
            port.properties.first { $0.key == "http://jackaudio.org/metadata/port-group" }?.value
          }
          #expect(groups == ["Music", "Music", "Voice", nil, "Talkback", "Talkback"])
        }
      }
    }

    @Test("are refused with a group of missing ports", arguments: [0..<0, 1..<3])
    func wrongGroups(_ range: Range<Int>) {
      var configuration = RemoteIO.Configuration(serverName: JACKServer.name)
      configuration.outputGroups = [RemoteIO.PortGroup(name: "Music", ports: range)]
      #expect(throws: RemoteIOError.invalidGroup("Music", ports: 2)) {
        try RemoteIO(configuration)
      }
    }

    @Test("are not set if they are not wanted")
    func unwanted() throws {
      let sight = try sight(outputs: ["out_1"], setsMetadata: false)
      #expect(sight.notes == [])
      #expect(sight.listed == sight.before)
    }

    @Test(
      "that others change are reported by a graph, whether it watches or not",
      arguments: [true, false])
    func change(watches: Bool) throws {
      let isTold = try JACKServer.withMetadata { server in
        var isTold = false
        try withClient(outputs: ["out_1"]) { _, _ in
          let graph = try JACKGraph(serverName: JACKServer.name, watches: watches)
          defer { graph.close() }
          func name() -> String? {
            try? graph.read().ports.first { $0.name == "drawbar:out_1" }?.prettyName
          }
          let before = name()
          _ = try server.run([
            "jack_property", "-s", "-p", "drawbar:out_1", JACKGraph.Property.prettyNameKey,
            "Loudspeaker", "text/plain",
          ])
          isTold = before == "Output" && eventually { name() == "Loudspeaker" }
        }
        return isTold
      }
      #expect(isTold == true)
    }
  }
}
