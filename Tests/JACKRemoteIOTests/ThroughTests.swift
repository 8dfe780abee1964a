// SPDX-License-Identifier: MIT

import JACKRemoteIO
import RenderCore
import TestKit
import Testing

extension OutputTests {
  @Suite("a client that passes inputs on")
  struct Through {
    private func open(
      _ name: String, inputs: Int, outputs: Int, passesInputsOn: Bool = false,
      from sources: RemoteIO.ConnectionPolicy = .none,
      to targets: RemoteIO.ConnectionPolicy = .none
    ) throws -> (unit: RemoteIO, renderer: Renderer) {
      var configuration = RemoteIO.Configuration(
        clientName: name, serverName: JACKServer.name)
      configuration.inputPortNames = (0..<inputs).map { "in_\($0 + 1)" }
      configuration.outputPortNames = (0..<outputs).map { "out_\($0 + 1)" }
      configuration.inputConnection = sources
      configuration.connection = targets
      configuration.passesInputsOn = passesInputsOn
      let unit = try RemoteIO(configuration)
      let renderer = Renderer(
        sampleRate: unit.sampleRate, outputChannels: outputs, inputChannels: inputs)
      try unit.start(rendering: renderer)
      return (unit, renderer)
    }

    /// Connects inputs to outputs, both counted from 0.
    private func connect(_ ways: [(input: Int, output: Int)], in renderer: Renderer) throws {
      let graph = renderer.graph
      try graph.edit { (edit) throws(ProcessingGraphError) in
        for way in ways {
          try edit.connect(
            graph.input, channel: way.input, to: graph.output, targetChannel: way.output,
            channelCount: 1)
        }
      }
    }

    @Test("has non-terminal ports, and latency that adds up along the edges of its graph")
    func latency() throws {
      try JACKServer.with { server in
        let through = try open(
          "through", inputs: 2, outputs: 2, passesInputsOn: true,
          from: .ports(["system:capture_1", "system:capture_2"]),
          to: .ports(["system:playback_1", "system:playback_2"]))
        let source = try open("source", inputs: 0, outputs: 2)
        let sink = try open("sink", inputs: 2, outputs: 0)
        defer {
          for unit in [through.unit, source.unit, sink.unit] { unit.close() }
          withExtendedLifetime((through.renderer, source.renderer, sink.renderer)) {}
        }
        try connect([(0, 0)], in: through.renderer)
        let ports = try server.ports()
        for port in ports where port.name.hasPrefix("through:") {
          #expect(!port.properties.contains("terminal"))
        }
        for port in ports where port.name.hasPrefix("source:") {
          #expect(port.properties.contains("terminal"))
        }
        // The dummy driver declares a period for its inputs, and two for its outputs.
        #expect(eventually { through.unit.captureLatency == 256...256 })
        #expect(eventually { through.unit.playbackLatency == 512...512 })

        _ = try server.run(["jack_connect", "through:out_1", "sink:in_1"])
        #expect(eventually { sink.unit.captureLatency?.upperBound == 256 })
        _ = try server.run(["jack_disconnect", "through:out_1", "sink:in_1"])
        #expect(eventually { sink.unit.captureLatency == 0...0 })
        // Nothing feeds the second output.
        _ = try server.run(["jack_connect", "through:out_2", "sink:in_2"])
        let isConnected = eventually {
          (try? server.ports().first { $0.name == "sink:in_2" }?.connections.count) == 1
        }
        #expect(isConnected)
        #expect(sink.unit.captureLatency == 0...0)

        _ = try server.run(["jack_connect", "source:out_1", "through:in_1"])
        #expect(eventually { source.unit.playbackLatency?.upperBound == 512 })

        // Exchange the routing.
        let graph = through.renderer.graph
        try graph.edit { (edit) throws(ProcessingGraphError) in
          try edit.disconnect(graph.input, from: graph.output)
        }
        try connect([(1, 1)], in: through.renderer)
        #expect(eventually { sink.unit.captureLatency?.upperBound == 256 })
        #expect(eventually { source.unit.playbackLatency == 0...0 })
      }
    }

    @Test("adds the latency of its graph, also on the next server")
    func graphLatency() throws {
      try JACKServer.with { first in
        var server = first
        defer { server.stop() }
        let through = try open(
          "through", inputs: 1, outputs: 1, passesInputsOn: true,
          from: .ports(["system:capture_1"]), to: .ports(["system:playback_1"]))
        defer {
          through.unit.close()
          withExtendedLifetime(through.renderer) {}
        }
        let graph = through.renderer.graph
        let monitor = through.renderer.addMonitor()
        let late = graph.addLimiter(channelCount: 1, lookAheadFrames: 100)
        let (sum, heard) = try #require(
          graph.node(of: monitor).flatMap { sum in graph.outputNode(of: monitor).map { (sum, $0) } }
        )
        func latencies() -> [ClosedRange<Int>?] {
          let ports = (try? self.ports(of: "through")) ?? [:]
          return [ports["out_1"]?.captureLatency, ports["in_1"]?.playbackLatency]
        }
        #expect(eventually { latencies() == [256...256, 512...512] })
        try graph.edit { (edit) throws(ProcessingGraphError) in
          try edit.insert(late.node, from: sum, to: heard)
        }
        #expect(eventually { latencies() == [356...356, 612...612] })
        server.kill()
        #expect(eventually { through.unit.isServerShutDown })
        server = try JACKServer.start()
        #expect(eventually { latencies() == [356...356, 612...612] })
        monitor.settings.crosspoints = [[0]]
        #expect(eventually { latencies() == [0...0, 0...0] })
        through.renderer.remove(monitor)
      }
    }

