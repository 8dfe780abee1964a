// SPDX-License-Identifier: MIT

import Glibc
import JACKRemoteIO
import RenderCore
import Synchronization
import TestKit
import Testing

extension OutputTests {
  @Suite("the graph")
  struct Graph {
    private func withGraph(watches: Bool = false, _ body: (JACKGraph) throws -> Void) throws {
      let graph = try JACKGraph(serverName: JACKServer.name, watches: watches)
      defer { graph.close() }
      try body(graph)
    }

    /// Reads changes until all expected ones have been reported, in this order, among any others.
    private func expect(
      _ expected: [JACKGraph.Change], of graph: JACKGraph, since known: inout JACKGraph.Snapshot
    ) throws {
      var missing = expected[...]
      var told: [JACKGraph.Change] = []
      let end = monotonicSeconds() + 5
      while !missing.isEmpty, monotonicSeconds() < end {
        var polled = pollfd(fd: graph.changeDescriptor, events: Int16(POLLIN), revents: 0)
        unsafe poll(&polled, 1, 20)
        let now = try graph.read()
        for change in now.changes(since: known) {
          told.append(change)
          if change == missing.first { missing.removeFirst() }
        }
        known = now
      }
      #expect(missing.isEmpty, "told: \(told)")
    }

    @Test("is read like jack_lsp's")
    func read() throws {
      try JACKServer.with { server in
        try withIdleOutput(configuration(.automatic)) { _, _ in
          try withGraph { graph in
            let snapshot = try graph.read()
            #expect(snapshot.sampleRate == 48000 && snapshot.bufferSize == 256)
            let ports = try server.ports()
            #expect(ports.count == 6)
            #expect(snapshot.ports.map(\.name) == ports.map(\.name))
            #expect(snapshot.ports.map(\.connections) == ports.map(\.connections))
            #expect(snapshot.ports.allSatisfy { $0.type == .audio })
            for (port, seen) in zip(snapshot.ports, ports) {
              var words = [port.direction.rawValue]
              if port.canMonitor { words.append("can-monitor") }
              if port.isPhysical { words.append("physical") }
              if port.isTerminal { words.append("terminal") }
              #expect(words == seen.properties)
            }
            #expect(snapshot.connections.map(\.output) == ["drawbar:out_1", "drawbar:out_2"])
            #expect(
              snapshot.connections.map(\.input) == ["system:playback_1", "system:playback_2"])
            // The client that reads the graph has no port, and does not remain.
            #expect(try snapshot.ports(matching: "^drawbar:").count == 2)
          }
        }
      }
    }

