// SPDX-License-Identifier: MIT

import JACKRemoteIO
import Testing

@Suite("The difference between two snapshots of a graph")
struct GraphChangeTests {
  private static func port(
    _ name: String, _ direction: JACKGraph.Port.Direction = .output,
    _ type: JACKGraph.Port.DataType = .audio, to connections: [String] = []
  ) -> JACKGraph.Port {
    JACKGraph.Port(
      name: name, uuid: 1, aliases: [], direction: direction, type: type, isPhysical: false,
      isTerminal: false, canMonitor: false, captureLatency: 0...0, playbackLatency: 0...0,
      connections: connections, properties: [])
  }

  private static func graph(_ ports: JACKGraph.Port...) -> JACKGraph.Snapshot {
    JACKGraph.Snapshot(sampleRate: 48000, bufferSize: 256, ports: ports)
  }

  @Test("is empty if nothing has changed, whatever the ports' numbers")
  func nothing() {
    let graph = Self.graph(Self.port("a:out", to: ["b:in"]), Self.port("b:in", .input))
    var other = graph
    other.ports[0].uuid = 7
    #expect(other.changes(since: graph) == [])
  }

  @Test("lists connections before removed ports, and after added ports")
  func order() {
    let (out, input) = (Self.port("a:out", to: ["b:in"]), Self.port("b:in", .input, to: ["a:out"]))
    let connection = JACKGraph.Connection(output: "a:out", input: "b:in")
    let (whole, empty) = (Self.graph(out, input), Self.graph())
    #expect(
      whole.changes(since: empty) == [.portAdded(out), .portAdded(input), .connected(connection)])
    #expect(
      empty.changes(since: whole) == [
        .disconnected(connection), .portRemoved(out), .portRemoved(input),
      ])
  }

  @Test("has a port with changed latencies, names or metadata, and none with changed connections")
  func changed() {
    let before = Self.graph(Self.port("a:out"), Self.port("b:in", .input))
    for change: (inout JACKGraph.Port) -> Void in [
      { $0.captureLatency = 0...256 }, { $0.playbackLatency = 256...512 }, { $0.aliases = ["x:y"] },
      { $0.isTerminal = true },
      { $0.properties = [JACKGraph.Property(key: "k", value: "v", type: nil)] },
    ] {
      var now = before
      change(&now.ports[0])
      #expect(now.changes(since: before) == [.portChanged(now.ports[0])])
    }
  }

  @Test("has a removed and an added port if one changes its direction or type")
  func replaced() {
    let (audio, midi) = (Self.port("a:p"), Self.port("a:p", .output, .midi))
    #expect(
      Self.graph(midi).changes(since: Self.graph(audio)) == [.portRemoved(audio), .portAdded(midi)])
  }
}