    /// The input and output of a client with a monitor, and the peak that it reported.
    private struct PassedOn {
      var inputs = CapturedRamp()
      var outputs = CapturedRamp()
      var capturedFrames: UInt64 = 0
      var peak: Float = 0
    }

    @Test(
      "with a monitor outputs its input in the same cycle",
      arguments: [16, 64, 256, 1024])
    func sameCycle(_ period: Int) throws {
      let passed = try StolenTime.heard {
        try passOn(period: period)
      } isAsExpected: {
        $0.outputs.breaks.isEmpty && $0.outputs.gaps.isEmpty
      }
      #expect(passed.outputs.breaks.isEmpty && passed.outputs.gaps.isEmpty)
      #expect(passed.outputs.firstDeviceFrame == passed.inputs.firstDeviceFrame)
      let isSame = passed.outputs.channels == passed.inputs.channels
      #expect(isSame)
      #expect(passed.capturedFrames >= 12_000)
      #expect(abs(passed.peak - Ramp.sample(11_999, 0)) < 1e-6)
    }

    private func passOn(period: Int) throws -> PassedOn {
      // The server waits for its clients, so a busy machine makes no holes.
      return try JACKServer.with(.waiting(period: period)) { _ in
        let player = try open("player", inputs: 0, outputs: 2)
        let source = player.renderer.addSource(ringBytes: 1 << 21, ringPackets: 1024)
        var feed = source.feed
        try Ramp.feed(&feed, frames: 12_000)
        let through = try open(
          "through", inputs: 2, outputs: 2, passesInputsOn: true,
          from: .ports(["player:out_1", "player:out_2"]))
        defer {
          through.unit.close()
          player.unit.close()
          withExtendedLifetime((through.renderer, player.renderer)) {}
        }
        let monitor = through.renderer.addMonitor()
        monitor.update { $0.limit = 1 }
        // Wait until the gain has risen from silence.
        let first = through.unit.cycleCount
        let isUp = eventually {
          (through.unit.cycleCount - first) * UInt64(period) > 4800
        }
        #expect(isUp)
        var heard = through.renderer.addOutputCapture()
        var brought = through.renderer.addCapture()
        source.control.mode = .play
        var passed = PassedOn()
        let isHeard = passed.outputs.read(&heard, frames: 12_000)
        let isBrought = passed.inputs.read(&brought, frames: 12_000)
        #expect(isHeard && isBrought)
        passed.capturedFrames = heard.counters.capturedFrames
        passed.peak = monitor.takeLevels().outputs[0].peak
        return passed
      }
    }

    @Test("receives the first sample, although some cycles precede the player's connection")
    func fromTheFirst() throws {
      // Some cycles begin before the connections are made.
      try JACKServer.with(.waiting(period: 16)) { _ in
        let sink = try open("sink", inputs: 2, outputs: 0)
        var reader = sink.renderer.addCapture()
        var player = RemoteIO.Configuration(clientName: "player", serverName: JACKServer.name)
        player.connection = .ports(["sink:in_1", "sink:in_2"])
        let unit = try RemoteIO(player)
        let renderer = Renderer(sampleRate: unit.sampleRate, outputChannels: 2)
        defer {
          unit.close()
          sink.unit.close()
          withExtendedLifetime((renderer, sink.renderer)) {}
        }
        let source = renderer.addSource(ringBytes: 1 << 21, ringPackets: 1024)
        var feed = source.feed
        try Ramp.feed(&feed, frames: 12_000)
        source.control.mode = .play
        try unit.start(rendering: renderer)
        var ramp = CapturedRamp()
        let isHeard = ramp.read(&reader, frames: 12_000)
        #expect(isHeard && ramp.first == Ramp.sample(0, 0))
      }
    }

    /// The client's ports in the graph, by their short names.
    private func ports(of name: String) throws -> [Substring: JACKGraph.Port] {
      let graph = try JACKGraph(serverName: JACKServer.name)
      defer { graph.close() }
      let ports = try graph.read().ports.filter { $0.client == name }
      return Dictionary(uniqueKeysWithValues: ports.map { ($0.name.dropFirst(name.count + 1), $0) })
    }

    @Test("otherwise is terminal on both sides: no latency passes through it")
    func passesNothingOn() throws {
      try JACKServer.with { _ in
        let both = try open(
          "both", inputs: 1, outputs: 1, from: .ports(["system:capture_1"]),
          to: .ports(["system:playback_1"]))
        defer {
          both.unit.close()
          withExtendedLifetime(both.renderer) {}
        }
        #expect(eventually { both.unit.captureLatency == 256...256 })
        #expect(eventually { both.unit.playbackLatency == 512...512 })
        let ports = try ports(of: "both")
        #expect(ports["out_1"]?.captureLatency == 0...0)
        #expect(ports["in_1"]?.playbackLatency == 0...0)
        #expect(ports["out_1"]?.isTerminal == true && ports["in_1"]?.isTerminal == true)
      }
    }
  }
}