    @Test("is changed by connecting and disconnecting, with the result that is reported")
    func connections() throws {
      try JACKServer.with { server in
        try withIdleOutput { _, _ in
          try withGraph { graph in
            func expectSeen(_ expected: [[String]]) throws {
              let ports = try server.ports().filter { $0.name.hasPrefix("drawbar:") }
              #expect(ports.map(\.connections) == expected)
            }
            let first = JACKGraph.Connection(output: "drawbar:out_1", input: "system:playback_2")
            for names in [(first.output, first.input), (first.input, first.output)] {
              // In both orders; an existing connection stays.
              #expect(try graph.connect(names.0, names.1) == [first])
              try expectSeen([["system:playback_2"], []])
            }
            #expect(try graph.disconnect(first.input, first.output) == [first])
            try expectSeen([[], []])
            #expect(throws: JACKGraphError.notConnected(first.output, first.input)) {
              try graph.disconnect(first.output, first.input)
            }
            let pairs = try graph.connect("drawbar", "system")
            #expect(pairs.map(\.input) == ["system:playback_1", "system:playback_2"])
            try expectSeen([["system:playback_1"], ["system:playback_2"]])
            #expect(try graph.disconnect("drawbar").count == 2)
            try expectSeen([[], []])
          }
        }
      }
    }

    @Test("refuses an impossible connection with the reason")
    func refusals() throws {
      try JACKServer.with { _ in
        try withIdleOutput { _, _ in
          try withGraph { graph in
            for (first, second, error) in [
              ("drawbar:out_1", "nobody:in", JACKGraphError.noSuchPort("nobody:in")),
              ("nobody", "system", .noSuchPort("nobody")),
              (
                "drawbar:out_1", "system:capture_1",
                .noOutputAndInput("drawbar:out_1", "system:capture_1")
              ),
              (
                "system:playback_1", "system:playback_2",
                .noOutputAndInput("system:playback_1", "system:playback_2")
              ),
            ] {
              #expect(throws: error) { try graph.connect(first, second) }
            }
            #expect(throws: JACKGraphError.notConnected("drawbar", nil)) {
              try graph.disconnect("drawbar")
            }
          }
        }
      }
    }

    @Test("has no port that is being unregistered, nor a connection to one")
    func vanishing() throws {
      try JACKServer.with { _ in
        try withGraph { graph in
          let isOver = Mutex(false)
          let hasSeen = Mutex(false)
          let names = (1...48).map { "out_\($0)" }
          let churn = JoinableThread {
            // On a fast machine few reads occur during a client's life.
            for count in 0..<1000 {
              if count >= 20, hasSeen.withLock({ $0 }) { break }
              let client = try? RemoteIO(
                RemoteIO.Configuration(
                  clientName: "churn", serverName: JACKServer.name, outputPortNames: names,
                  setsMetadata: false))
              client?.close()
            }
            isOver.withLock { $0 = true }
          }
          var wrong: Set<String> = []
          var seen = 0
          while !isOver.withLock({ $0 }) {
            let snapshot = try graph.read()
            let ports = snapshot.ports.filter { $0.client == "churn" }
            seen += ports.count
            if seen > 0 { hasSeen.withLock { $0 = true } }
            for port in ports where port.direction != .output || !port.isTerminal {
              wrong.insert("\(port.name) \(port.direction)")
            }
            let present = Set(snapshot.ports.map(\.name))
            for connection in snapshot.connections where !present.contains(connection.input) {
              wrong.insert("\(connection)")
            }
          }
          churn.join()
          #expect(wrong.isEmpty)
          #expect(seen > 0)
        }
      }
    }

    @Test("reports ports and connections that other programs add and remove")
    func watch() throws {
      try JACKServer.with { server in
        try withGraph(watches: true) { graph in
          var known = try graph.read()
          let connection = JACKGraph.Connection(
            output: "system:capture_1", input: "system:playback_1")
          _ = try server.run(["jack_connect", connection.output, connection.input])
          try expect([.connected(connection)], of: graph, since: &known)
          _ = try server.run(["jack_disconnect", connection.output, connection.input])
          try expect([.disconnected(connection)], of: graph, since: &known)
          try withIdleOutput { _, _ in
            let end = monotonicSeconds() + 5
            while known.ports.count < 6, monotonicSeconds() < end { known = try graph.read() }
            #expect(known.ports.map(\.name).suffix(2) == ["drawbar:out_1", "drawbar:out_2"])
          }
          let gone = known.ports.suffix(2)
          try expect(gone.map { .portRemoved($0) }, of: graph, since: &known)
        }
      }
    }

    @Test("of a stopped or an ended server is an error in time")
    func stopped() throws {
      try JACKServer.with { server in
        try withGraph { graph in
          server.freeze()
          defer { server.thaw() }
          let start = monotonicSeconds()
          #expect(throws: JACKGraphError.self) {
            try graph.connect("system:capture_1", "system:playback_1")
          }
          #expect(monotonicSeconds() - start < 5)
        }
      }
      try JACKServer.with { server in
        try withGraph(watches: true) { graph in
          server.end()
          #expect(eventually { (try? graph.read()) == nil })
          let end = #expect(throws: JACKGraphError.self) { try graph.read() }
          #expect(end?.description.contains("has ended") == true)
        }
      }
    }

    @Test("of no server is an error, and none is started")
    func absent() {
      #expect(throws: JACKGraphError.server(.serverNotRunning(JACKServer.name))) {
        try JACKGraph(serverName: JACKServer.name)
      }
      #expect(throws: JACKGraphError.self) { try JACKGraph(serverName: "a/b") }
    }
  }
}
