// SPDX-License-Identifier: MIT

import Glibc
import JACKRemoteIO
import RenderCore
import Synchronization
import TestKit
import Testing

/// Flags shared by the test and the thread that removes the socket.
private final class Jostling: Sendable {
  let isOver = Atomic(false)
  let isDone = Atomic(false)
}

extension OutputTests {
  @Suite("an output's names")
  struct Names {
    @Test("and ports are visible to another client, and gone after the close")
    func visible() throws {
      try JACKServer.with { server in
        try withIdleOutput { output, _ in
          #expect(output.clientName == "drawbar")
          #expect(output.serverName == JACKServer.name)
          let ports = try server.ports().filter { $0.name.hasPrefix("drawbar:") }
          #expect(ports.map(\.name) == ["drawbar:out_1", "drawbar:out_2"])
          for port in ports {
            #expect(port.properties == ["output", "terminal"])
            #expect(port.connections.isEmpty)
          }
        }
        #expect(try server.ports().allSatisfy { $0.name.hasPrefix("system:") })
      }
    }

    @Test("are made unique by the server and read back")
    func unique() throws {
      try JACKServer.with { server in
        let first = try RemoteIO(configuration())
        let second = try RemoteIO(configuration())
        #expect(first.clientName == "drawbar")
        #expect(second.clientName == "drawbar-01")
        #expect(try server.ports().map(\.name).contains("drawbar-01:out_2"))
        first.close()
        second.close()
      }
    }

    @Test("are obtained also if a client of another server takes the socket of that name meanwhile")
    func jostled() throws {
      try JACKServer.with { server in
        // Imitates the first step of the other client in libjack, which removes the socket.
        let socket = "/dev/shm/jack_jostled_\(getuid())_0"
        let state = Jostling()
        let other = JoinableThread {
          while !state.isOver.load(ordering: .relaxed), !state.isDone.load(ordering: .relaxed) {
            if unsafe unlink(socket) == 0 { state.isDone.store(true, ordering: .relaxed) }
          }
        }
        defer {
          state.isOver.store(true, ordering: .relaxed)
          other.join()
        }
        // The other thread may not run while the socket exists: retry.
        for _ in 0..<100 where !state.isDone.load(ordering: .relaxed) {
          let output = try RemoteIO(configuration(clientName: "jostled"))
          defer { output.close() }
          #expect(output.clientName == "jostled")
          #expect(try server.ports().map(\.name).contains("jostled:out_1"))
        }
        let isDone = state.isDone.load(ordering: .relaxed)
        #expect(isDone)
      }
    }

    @Test("may be as long as JACK allows, and of any script")
    func long() throws {
      try JACKServer.with { server in
        for name in [String(repeating: "n", count: 63), "Zugriegel Nº 8′", "引き手", "a/b c"] {
          let output = try RemoteIO(configuration(clientName: name))
          #expect(output.clientName == name)
          #expect(try server.ports().map(\.name).contains("\(name):out_1"))
          output.close()
        }
      }
    }

    @Test("can belong to any requested number of ports")
    func ports() throws {
      try JACKServer.with { server in
        var wanted = configuration(.automatic)
        wanted.outputPortNames = (1...8).map { "channel \($0)" }
        try withIdleOutput(wanted) { output, report in
          #expect(report.connections.count == 2)
          #expect(report.notes.count == 1)
          let names = try server.ports().map(\.name).filter { $0.hasPrefix("drawbar:") }
          #expect(names == wanted.outputPortNames.map { "drawbar:" + $0 })
        }
      }
    }

    @Test("can exceed the server's ports, which is reported")
    func tooManyPorts() throws {
      try JACKServer.with { server in
        var wanted = configuration()
        wanted.outputPortNames = (1...200).map { "\($0)" }
        #expect {
          try RemoteIO(wanted)
        } throws: { error in
          if case RemoteIOError.portRefused = error { true } else { false }
        }
        let ports = try server.ports()
        #expect(ports.allSatisfy { $0.name.hasPrefix("system:") })
      }
    }

    @Test("may include the server's from the environment")
    func environment() async {
      await #expect(processExitsWith: .success) {
        try JACKServer.with { _ in
          unsafe setenv("JACK_DEFAULT_SERVER", JACKServer.name, 1)
          let output = try RemoteIO(RemoteIO.Configuration())
          #expect(output.serverName == JACKServer.name)
          output.close()
        }
      }
    }
  }
}
